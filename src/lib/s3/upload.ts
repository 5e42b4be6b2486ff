/** Uploads an object of unknown length in parts: sends a few parts at the same time and retries each of them. */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { AbandonedUpload, isNoConnection, StorageFault, UploadOutgrown } from '../storage/faults.ts'
import type { Upload, UploadOptions } from '../storage/storage.ts'
import type { Connection } from './connection.ts'
import { collectParts, type Part, partSizeFor, streamOf } from './parts.ts'

interface UploadTarget {
  Bucket: string
  Key: string
  UploadId: string
}
interface SentPart {
  PartNumber: number
  ETag: string | undefined
}

/** The timeout for completion. Storages assemble the parts before they answer. */
const completeMs = 600_000
/** The timeout for the abort of a failed upload, for all attempts together. */
const abortMs = 30_000
/** How long a failed upload waits for parts in transit. */
const graceMs = 3000
/** The wait after an abort before the check that the upload is gone. Each later wait is twice as long. */
const abortRetryMs = 100

/** See `Storage.upload`. */
export async function uploadOn(
  connection: Connection,
  Key: string,
  source: AsyncIterable<Buffer>,
  options: UploadOptions,
): Promise<{ sizeBytes: number }> {
  const { signal, onBegun } = options
  const target = await begin(connection, Key, options)
  try {
    await onBegun?.(target.UploadId)
    const { sentParts, sizeBytes } = await sendAll(connection, target, source, options)
    await complete(connection, target, sentParts, sizeBytes, signal)
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
async function begin(connection: Connection, Key: string, { signal }: UploadOptions): Promise<UploadTarget> {
  const Bucket = connection.bucket
  let attempts = 0
  try {
    const { UploadId = '' } = await connection.ask('write', signal, ({ sdk, client, options }) => {
      attempts++
      return client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }), options)
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

async function sendAll(
  connection: Connection,
  target: UploadTarget,
  source: AsyncIterable<Buffer>,
  { signal, onProgress, expectedBytes = 0 }: UploadOptions,
) {
  const { maxParts } = connection
  const parts = collectParts(source, partSizeFor(expectedBytes, maxParts))
  const stop = new AbortController()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const inTransit = new Set<Promise<void>>()
  const sentParts: SentPart[] = []
  let [sizeBytes, sentBytes] = [0, 0]
  const send = async (part: Part) => {
    sentParts.push({ PartNumber: part.number, ETag: await sendPart(connection, target, part, stop.signal) })
    parts.release(part)
    sentBytes += part.sizeBytes
    onProgress?.(sentBytes)
  }
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (let number = 1; ; number++) {
      // One part is in transit while the next one is collected.
      while (inTransit.size > 1) await Promise.race([...inTransit, failed])
      const part = await Promise.race([parts.next(), failed])
      if (part === null) break
      if (number > maxParts) throw new UploadOutgrown(sizeBytes)
      sizeBytes += part.sizeBytes
      const sending = send(part)
        .catch(reject)
        .finally(() => inTransit.delete(sending))
      inTransit.add(sending)
    }
    while (inTransit.size > 0) await Promise.race([...inTransit, failed])
    await Promise.race([turn(), failed])
    return { sentParts: sentParts.sort((a, b) => a.PartNumber - b.PartNumber), sizeBytes }
  } catch (error) {
    // The abort that follows would not remove parts that the storage is still storing, so they get time to end.
    const grace = setTimeout(() => stop.abort(), graceMs)
    await Promise.all(inTransit)
    clearTimeout(grace)
    parts.stop()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** The SDK cannot hash a stream, so the checksum of the part is set in the header that the signature covers. */
async function sendPart(
  connection: Connection,
  target: UploadTarget,
  part: Part,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await connection.ask('write', signal, ({ sdk, client, options, touch }) => {
    const command = new sdk.UploadPartCommand({
      ...target,
      PartNumber: part.number,
      ContentLength: part.sizeBytes,
      ContentMD5: part.md5,
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
  return answer.ETag
}

/**
 * Completes the upload. If the answer is lost, the retry finds no upload. Then the object has to exist with the
 * expected size.
 */
async function complete(
  connection: Connection,
  target: UploadTarget,
  Parts: SentPart[],
  sizeBytes: number,
  signal: AbortSignal,
) {
  const { Bucket, Key } = target
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

/** See `Storage.abortUpload`. */
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

/** See `Storage.listUploads`. */
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
