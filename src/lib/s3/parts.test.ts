/** Tests sizes of parts, memory, and the content of parts. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { atOnce, collectParts, maxParts, partSize, partsMemory, streamOf } from './parts.ts'

const [MiB, GiB] = [1024 ** 2, 1024 ** 3]

test('splits 5 TiB into 10,000 parts within the limits, in constant memory up to 100 GiB', () => {
  let total = 0
  for (let number = 1; number <= maxParts; number++) {
    const size = partSize(number)
    assert.ok(size >= 5 * MiB && size <= 5 * GiB && size >= partSize(Math.max(1, number - 1)))
    if (total < 100 * GiB) assert.ok(size * (atOnce(number) + 1) <= partsMemory)
    total += size
  }
  assert.ok(total >= 5 * 1024 * GiB)
})

async function* chunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('parts contain the bytes of the source, also in reused memory', async () => {
  const bytes = Buffer.from(Array.from({ length: 20 * MiB + 17 }, (_, at) => (at * 7 + (at >> 11)) & 255))
  for (const size of [1009, 64 * 1024, 9 * MiB, bytes.length]) {
    const parts = collectParts(chunks(bytes, size))
    const read: Buffer[] = []
    for (let number = 1; ; number++) {
      const part = await parts.next()
      if (part === null) break
      const content = Buffer.concat((await Array.fromAsync(streamOf(part, () => undefined))) as Buffer[])
      assert.deepEqual([part.number, part.sizeBytes], [number, content.length])
      assert.equal(part.sha256, createHash('sha256').update(content).digest('hex'))
      // Reads the part again, as a retry does.
      assert.ok(content.equals(Buffer.concat((await Array.fromAsync(streamOf(part, () => undefined))) as Buffer[])))
      read.push(content)
      parts.release(part)
    }
    assert.deepEqual(
      read.map(({ length }) => length),
      [5 * MiB, 5 * MiB, 5 * MiB, 5 * MiB, 17],
    )
    assert.ok(Buffer.concat(read).equals(bytes))
  }
})

test('returns one empty part for an empty source', async () => {
  const parts = collectParts(chunks(Buffer.alloc(0), 1))
  assert.equal((await parts.next())?.sizeBytes, 0)
  assert.equal(await parts.next(), null)
})
