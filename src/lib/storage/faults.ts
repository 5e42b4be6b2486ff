/** The failures of storages of all kinds. */

export type FaultKind =
  | 'name'
  | 'refused'
  | 'unreachable'
  | 'broken'
  | 'tls'
  | 'clock'
  | 'accessKey'
  | 'secretAccessKey'
  | 'bucket'
  | 'region'
  | 'rights'
  | 'timeout'
  | 'busy'
  | 'missing'
  | 'changed'
  | 'answer'
  | 'egress'
  | 'proxy'
  | 'hostKey'
  | 'login'
  | 'full'

/** The operation that failed. Messages write it after "to". */
export type Verb = 'write' | 'read' | 'list' | 'delete'

/** A request to a storage failed. */
export class StorageFault extends Error {
  readonly kind: FaultKind
  /** Whether a retry can succeed. */
  readonly isTransient: boolean

  /** @param message for the caller, without a secret */
  constructor(kind: FaultKind, message: string, isTransient = transientKinds.includes(kind)) {
    super(message)
    this.name = 'StorageFault'
    this.kind = kind
    this.isTransient = isTransient
  }
}

/** `clock` is transient because the SDK of S3 uses the time of the server after such an error. */
const transientKinds: readonly FaultKind[] = ['refused', 'unreachable', 'broken', 'clock', 'timeout', 'busy']

/** Whether the storage accepts no connection at all, or Berth makes none, so that other requests would fail too. */
export const isNoConnection = (error: unknown): boolean =>
  error instanceof StorageFault && noConnectionKinds.includes(error.kind)

const noConnectionKinds: readonly FaultKind[] = ['refused', 'unreachable', 'name', 'proxy', 'hostKey', 'login']

/** An upload failed, see `cause`, and could not be aborted. Its parts take space until someone aborts it. */
export class AbandonedUpload extends Error {
  readonly uploadId: string

  constructor(uploadId: string, cause: unknown) {
    super('The uploaded parts could not be deleted either', { cause })
    this.name = 'AbandonedUpload'
    this.uploadId = uploadId
  }
}

/**
 * The upload needs more parts than the storage allows, because it is larger than expected. It was aborted. Begin it again
 * with a larger `expectedBytes`.
 */
export class UploadOutgrown extends Error {
  readonly sentBytes: number

  constructor(sentBytes: number) {
    super(`The upload is larger than expected: ${sentBytes} bytes are in all parts that the storage allows`)
    this.name = 'UploadOutgrown'
    this.sentBytes = sentBytes
  }
}

/** A retention of the storage (object lock) forbids that the object is removed. */
export class ObjectLocked extends Error {
  /** Null: until somebody ends the legal hold. */
  readonly until: Date | null

  constructor(until: Date | null) {
    super(`The storage keeps the object ${until === null ? 'because of a legal hold' : `until ${until.toISOString()}`}`)
    this.name = 'ObjectLocked'
    this.until = until
  }
}

/** Returns a message for the caller that says what failed and what to do, without a secret. */
export function explain(error: unknown): string {
  if (error instanceof StorageFault) return error.message
  if (error instanceof AbandonedUpload) return `${explain(error.cause)}. ${error.message}`
  return 'The request to the storage failed for an unknown reason'
}
