import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { frame } from '../../../../test/engine/frame.ts'
import { dockerClient } from '../transport/client.ts'
import { isOutOfMemory, linesOf } from './exit-report.ts'

const cases: [title: string, log: Buffer, lines: string[]][] = [
  ['nothing', Buffer.alloc(0), []],
  ['both outputs in their order', Buffer.concat([frame(1, 'a\n'), frame(2, 'b\n'), frame(1, 'c')]), ['a', 'b', 'c']],
  ['colours and bells are taken out', frame(1, '\u001b[31mFATAL\u001b[0m:\u0007 no\u0000\n'), ['FATAL: no']],
  ['a window title is taken out', frame(1, '\u001b]0;evil\u0007text\n'), ['text']],
  ['tabs and returns', frame(1, 'a\tb\r\n\r\nc\n'), ['a b', 'c']],
  ['a long line is cut', frame(1, 'x'.repeat(1000)), ['x'.repeat(300)]],
  [
    'the last twenty',
    frame(1, Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')),
    Array.from({ length: 20 }, (_, at) => `line ${at + 10}`),
  ],
]
for (const [title, log, lines] of cases) {
  test(`last lines: ${title}`, () => assert.deepEqual(linesOf(log), lines))
}

const ended = {
  Running: false,
  ExitCode: 137,
  OOMKilled: false,
  StartedAt: '2026-01-31T12:00:00.7Z',
  FinishedAt: '2026-01-31T12:00:05.9Z',
}
const [noWord, word] = ['', '{"Type":"container","Action":"oom"}\n']

const ends: [title: string, state: Partial<typeof ended>, events: string, outOfMemory: boolean, asks: boolean][] = [
  ['the state says so', { OOMKilled: true }, noWord, true, false],
  ['killed, and the word came late', {}, word, true, true],
  ['killed by somebody', {}, noWord, false, true],
  ['ended by itself', { ExitCode: 1 }, word, false, false],
  ['it runs', { Running: true, ExitCode: 0 }, word, false, false],
]
for (const [title, state, events, outOfMemory, asks] of ends) {
  test(`out of memory: ${title}`, async (t) => {
    const { dockerHost, asked, close } = await fakeApi((_, response) => void response.end(events))
    t.after(close)
    const found = { Id: 'c', State: { ...ended, ...state } }
    assert.equal(await isOutOfMemory(dockerClient(dockerHost, null), found), outOfMemory)
    const filters = JSON.stringify({ type: ['container'], container: ['c'], event: ['oom'] })
    assert.deepEqual(
      asked.map(({ path, query }) => [path.replace(/^\/v[\d.]+/, ''), query]),
      asks ? [['/events', { filters, since: '1769860800', until: '1769860807' }]] : [],
    )
  })
}
