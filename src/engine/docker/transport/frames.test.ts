import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frame } from '../../../../test/engine/frame.ts'
import { frames } from './frames.ts'

const output = Buffer.concat([frame(1, 'one '), frame(2, 'error ä'), frame(1, ''), frame(1, 'two')])

for (const size of [1, 3, 7, 8, 9, 1000]) {
  test(`separates the two outputs in chunks of ${size} bytes`, () => {
    const received: Record<number, Buffer[]> = { 1: [], 2: [] }
    const take = frames((stream, part) => received[stream]?.push(part))
    for (let at = 0; at < output.length; at += size) take(output.subarray(at, at + size))
    assert.equal(Buffer.concat(received[1] ?? []).toString(), 'one two')
    assert.equal(Buffer.concat(received[2] ?? []).toString(), 'error ä')
  })
}

test('is complete only at the end of a frame', () => {
  const take = frames(() => undefined)
  for (let at = 0; at < output.length; at++) {
    take(output.subarray(at, at + 1))
    assert.equal(take.isComplete(), [12, 28, 36, 47].includes(at + 1), `after ${at + 1} bytes`)
  }
})
