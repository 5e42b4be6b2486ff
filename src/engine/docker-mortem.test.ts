import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frame } from '../../test/engine/frame.ts'
import { linesOf } from './docker-mortem.ts'

const cases: [title: string, log: Buffer, lines: string[]][] = [
  ['nothing', Buffer.alloc(0), []],
  ['both outputs in their order', Buffer.concat([frame(1, 'a\n'), frame(2, 'b\n'), frame(1, 'c')]), ['a', 'b', 'c']],
  ['colours and bells are taken out', frame(1, '\u001b[31mFATAL\u001b[0m:\u0007 no\u0000\n'), ['FATAL: no']],
  ['a window title is taken out', frame(1, '\u001b]0;evil\u0007text\n'), ['text']],
  ['tabs and returns', frame(1, 'a\tb\r\n\r\nc\n'), ['a b', 'c']],
  ['a long line is cut', frame(1, 'x'.repeat(1000)), ['x'.repeat(300)]],
  ['the last twenty', frame(1, Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')),
    Array.from({ length: 20 }, (_, at) => `line ${at + 10}`)],
]
for (const [title, log, lines] of cases) {
  test(`last lines: ${title}`, () => assert.deepEqual(linesOf(log), lines))
}
