/** Tests the limit of reading a stream into memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWhole, TooLarge } from './read-whole.ts'

/** A stream of `count` pieces of ten bytes. */
function source(count: number) {
  let read = 0
  let hasEnded = false
  async function* pieces() {
    try {
      while (read < count) {
        read++
        yield Buffer.alloc(10, 97)
      }
    } finally {
      hasEnded = true
    }
  }
  return { pieces: pieces(), read: () => read, hasEnded: () => hasEnded }
}

test('reads a stream that is exactly as large as the limit', async () => {
  assert.equal((await readWhole(source(3).pieces, 30, 'It')).toString(), 'a'.repeat(30))
  assert.equal((await readWhole(source(0).pieces, 0, 'It')).length, 0)
})

test('refuses a stream with one byte more, names the source and the limit, and stops reading', async () => {
  const endless = source(Infinity)
  await assert.rejects(readWhole(endless.pieces, 29, 'The object'), new TooLarge('The object', 29))
  assert.deepEqual([endless.read(), endless.hasEnded()], [3, true])
  assert.equal(
    new TooLarge('The manifest a.json', 16 * 1024 ** 2).message,
    'The manifest a.json is larger than 16 MiB, the maximum that Berth reads',
  )
})
