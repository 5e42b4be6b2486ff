import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from './docker-mortem.ts'

const framed = (text: string, stream = 1) => {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}
const cases: [title: string, log: Buffer, lines: string[]][] = [
  ['nothing', Buffer.alloc(0), []],
  ['both outputs in their order', Buffer.concat([framed('a\n'), framed('b\n', 2), framed('c')]), ['a', 'b', 'c']],
  ['colours and bells are taken out', framed('\u001b[31mFATAL\u001b[0m:\u0007 no\u0000\n'), ['FATAL: no']],
  ['a window title is taken out', framed('\u001b]0;evil\u0007text\n'), ['text']],
  ['tabs and returns', framed('a\tb\r\n\r\nc\n'), ['a b', 'c']],
  ['a long line is cut', framed('x'.repeat(1000)), ['x'.repeat(300)]],
  ['the last twenty', framed(Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')),
    Array.from({ length: 20 }, (_, at) => `line ${at + 10}`)],
]
for (const [title, log, lines] of cases) {
  test(`last lines: ${title}`, () => assert.deepEqual(linesOf(log), lines))
}
