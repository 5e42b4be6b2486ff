/** Tests sizes of parts, memory, and the content of parts. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { collectParts, maxParts, partSizeFor, streamOf } from './parts.ts'

const [MiB, GiB] = [1024 ** 2, 1024 ** 3]

test('chooses one size for the parts of an upload that may be half as large again as expected', () => {
  const sizes = [0, 1, 10 * GiB, 100 * GiB, 1024 * GiB, 5 * 1024 * GiB].map((expected) => partSizeFor(expected) / MiB)
  assert.deepEqual(sizes, [11, 11, 11, 16, 158, 787])
  for (const expected of [GiB, 70 * GiB, 100 * GiB, 5 * 1024 * GiB]) {
    assert.ok(partSizeFor(expected) * maxParts >= expected * 1.5)
    assert.ok(partSizeFor(expected, 1000) * 1000 >= Math.min(expected * 1.5, 5 * 1000 * GiB))
  }
  assert.ok(partSizeFor(100 * GiB) * 2 <= 32 * MiB, 'two parts are in memory')
  assert.equal(partSizeFor(1e15), 5 * GiB, 'the largest part that S3 accepts')
})

async function* chunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('parts contain the bytes of the source, also in reused memory', async () => {
  const bytes = Buffer.from(Array.from({ length: 20 * MiB + 17 }, (_, at) => (at * 7 + (at >> 11)) & 255))
  for (const size of [1009, 64 * 1024, 9 * MiB, bytes.length]) {
    const parts = collectParts(chunks(bytes, size), 5 * MiB)
    const read: Buffer[] = []
    for (let number = 1; ; number++) {
      const part = await parts.next()
      if (part === null) break
      const content = Buffer.concat((await Array.fromAsync(streamOf(part, () => undefined))) as Buffer[])
      assert.deepEqual([part.number, part.sizeBytes], [number, content.length])
      assert.equal(part.sha256, createHash('sha256').update(content).digest('hex'))
      assert.equal(part.md5, createHash('md5').update(content).digest('base64'))
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
  const parts = collectParts(chunks(Buffer.alloc(0), 1), 5 * MiB)
  assert.equal((await parts.next())?.sizeBytes, 0)
  assert.equal(await parts.next(), null)
})
