/** The suite of storages, on each kind of storage that needs no other program. */
import { after, before } from 'node:test'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts'
import { storageSuite } from './storage-suite.ts'

let bucket: MemoryBucket
before(async () => {
  bucket = await memoryBucket()
})
after(() => bucket[Symbol.asyncDispose]())

storageSuite('S3', () => ({
  open: (options) => openBucket(bucket.settings, { waitMs: 1, ...options }),
  // The test storage has no list of uploads and one page of objects; the e2e tests of storages have both.
  listsUploads: false,
  hasPages: false,
}))
