/**
 * A bucket of an S3 storage. Uses @aws-sdk/client-s3, which is loaded with the first request. Nothing is written to the
 * disk. An upload takes the memory of two parts (`partSizeFor`).
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { forEachConcurrent } from '../async/for-each-concurrent.ts'
import { ObjectLocked, StorageFault } from '../storage/faults.ts'
import type { Failures } from '../storage/retries.ts'
import type { Listing, Removal, Storage, StorageOptions } from '../storage/storage.ts'
import { type Connection, openConnection, type Settings } from './connection.ts'
import { presignOn } from './presign.ts'
import { removeOn } from './remove.ts'
import { abortUploadOn, listUploadsOn, uploadOn } from './upload.ts'

export type { Settings } from './connection.ts'

const removedAtOnce = 4

/** The lock that ends last. */
const latestOf = (locks: ObjectLocked[]): ObjectLocked =>
  locks.reduce((a, b) => (a.until === null || (b.until !== null && a.until >= b.until) ? a : b))

const md5Of = (body: Buffer): string => createHash('md5').update(body).digest('base64')

/** For calls without a signal. The timeouts of the connection still apply. */
const unending = () => new AbortController().signal

/** Sends no request. Dispose of the bucket to close its connections. */
export function openBucket(settings: Settings, options: StorageOptions = {}): Storage {
  const connection = openConnection(settings, options)
  const Bucket = settings.bucket
  return {
    async put(key, body, signal = unending()) {
      const object = { Bucket, Key: key, Body: body, ContentMD5: md5Of(body) }
      await connection.ask('write', signal, ({ sdk, client, options }) =>
        client.send(new sdk.PutObjectCommand(object), options),
      )
    },
    get: (key, signal = unending()) => read(connection, key, signal),
    head: (key, signal = unending()) => head(connection, key, signal),
    presign: (key, seconds, signal = unending()) => presignOn(connection, key, seconds, signal),
    list: (prefix, limit, cursor = null, signal = unending()) => list(connection, prefix, limit, cursor, signal),
    // Not DeleteObjects: it requires a checksum that some storages reject.
    async remove(keys, signal = unending()) {
      const removals: Removal[] = []
      const locks: ObjectLocked[] = []
      await forEachConcurrent(keys, removedAtOnce, async (key) => {
        const removal = await removeOn(connection, key, signal).catch((error: unknown) => {
          if (error instanceof ObjectLocked) return error
          throw error
        })
        if (removal instanceof ObjectLocked) locks.push(removal)
        else removals.push(removal)
      })
      if (locks.length > 0) throw latestOf(locks)
      return removals.includes('hidden') ? 'hidden' : 'gone'
    },
    upload: (key, source, options) => uploadOn(connection, key, source, options),
    abortUpload: (key, uploadId, signal = unending()) => abortUploadOn(connection, key, uploadId, signal),
    listUploads: (prefix, signal = unending()) => listUploadsOn(connection, prefix, signal),
    [Symbol.dispose]: () => connection.close(),
  }
}

async function head(connection: Connection, Key: string, signal: AbortSignal) {
  try {
    const { ContentLength } = await connection.ask('read', signal, ({ sdk, client, options }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket: connection.bucket, Key }), options),
    )
    return { sizeBytes: ContentLength ?? 0 }
  } catch (error) {
    if (error instanceof StorageFault && error.kind === 'missing') return null
    throw error
  }
}

async function list(
  connection: Connection,
  prefix: string,
  limit: number,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Listing> {
  const { Contents = [], NextContinuationToken } = await connection.ask('list', signal, ({ sdk, client, options }) =>
    client.send(
      new sdk.ListObjectsV2Command({
        Bucket: connection.bucket,
        Prefix: prefix,
        MaxKeys: limit,
        ...(cursor === null ? {} : { ContinuationToken: cursor }),
      }),
      options,
    ),
  )
  const objects = Contents.map(({ Key = '', Size = 0, LastModified = null }) => ({
    key: Key,
    sizeBytes: Size,
    modifiedAt: LastModified,
  }))
  return { objects, cursor: NextContinuationToken ?? null }
}

/** How far an object was read, and its version. */
interface ReadPosition {
  at: number
  sizeBytes: number
  etag: string | undefined
}

async function* read(connection: Connection, key: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const position: ReadPosition = { at: 0, sizeBytes: -1, etag: undefined }
  let failures: Failures = { count: 0, since: 0 }
  while (position.at !== position.sizeBytes) {
    const startPosition = position.at
    try {
      yield* readFrom(connection, key, position, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (position.at > startPosition || failures.count === 0) failures = { count: 0, since: performance.now() }
      failures.count++
      await connection.waitForRetry(connection.faultOf(error, 'read'), failures, signal)
    }
  }
}

/** Reads from the position on, until the end or until the connection breaks. */
async function* readFrom(
  connection: Connection,
  Key: string,
  position: ReadPosition,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const rest =
    position.at === 0 ? {} : { Range: `bytes=${position.at}-`, ...(position.etag && { IfMatch: position.etag }) }
  const answer = await connection.ask(
    'read',
    signal,
    ({ sdk, client, options }) =>
      client.send(new sdk.GetObjectCommand({ Bucket: connection.bucket, Key, ...rest }), options),
    { attempts: 1 },
  )
  const body = answer.Body as Readable
  try {
    if (position.at === 0) {
      position.sizeBytes = answer.ContentLength ?? 0
      position.etag = answer.ETag
    } else if (answer.ContentRange?.startsWith(`bytes ${position.at}-`) !== true) {
      throw new StorageFault(
        'answer',
        'The storage ignored the range of a request. Berth needs ranges to continue after a broken connection',
      )
    }
    yield* withIdleTimeout(body, connection, position)
  } finally {
    body.destroy()
  }
  if (position.at < position.sizeBytes) throw brokenOff
  if (position.at > position.sizeBytes)
    throw new StorageFault('answer', 'The storage sent more bytes than the object has')
}

const brokenOff = Object.assign(new Error('The answer ended early'), { code: 'ECONNRESET' })

/** The timeout applies to waits for the storage only. The consumer of the bytes can be slow. */
async function* withIdleTimeout(
  body: Readable,
  connection: Connection,
  position: ReadPosition,
): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => body.destroy(connection.timeoutFault('read')), connection.idleMs)
    const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
    if (done === true) return
    position.at += (value as Buffer).length
    yield value as Buffer
  }
}
