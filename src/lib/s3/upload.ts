/** Uploads an object of unknown length in parts. */
import { setTimeout as pause } from 'node:timers/promises'
import { isNoConnection, AbandonedUpload, StorageFault } from './faults.ts'
import type { Connection } from './connection.ts'
import { type Part, streamOf } from './parts.ts'
import { sendParts, type SentPart, type SentParts } from './send-parts.ts'

export interface UploadOptions {
  signal: AbortSignal
  metadata?: Record<string, string>
  /** Called after each part with the number of bytes that the storage has received. */
  onProgress?: (sentBytes: number) => void
  /** Called before the first part. Store the ID to be able to abort the upload after a crash. */
  onBegun?: (uploadId: string) => Promise<void> | void
}

export interface Upload {
  key: string
  uploadId: string
  startedAt: Date | null
}

export interface UploadTarget {
  Bucket: string
  Key: string
  UploadId: string
}

/** The timeout for completion. Storages assemble the parts before they answer. */
const completeMs = 600_000
/** The timeout for the abort of a failed upload, for all attempts together. */
const abortMs = 30_000
/** The wait after an abort before the check that the upload is gone. Each later wait is twice as long. */
const abortRetryMs = 100

/** See `Bucket.upload`. */
export const uploadOn = (
  connection: Connection,
  Key: string,
  source: AsyncIterable<Buffer>,
  options: UploadOptions,
): Promise<{ sizeBytes: number }> =>
  uploadWith(connection, Key, options, (target) =>
    sendParts(source, (part, signal) => sendPart(connection, target, part, signal), options),
  )

/** Begins an upload, and completes it when `send` has sent all parts. If anything fails, aborts the upload. */
export async function uploadWith(
  connection: Connection,
  Key: string,
  options: UploadOptions,
  send: (target: UploadTarget) => Promise<SentParts>,
): Promise<{ sizeBytes: number }> {
  const { signal, onBegun } = options
  const target = await begin(connection, Key, options)
  try {
    await onBegun?.(target.UploadId)
    const { parts, sizeBytes } = await send(target)
    await complete(connection, target, parts, sizeBytes, signal)
    return { sizeBytes }
  } catch (error) {
    if (isNoConnection(error)) throw new AbandonedUpload(target.UploadId, error)
    await abortUntilGone(connection, Key, target.UploadId, AbortSignal.timeout(abortMs)).catch(() => {
      throw new AbandonedUpload(target.UploadId, error)
    })
    throw error
  }
}

/**
 * Repeats the abort until the upload is no longer listed: a part that the storage was still storing during the abort
 * can bring the upload back. Source: docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html.
 */
async function abortUntilGone(
  connection: Connection,
  key: string,
  uploadId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    await abortUploadOn(connection, key, uploadId, signal)
    await pause(abortRetryMs * 2 ** attempt, undefined, { signal })
    if (!(await isListed(connection, key, uploadId, signal))) return
  }
}

async function isListed(connection: Connection, key: string, uploadId: string, signal: AbortSignal): Promise<boolean> {
  const uploads = await listUploadsOn(connection, key, signal).catch((error: unknown) => {
    // The access key may lack the right to list uploads.
    if (error instanceof StorageFault && error.kind !== 'missing' && !error.isTransient) return []
    throw error
  })
  return uploads.some((it) => it.uploadId === uploadId)
}

/** Begins an upload, and aborts uploads whose ID is unknown because the storage's answer was lost. */
async function begin(
  connection: Connection,
  Key: string,
  { signal, metadata = {} }: UploadOptions,
): Promise<UploadTarget> {
  const Bucket = connection.bucket
  let attempts = 0
  try {
    const { UploadId = '' } = await connection.ask('write', signal, ({ sdk, client, options }) => {
      attempts++
      return client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key, Metadata: metadata }), options)
    })
    if (attempts > 1) await abortOthers(connection, Key, UploadId)
    return { Bucket, Key, UploadId }
  } catch (error) {
    const isUnknown = signal.aborted || (error instanceof StorageFault && error.isTransient)
    if (attempts > 0 && isUnknown && !isNoConnection(error)) await abortOthers(connection, Key, '')
    throw error
  }
}

/** Aborts all uploads of the key except `own`. Ignores failures, because an upload without parts takes no space. */
async function abortOthers(connection: Connection, key: string, own: string): Promise<void> {
  const signal = AbortSignal.timeout(abortMs)
  const uploads = await listUploadsOn(connection, key, signal).catch(() => [])
  const others = uploads.filter((it) => it.key === key && it.uploadId !== own)
  await Promise.allSettled(others.map(({ uploadId }) => abortUploadOn(connection, key, uploadId, signal)))
}

/** The SDK cannot hash a stream, so the checksum of the part is set in the header that the signature covers. */
async function sendPart(
  connection: Connection,
  target: UploadTarget,
  part: Part,
  signal: AbortSignal,
): Promise<string> {
  const answer = await connection.ask('write', signal, ({ sdk, client, options, touch }) => {
    const command = new sdk.UploadPartCommand({
      ...target,
      PartNumber: part.number,
      ContentLength: part.sizeBytes,
      Body: part.sizeBytes === 0 ? Buffer.alloc(0) : streamOf(part, touch),
    })
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> }
        headers['x-amz-content-sha256'] = part.sha256
        return next(args)
      },
      { step: 'build', name: 'checksumOfPart' },
    )
    return client.send(command, options)
  })
  return answer.ETag ?? ''
}

/**
 * Completes the upload. If the answer is lost, the retry finds no upload. Then the object has to exist with the
 * expected size.
 */
async function complete(
  connection: Connection,
  target: UploadTarget,
  parts: readonly SentPart[],
  sizeBytes: number,
  signal: AbortSignal,
) {
  const { Bucket, Key } = target
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
  try {
    await connection.ask(
      'write',
      signal,
      ({ sdk, client, options }) =>
        client.send(new sdk.CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } }), options),
      { idleMs: Math.max(connection.idleMs, completeMs) },
    )
  } catch (error) {
    if (!(error instanceof StorageFault) || error.kind !== 'missing') throw error
    const { ContentLength } = await connection.ask('read', signal, ({ sdk, client, options }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket, Key }), options),
    )
    if (ContentLength !== sizeBytes) throw error
  }
}

/** See `Bucket.abortUpload`. */
export async function abortUploadOn(
  connection: Connection,
  Key: string,
  UploadId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await connection.ask('delete', signal, ({ sdk, client, options }) =>
      client.send(new sdk.AbortMultipartUploadCommand({ Bucket: connection.bucket, Key, UploadId }), options),
    )
  } catch (error) {
    if (!(error instanceof StorageFault) || error.kind !== 'missing') throw error
  }
}

/** See `Bucket.listUploads`. */
export async function listUploadsOn(connection: Connection, Prefix: string, signal: AbortSignal): Promise<Upload[]> {
  const uploads: Upload[] = []
  let markers: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
  while (markers !== null) {
    const from: { KeyMarker?: string; UploadIdMarker?: string } = markers
    const page = await connection.ask('list', signal, ({ sdk, client, options }) =>
      client.send(new sdk.ListMultipartUploadsCommand({ Bucket: connection.bucket, Prefix, ...from }), options),
    )
    uploads.push(
      ...(page.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated = null }) => ({
        key: Key,
        uploadId: UploadId,
        startedAt: Initiated,
      })),
    )
    markers =
      page.IsTruncated !== true
        ? null
        : {
            ...(page.NextKeyMarker && { KeyMarker: page.NextKeyMarker }),
            ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
          }
  }
  return uploads
}
