/**
 * A bucket of a storage that speaks S3, through @aws-sdk/client-s3, which is loaded with the first request. No wait is
 * without a bound, nothing is put on the disk, and what is thrown is a StorageFault: a sentence (`explain`).
 */
import type { Readable } from 'node:stream'
import { forEachConcurrent } from '../async/for-each-concurrent.ts'
import { StorageFault } from './faults.ts'
import { type Failures, type Line, openLine, type Options, type Settings } from './connection.ts'
import { abortUploadOn, listUploadsOn, type Upload, uploadOn, type UploadOptions } from './upload.ts'

export { explain, type FaultKind, LeftUpload, StorageFault } from './faults.ts'
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
   * The whole object or an error, however often the line breaks meanwhile: it goes on where it was, unless the object
   * was replaced.
   */
  get(key: string, signal?: AbortSignal): AsyncGenerator<Buffer>
  /** Null: there is no such object (or no such bucket, which storages do not tell apart here). */
  head(key: string, signal?: AbortSignal): Promise<{ sizeBytes: number; metadata: Metadata } | null>
  /** At most 1,000 in the order of their keys; `cursor` for what follows, null at the end. */
  list(
    prefix: string,
    limit: number,
    cursor?: string | null,
    signal?: AbortSignal,
  ): Promise<{ objects: StoredObject[]; cursor: string | null }>
  /** What is not there counts as removed. */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<void>
  /**
   * Multipart, in `partsMemory` up to 100 GiB, up to 5 TiB in all. Whatever ends it early aborts it at the storage, and
   * where that fails too it throws a LeftUpload. A source that stalls has to be ended by the caller. No two uploads of
   * one key at once: where an answer was lost, one takes the other for its own.
   */
  upload(key: string, source: AsyncIterable<Buffer>, options: UploadOptions): Promise<{ sizeBytes: number }>
  /** One that is not there any more counts as aborted. */
  abortUpload(key: string, uploadId: string, signal?: AbortSignal): Promise<void>
  /** Those that were begun and neither completed nor aborted. */
  listUploads(prefix: string, signal?: AbortSignal): Promise<Upload[]>
}

const removedAtOnce = 4

/** Without a signal the line's own bounds hold. */
const unending = () => new AbortController().signal

/** Nothing is asked of the storage yet. Dispose of it, or its connections stay until the storage ends them. */
export function openBucket(settings: Settings, options: Options = {}): Bucket {
  const line = openLine(settings, options)
  const Bucket = settings.bucket
  return {
    async put(key, body, signal = unending(), metadata = {}) {
      await line.ask('write', signal, ({ sdk, client, options }) =>
        client.send(new sdk.PutObjectCommand({ Bucket, Key: key, Body: body, Metadata: metadata }), options),
      )
    },
    get: (key, signal = unending()) => read(line, key, signal),
    head: (key, signal = unending()) => head(line, key, signal),
    list: (prefix, limit, cursor = null, signal = unending()) => list(line, prefix, limit, cursor, signal),
    // One by one: many at once want a checksum that not every storage takes.
    remove: (keys, signal = unending()) =>
      forEachConcurrent(keys, removedAtOnce, async (Key) => {
        await line.ask('delete', signal, ({ sdk, client, options }) =>
          client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), options),
        )
      }),
    upload: (key, source, options) => uploadOn(line, key, source, options),
    abortUpload: (key, uploadId, signal = unending()) => abortUploadOn(line, key, uploadId, signal),
    listUploads: (prefix, signal = unending()) => listUploadsOn(line, prefix, signal),
    [Symbol.dispose]: () => line.close(),
  }
}

async function head(line: Line, Key: string, signal: AbortSignal) {
  try {
    const { ContentLength, Metadata = {} } = await line.ask('read', signal, ({ sdk, client, options }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket: line.bucket, Key }), options),
    )
    return { sizeBytes: ContentLength ?? 0, metadata: Metadata }
  } catch (error) {
    if (error instanceof StorageFault && error.kind === 'missing') return null
    throw error
  }
}

async function list(line: Line, prefix: string, limit: number, cursor: string | null, signal: AbortSignal) {
  const { Contents = [], NextContinuationToken } = await line.ask('list', signal, ({ sdk, client, options }) =>
    client.send(
      new sdk.ListObjectsV2Command({
        Bucket: line.bucket,
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

/** What was read so far of an object, and which version that is. */
interface Place {
  at: number
  sizeBytes: number
  etag: string | undefined
}

async function* read(line: Line, key: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const place: Place = { at: 0, sizeBytes: -1, etag: undefined }
  let failures: Failures = { count: 0, since: 0 }
  while (place.at !== place.sizeBytes) {
    const before = place.at
    try {
      yield* readOn(line, key, place, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (place.at > before || failures.count === 0) failures = { count: 0, since: performance.now() }
      failures.count++
      await line.again(line.faultOf(error, 'read'), failures, signal)
    }
  }
}

/** From the place on, as far as the line holds. */
async function* readOn(line: Line, Key: string, place: Place, signal: AbortSignal): AsyncGenerator<Buffer> {
  const rest = place.at === 0 ? {} : { Range: `bytes=${place.at}-`, ...(place.etag && { IfMatch: place.etag }) }
  const answer = await line.ask(
    'read',
    signal,
    ({ sdk, client, options }) => client.send(new sdk.GetObjectCommand({ Bucket: line.bucket, Key, ...rest }), options),
    { attempts: 1 },
  )
  const body = answer.Body as Readable
  try {
    if (place.at === 0) {
      place.sizeBytes = answer.ContentLength ?? 0
      place.etag = answer.ETag
    } else if (answer.ContentRange?.startsWith(`bytes ${place.at}-`) !== true) {
      throw new StorageFault('answer', 'The storage does not give a part of an object, which a broken line asks for')
    }
    yield* watched(body, line, place)
  } finally {
    body.destroy()
  }
  if (place.at < place.sizeBytes) throw brokenOff
  if (place.at > place.sizeBytes) throw new StorageFault('answer', 'The storage gave more than the object has')
}

const brokenOff = Object.assign(new Error('The answer ended before its end'), { code: 'ECONNRESET' })

/** The bound is on waits for the storage alone: whoever takes the bytes may take time. */
async function* watched(body: Readable, line: Line, place: Place): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => body.destroy(line.silence('read')), line.idleMs)
    const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
    if (done === true) return
    place.at += (value as Buffer).length
    yield value as Buffer
  }
}
