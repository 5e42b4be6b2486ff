/**
 * A client for a bucket of an S3 storage. Uses @aws-sdk/client-s3, which is loaded with the first request. All waits
 * for the storage have a timeout, and nothing is written to the disk. A call fails with a StorageFault or an
 * AbandonedUpload (see `explain`), or with the reason of an aborted signal. An upload can also fail with the error of
 * its source or of a callback.
 */
import type { Readable } from 'node:stream'
import { forEachConcurrent } from '../async/for-each-concurrent.ts'
import { StorageFault } from './faults.ts'
import { type Connection, openConnection, type Options, type Settings } from './connection.ts'
import { type OpenedObject, readObject } from './read-object.ts'
import { type SignedRequest, signOn, type WantedRequest } from './sign.ts'
import { abortUploadOn, listUploadsOn, type Upload, uploadOn, uploadWith, type UploadOptions } from './upload.ts'
import type { SentParts } from './send-parts.ts'

export { explain, type FaultKind, AbandonedUpload, StorageFault } from './faults.ts'
export type { Options, Settings } from './connection.ts'
export type { Upload, UploadOptions } from './upload.ts'
export type { SentPart, SentParts } from './send-parts.ts'
export type { SignedRequest, WantedRequest } from './sign.ts'

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
  /** Removes objects. An object that does not exist counts as removed. */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<void>
  /**
   * Uploads an object of up to 5 TiB in parts. Takes at most `partsMemory` bytes of memory for up to 100 GiB. A failed
   * upload is aborted at the storage. The caller has to end a source that stalls. Do not run two uploads of one key at
   * the same time: after a lost answer, Berth aborts all other uploads of the key.
   * @throws AbandonedUpload if the abort failed too, or was not tried because the storage accepts no connection
   */
  upload(key: string, source: AsyncIterable<Buffer>, options: UploadOptions): Promise<{ sizeBytes: number }>
  /**
   * Uploads an object whose parts another process sends, with signed requests. Begins the upload, calls `send`, and
   * completes the upload when `send` has resolved with the sent parts. Otherwise like `upload`.
   */
  uploadThrough(
    key: string,
    send: (uploadId: string) => Promise<SentParts>,
    options: UploadOptions,
  ): Promise<{ sizeBytes: number }>
  /**
   * Signs a request on an object. The signature is valid for some minutes, for this request only. Sends nothing.
   * @param uploadId the upload of a part
   */
  sign(key: string, request: WantedRequest, uploadId: string | null, signal?: AbortSignal): Promise<SignedRequest>
  /** The names of the storage in messages. */
  readonly names: Connection['names']
  /** The host of the endpoint, without the port. */
  readonly hostname: string
  /** Aborts an upload. An upload that does not exist counts as aborted. */
  abortUpload(key: string, uploadId: string, signal?: AbortSignal): Promise<void>
  /** Lists uploads that are neither completed nor aborted. */
  listUploads(prefix: string, signal?: AbortSignal): Promise<Upload[]>
}

const removedAtOnce = 4

/** For calls without a signal. The timeouts of the connection still apply. */
const unending = () => new AbortController().signal

/** Sends no request. Dispose of the bucket to close its connections. */
export function openBucket(settings: Settings, options: Options = {}): Bucket {
  const connection = openConnection(settings, options)
  const Bucket = settings.bucket
  return {
    async put(key, body, signal = unending(), metadata = {}) {
      await connection.ask('write', signal, ({ sdk, client, options }) =>
        client.send(new sdk.PutObjectCommand({ Bucket, Key: key, Body: body, Metadata: metadata }), options),
      )
    },
    get: (key, signal = unending()) =>
      readObject(connection, (at, etag) => openObject(connection, key, at, etag, signal), signal),
    sign: (key, request, uploadId, signal = unending()) => signOn(connection, key, request, uploadId, signal),
    names: connection.names,
    hostname: connection.hostname,
    head: (key, signal = unending()) => head(connection, key, signal),
    list: (prefix, limit, cursor = null, signal = unending()) => list(connection, prefix, limit, cursor, signal),
    // Not DeleteObjects: it requires a checksum that some storages reject.
    remove: (keys, signal = unending()) =>
      forEachConcurrent(keys, removedAtOnce, async (Key) => {
        await connection.ask('delete', signal, ({ sdk, client, options }) =>
          client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), options),
        )
      }),
    upload: (key, source, options) => uploadOn(connection, key, source, options),
    uploadThrough: (key, send, options) => uploadWith(connection, key, options, ({ UploadId }) => send(UploadId)),
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

async function openObject(
  connection: Connection,
  Key: string,
  at: number,
  etag: string | null,
  signal: AbortSignal,
): Promise<OpenedObject> {
  const rest = at === 0 ? {} : { Range: `bytes=${at}-`, ...(etag === null ? {} : { IfMatch: etag }) }
  const answer = await connection.ask(
    'read',
    signal,
    ({ sdk, client, options }) =>
      client.send(new sdk.GetObjectCommand({ Bucket: connection.bucket, Key, ...rest }), options),
    { attempts: 1 },
  )
  return {
    body: answer.Body as Readable,
    sizeBytes: answer.ContentLength ?? 0,
    etag: answer.ETag ?? null,
    range: answer.ContentRange ?? null,
  }
}
