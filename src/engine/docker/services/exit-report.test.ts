import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { frame } from '../../../../test/engine/frame.ts'
import { dockerClient } from '../transport/client.ts'
import { isOutOfMemory, linesOf } from './exit-report.ts'

const cases: [title: string, log: Buffer, lines: string[]][] = [
  ['returns no lines of an empty log', Buffer.alloc(0), []],
  [
    'keeps both outputs in their order',
    Buffer.concat([frame(1, 'a\n'), frame(2, 'b\n'), frame(1, 'c')]),
    ['a', 'b', 'c'],
  ],
  ['removes colours and bells', frame(1, '\u001b[31mFATAL\u001b[0m:\u0007 no\u0000\n'), ['FATAL: no']],
  ['removes a window title', frame(1, '\u001b]0;evil\u0007text\n'), ['text']],
  ['replaces tabs, and removes carriage returns and empty lines', frame(1, 'a\tb\r\n\r\nc\n'), ['a b', 'c']],
  ['cuts a long line', frame(1, 'x'.repeat(3000)), ['x'.repeat(2000)]],
  [
    'returns the last hundred lines',
    frame(1, Array.from({ length: 110 }, (_, at) => `line ${at}`).join('\n')),
    Array.from({ length: 100 }, (_, at) => `line ${at + 10}`),
  ],
]
for (const [title, log, lines] of cases) {
  test(title, () => assert.deepEqual(linesOf(log), lines))
}

const ended = {
  Running: false,
  ExitCode: 137,
  OOMKilled: false,
  StartedAt: '2026-01-31T12:00:00.7Z',
  FinishedAt: '2026-01-31T12:00:05.9Z',
}
const [noEvent, oomEvent] = ['', '{"Type":"container","Action":"oom"}\n']

const ends: [
  title: string,
  state: Partial<typeof ended>,
  events: string,
  outOfMemory: boolean,
  readsEvents: boolean,
][] = [
  ['reports a lack of memory from the state', { OOMKilled: true }, noEvent, true, false],
  ['reports a lack of memory from a late event', {}, oomEvent, true, true],
  ['reports no lack of memory for a container that someone killed', {}, noEvent, false, true],
  ['ignores events of a container that exited by itself', { ExitCode: 1 }, oomEvent, false, false],
  ['reports no lack of memory for a running container', { Running: true, ExitCode: 0 }, oomEvent, false, false],
]
for (const [title, state, events, outOfMemory, readsEvents] of ends) {
  test(title, async (t) => {
    const { dockerHost, requests, close } = await fakeApi((_, response) => void response.end(events))
    t.after(close)
    const container = { Id: 'c', State: { ...ended, ...state } }
    assert.equal(await isOutOfMemory(dockerClient(dockerHost, null), container), outOfMemory)
    const filters = JSON.stringify({ type: ['container'], container: ['c'], event: ['oom'] })
    assert.deepEqual(
      requests.map(({ path, query }) => [path.replace(/^\/v[\d.]+/, ''), query]),
      readsEvents ? [['/events', { filters, since: '1769860800', until: '1769860807' }]] : [],
    )
  })
}
