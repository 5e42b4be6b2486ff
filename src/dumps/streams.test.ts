/** The streams of dumps deliver all bytes or fail, whatever the sizes of the pieces are. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { until } from '../../test/engine/until.ts'
import { type Bytes, compressed, decompressed, drain, digester, tapped } from './streams.ts'

async function* pieces(bytes: Buffer, size: number): Bytes {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const collect = async (source: Bytes) => Buffer.concat(await Array.fromAsync(source))

for (const [what, bytes, size] of [
  ['an empty stream', Buffer.alloc(0), 1],
  ['one byte', Buffer.from('x'), 1],
  ['zeros', Buffer.alloc(3_000_000), 65_536],
  ['random bytes', randomBytes(3_000_000), 999],
] as const) {
  test(`compresses and decompresses ${what}`, async () => {
    const packed = await collect(compressed(pieces(bytes, size)))
    assert.ok(zstdDecompressSync(packed).equals(bytes), 'any zstd program can decompress the bytes')
    assert.ok((await collect(decompressed(pieces(packed, 1000)))).equals(bytes))
  })
}

test('rejects truncated and changed data', async () => {
  const packed = await collect(compressed(pieces(randomBytes(1_000_000), 10_000)))
  const changed = Buffer.from(packed)
  changed[500_000]! ^= 1
  for (const bytes of [packed.subarray(0, -1), packed.subarray(0, 500_000), changed]) {
    await assert.rejects(collect(decompressed(pieces(bytes, 10_000))))
  }
})

test('passes the error of a failing source on to the reader', async () => {
  async function* failing(): Bytes {
    yield randomBytes(100_000)
    throw new Error('the tool ended with 1')
  }
  await assert.rejects(drain(compressed(failing())), /the tool ended with 1/)
  await assert.rejects(drain(tapped(compressed(failing()), () => undefined)), /the tool ended with 1/)
})

test('closes the source when the reader stops', async () => {
  let isOver = false
  async function* endless(): Bytes {
    try {
      for (;;) yield randomBytes(65_536)
    } finally {
      isOver = true
    }
  }
  for await (const _ of compressed(endless())) break
  await until('the end of the source', async () => isOver)
})

test('counts and hashes all bytes', async () => {
  const bytes = randomBytes(300_000)
  const { tap, result } = digester()
  await drain(tapped(pieces(bytes, 777), tap))
  assert.deepEqual(result(), { sizeBytes: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') })
})
