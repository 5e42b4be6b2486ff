/** The suite of storages, on each kind of storage that needs no other program. */
import { after, before } from 'node:test'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { openSftp } from '../../src/lib/sftp/sftp.ts'
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts'
import { type MemorySftp, memorySftp } from './memory-sftp.ts'
import { storageSuite } from './storage-suite.ts'

let bucket: MemoryBucket
let server: MemorySftp
before(async () => {
  bucket = await memoryBucket()
  server = await memorySftp()
})
after(async () => {
  await bucket[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

storageSuite('S3', () => ({
  open: (options) => openBucket(bucket.settings, { waitMs: 1, ...options }),
  // The test storage has no list of uploads and one page of objects; the e2e tests of storages have both.
  listsUploads: false,
  hasPages: false,
}))

storageSuite('SFTP', () => ({
  open: (options) => openSftp(server.settings, { waitMs: 1, ...options }),
  listsUploads: true,
  hasPages: true,
}))
