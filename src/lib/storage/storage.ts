/**
 * What Berth needs of a storage of any kind: objects that have a key, are written as a whole and are read as a stream.
 * A call fails with an error of `faults.ts`, or with the reason of an aborted signal. An upload can also fail with the
 * error of its source or of a callback. All waits for the storage have a timeout.
 */
import type { Egress } from '../net/egress.ts'

export interface StoredObject {
  key: string
  sizeBytes: number
  modifiedAt: Date | null
}

export interface Listing {
  objects: StoredObject[]
  /** The cursor of the next page; null on the last page. */
  cursor: string | null
}

/**
 * What became of an object: it is gone, or it did not exist; or it is hidden behind a delete marker, because the access key
 * may not delete versions.
 */
export type Removal = 'gone' | 'hidden'

/** An upload that is neither completed nor aborted. */
export interface Upload {
  key: string
  uploadId: string
  startedAt: Date | null
}

export interface UploadOptions {
  signal: AbortSignal
  /** The size that is expected, in bytes, which decides the size of the parts; 0 or undefined: unknown. */
  expectedBytes?: number
  /** Called after each part with the number of bytes that the storage has received. */
  onProgress?: (sentBytes: number) => void
  /** Called before the first part. Store the ID to be able to abort the upload after a crash. */
  onBegun?: (uploadId: string) => Promise<void> | void
}

export interface PresignedUrl {
  url: string
  expiresAt: Date
}

export interface Storage extends Disposable {
  /** Writes a small object, and replaces an object with this key. */
  put(key: string, body: Buffer, signal?: AbortSignal): Promise<void>
  /**
   * Reads the whole object. After a broken connection reading continues at the same position.
   * @throws StorageFault, also if reading cannot continue because the object was replaced
   */
  get(key: string, signal?: AbortSignal): AsyncGenerator<Buffer>
  /** Returns null if the object does not exist. Some storages do not distinguish this from a missing bucket. */
  head(key: string, signal?: AbortSignal): Promise<{ sizeBytes: number } | null>
  /**
   * Makes a URL by which anyone can read the object until it expires, and reads the first byte by it. Null: storages of
   * this kind have no such URLs.
   * @throws StorageFault, also if the storage does not accept the URL
   */
  presign: ((key: string, seconds: number, signal?: AbortSignal) => Promise<PresignedUrl>) | null
  /**
   * Lists objects in the order of their keys, without uploads that are not completed.
   * @param limit at most 1,000
   * @param cursor the cursor of the previous page, or null for the first page
   */
  list(prefix: string, limit: number, cursor?: string | null, signal?: AbortSignal): Promise<Listing>
  /**
   * Removes objects, in a bucket with versions their current versions. An object that does not exist counts as gone.
   * @returns `hidden` if one of them is only hidden behind a delete marker
   * @throws ObjectLocked, after the other objects were removed as well
   */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<Removal>
  /**
   * Writes an object of unknown length. It can be read only when it is complete. A failed upload is aborted at the storage.
   * The caller has to end a source that stalls. Do not run two uploads of one key at the same time: after a lost answer,
   * Berth aborts all other uploads of the key.
   * @throws UploadOutgrown if the upload is much larger than expected; AbandonedUpload if the abort failed too, or was not
   * tried because the storage accepts no connection
   */
  upload(key: string, source: AsyncIterable<Buffer>, options: UploadOptions): Promise<{ sizeBytes: number }>
  /** Aborts an upload. An upload that does not exist counts as aborted. */
  abortUpload(key: string, uploadId: string, signal?: AbortSignal): Promise<void>
  /** Lists uploads that are neither completed nor aborted. */
  listUploads(prefix: string, signal?: AbortSignal): Promise<Upload[]>
}

export interface StorageOptions {
  /** Decides which addresses requests may go to. Default: `egressOf([])`, which has no exceptions. */
  egress?: Egress
  /** The certificate (PEM) of the authority that is trusted instead of the authorities that Node trusts. */
  ca?: string
  /** The maximum number of attempts of each request, including the first. */
  attempts?: number
  /** The wait before the second attempt. Each later wait is twice as long, up to 15 s. */
  waitMs?: number
  /** The timeout for a connection on which nothing happens while an answer is awaited. */
  idleMs?: number
  /** How many parts an upload may have. Default: as many as the provider allows. */
  maxParts?: number
}
