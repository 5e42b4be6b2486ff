import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frame } from '../../../../test/engine/frame.ts'
import { logReader, newestLines } from './lines.ts'
import type { LogLine } from '../../engine.ts'

const at = (second: number) => `2030-01-01T00:00:0${second}.000000000Z`

function read(log: Buffer, size = log.length) {
  const lines: LogLine[] = []
  const errors: string[] = []
  const reader = logReader(
    (line) => lines.push(line),
    (message) => errors.push(message),
  )
  for (let from = 0; from < log.length; from += size) reader.take(log.subarray(from, from + size))
  reader.end()
  return { lines, errors, count: reader.count() }
}

const split = Buffer.from('xüy\n')
const log = Buffer.concat([
  frame(1, `${at(1)} one \u001b[1m\n`),
  frame(2, `${at(2)} two ü\r\n`),
  frame(1, `${at(3)} \n`),
  // A long line in two pieces, split within a character. A line of the other stream lies between them.
  frame(1, Buffer.concat([Buffer.from(`${at(4)} `), split.subarray(0, 2)])),
  frame(2, `${at(4)} between\n`),
  frame(1, Buffer.concat([Buffer.from(`${at(4)} `), split.subarray(2)])),
  frame(1, `${at(5)} without end`),
  frame(1, `${at(6)} after it`),
])

for (const size of [1, 5, 8, 33, 10_000]) {
  test(`assembles lines from chunks of ${size} bytes`, () => {
    const { lines, errors, count } = read(log, size)
    assert.deepEqual(lines, [
      { at: at(1), stream: 'stdout', line: 'one \u001b[1m' },
      { at: at(2), stream: 'stderr', line: 'two ü' },
      { at: at(3), stream: 'stdout', line: '' },
      { at: at(4), stream: 'stderr', line: 'between' },
      { at: at(4), stream: 'stdout', line: 'xüy' },
      { at: at(5), stream: 'stdout', line: 'without end' },
      { at: at(6), stream: 'stdout', line: 'after it' },
    ])
    assert.deepEqual([errors, count], [[], 8])
  })
}

test('reports frames that are not log lines', () => {
  const message = 'Error grabbing logs: warning: incomplete log stream. node x is not available'
  const { lines, errors } = read(Buffer.concat([frame(3, `${message}\n`), frame(1, 'no time\n'), frame(1, 'x')]))
  assert.deepEqual([lines, errors], [[], [message, 'no time', 'x']])
})

test('cuts a long line at 1 MiB', () => {
  const piece = frame(1, `${at(1)} ${'x'.repeat(16_384)}`)
  const {
    lines: [line, ...others],
  } = read(Buffer.concat(Array.from({ length: 200 }, () => piece)))
  assert.deepEqual([line!.line.length, others], [1024 * 1024, []])
})

test('returns the newest lines sorted by time for any order of arrival', () => {
  const lineAt = (second: number, line = `${second}`): LogLine => ({ at: at(second), stream: 'stdout', line })
  const newest = newestLines(3)
  for (const second of [5, 6, 7, 1, 2, 3]) newest.add(lineAt(second))
  for (let i = 0; i < 1000; i++) newest.add(lineAt(0))
  newest.add(lineAt(6, 'same time'))
  assert.deepEqual(
    newest.sorted().map(({ line }) => line),
    ['6', 'same time', '7'],
  )
})

test('drops the oldest lines beyond 16 MiB in total', () => {
  const newest = newestLines(100)
  for (let second = 0; second < 9; second++) {
    for (let i = 0; i < 10; i++) newest.add({ at: at(second), stream: 'stdout', line: 'x'.repeat(1024 * 1024) })
  }
  const lines = newest.sorted()
  assert.deepEqual([lines.length, lines.at(-1)!.at], [16, at(8)])
})
