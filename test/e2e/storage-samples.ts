/** Streams of reproducible bytes that cannot be compressed, and the bucket for them. */
import { createCipheriv, createHash } from 'node:crypto'
import { openBucket } from '../../src/lib/s3/s3.ts'
import type { StorageOptions } from '../../src/lib/storage/storage.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import type { Storage } from './storage.ts'

export const MiB = 1024 ** 2

/** Yields the bytes in chunks whose length fits no part size. */
export async function* randomBytes(sizeBytes: number): AsyncGenerator<Buffer> {
  const stream = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16))
  const zeros = Buffer.alloc(333_333)
  for (let left = sizeBytes; left > 0; left -= zeros.length) {
    yield stream.update(zeros.subarray(0, Math.min(left, zeros.length)))
  }
}

export async function digestOf(source: AsyncIterable<Buffer>): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of source) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Short time limits, so that an expected failure comes soon. */
export const fastFailure: StorageOptions = { attempts: 5, waitMs: 5, idleMs: 1000 }

/** Opens the bucket `backups`, through the line if there is one. */
export function bucketOn(storage: Storage, line: FaultyProxy | null = null, options: StorageOptions = fastFailure) {
  const over = line === null ? {} : { endpoint: `http://127.0.0.1:${line.port}` }
  return openBucket(storage.settings('backups', over), options)
}
