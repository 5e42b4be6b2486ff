/**
 * A client for a bucket of an S3 storage. Uses @aws-sdk/client-s3, which is loaded with the first request. All waits
 * for the storage have a timeout, and nothing is written to the disk. A call fails with a StorageFault or an
 * AbandonedUpload (see `explain`), or with the reason of an aborted signal. An upload can also fail with the error of
 * its source or of a callback.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { forEachConcurrent } from '../async/for-each-concurrent.ts'
import { StorageFault } from './faults.ts'
import { type Failures, type Connection, openConnection, type Options, type Settings } from './connection.ts'
import { type PresignedUrl, presignOn } from './presign.ts'
import { ObjectLocked, type Removal, removeOn } from './remove.ts'
import { abortUploadOn, listUploadsOn, type Upload, uploadOn, type UploadOptions } from './upload.ts'

export { ObjectLocked, type Removal } from './remove.ts'
export { UploadOutgrown } from './upload.ts'
export { explain, type FaultKind, AbandonedUpload, namingProxy, StorageFault } from './faults.ts'
export type { Options, Settings } from './connection.ts'
export type { Upload, UploadOptions } from './upload.ts'

export interface StoredObject {
  key: string
  sizeBytes: number
  modifiedAt: Date | null
}

export type Metadata = Record<string, string>

export interface Bucket extends Disposable {
  put(key: string, body: Buffer, signal?: AbortSignal, metadata?: Metadata): Promise<void>
  /**
   * Reads the whole object. After a broken connection reading continues at the same position.
   * @throws StorageFault, also if reading cannot continue because the object was replaced
   */
  get(key: string, signal?: AbortSignal): AsyncGenerator<Buffer>
  /** Returns null if the object or the bucket does not exist. Storages do not distinguish the two here. */
  head(key: string, signal?: AbortSignal): Promise<{ sizeBytes: number; metadata: Metadata } | null>
  /**
   * Makes a URL by which anyone can read the object until it expires, and reads the first byte by it.
   * @throws StorageFault, also if the storage does not accept the URL
   */
  presign(key: string, seconds: number, signal?: AbortSignal): Promise<PresignedUrl>
  /**
   * Lists objects in the order of their keys.
   * @param limit at most 1,000
   * @param cursor the cursor of the previous page, or null for the first page. The result has null on the last page
   */
  list(
    prefix: string,
    limit: number,
    cursor?: string | null,
    signal?: AbortSignal,
  ): Promise<{ objects: StoredObject[]; cursor: string | null }>
  /**
   * Removes objects, in a bucket with versions their current versions. An object that does not exist counts as gone.
   * @returns `hidden` if one of them is only hidden behind a delete marker
   * @throws ObjectLocked, after the other objects were removed as well
   */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<Removal>
  /**
   * Uploads an object in parts of equal size. Takes the memory of two parts (`partSizeFor`). A failed upload is aborted at
   * the storage. The caller has to end a source that stalls. Do not run two uploads of one key at
   * the same time: after a lost answer, Berth aborts all other uploads of the key.
   * @throws UploadOutgrown if the upload is much larger than expected; AbandonedUpload if the abort failed too, or was not
   * tried because the storage accepts no connection
   */
  upload(key: string, source: AsyncIterable<Buffer>, options: UploadOptions): Promise<{ sizeBytes: number }>
  /** Aborts an upload. An upload that does not exist counts as aborted. */
  abortUpload(key: string, uploadId: string, signal?: AbortSignal): Promise<void>
  /** Lists uploads that are neither completed nor aborted. */
  listUploads(prefix: string, signal?: AbortSignal): Promise<Upload[]>
}

const removedAtOnce = 4

/** The lock that ends last. */
const latestOf = (locks: ObjectLocked[]): ObjectLocked =>
  locks.reduce((a, b) => (a.until === null || (b.until !== null && a.until >= b.until) ? a : b))

const md5Of = (body: Buffer): string => createHash('md5').update(body).digest('base64')

/** For calls without a signal. The timeouts of the connection still apply. */
const unending = () => new AbortController().signal

/** Sends no request. Dispose of the bucket to close its connections. */
export function openBucket(settings: Settings, options: Options = {}): Bucket {
  const connection = openConnection(settings, options)
  const Bucket = settings.bucket
  return {
    async put(key, body, signal = unending(), metadata = {}) {
      const object = { Bucket, Key: key, Metadata: metadata }
      await connection.ask('write', signal, ({ sdk, client, options }) =>
        client.send(new sdk.PutObjectCommand({ ...object, Body: body, ContentMD5: md5Of(body) }), options),
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
    const { ContentLength, Metadata = {} } = await connection.ask('read', signal, ({ sdk, client, options }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket: connection.bucket, Key }), options),
    )
    return { sizeBytes: ContentLength ?? 0, metadata: Metadata }
  } catch (error) {
    if (error instanceof StorageFault && error.kind === 'missing') return null
    throw error
  }
}

async function list(connection: Connection, prefix: string, limit: number, cursor: string | null, signal: AbortSignal) {
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
