/** Uploads in parts, of a length that nobody knows before: a few parts under way, each tried until it is there. */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { isNoConnection, LeftUpload, StorageFault } from './faults.ts'
import type { Line } from './connection.ts'
import { atOnce, collectParts, maxParts, type Part, streamOf } from './parts.ts'

export interface UploadOptions {
  signal: AbortSignal
  metadata?: Record<string, string>
  /** Bytes that the storage has taken, after each part. */
  onProgress?: (sentBytes: number) => void
  /** Before the first part: whoever keeps the id can abort the upload after a crash. */
  onBegun?: (uploadId: string) => Promise<void> | void
}

export interface Upload {
  key: string
  uploadId: string
  startedAt: Date | null
}

interface Place {
  Bucket: string
  Key: string
  UploadId: string
}
interface Sent {
  PartNumber: number
  ETag: string | undefined
}

/** Storages put the parts together before they answer. */
const completeMs = 600_000
/** Of the abort of an upload that failed, all attempts together. */
const abortMs = 30_000
/** For parts that are under way when all is over. */
const graceMs = 3000
/** Until it is looked whether it is gone; then ever longer. */
const abortAgainMs = 100

/** See `Bucket.upload`. */
export async function uploadOn(
  line: Line,
  Key: string,
  source: AsyncIterable<Buffer>,
  options: UploadOptions,
): Promise<{ sizeBytes: number }> {
  const { signal, onBegun } = options
  const place = await begin(line, Key, options)
  try {
    await onBegun?.(place.UploadId)
    const { sent, sizeBytes } = await sendAll(line, place, source, options)
    await complete(line, place, sent, sizeBytes, signal)
    return { sizeBytes }
  } catch (error) {
    if (isNoConnection(error)) throw new LeftUpload(place.UploadId, error)
    await abortWhole(line, Key, place.UploadId, AbortSignal.timeout(abortMs)).catch(() => {
      throw new LeftUpload(place.UploadId, error)
    })
    throw error
  }
}

/**
 * A part that the storage was still putting away when the upload was aborted may bring it back: it is aborted until it
 * is not listed. Source: docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html.
 */
async function abortWhole(line: Line, key: string, uploadId: string, signal: AbortSignal): Promise<void> {
  for (let again = 0; ; again++) {
    await abortUploadOn(line, key, uploadId, signal)
    await pause(abortAgainMs * 2 ** again, undefined, { signal })
    if (!(await isListed(line, key, uploadId, signal))) return
  }
}

/** Whoever may not list is not told. */
async function isListed(line: Line, key: string, uploadId: string, signal: AbortSignal): Promise<boolean> {
  const found = await listUploadsOn(line, key, signal).catch((error: unknown) => {
    if (error instanceof StorageFault && error.kind !== 'missing' && !error.isPassing) return []
    throw error
  })
  return found.some((it) => it.uploadId === uploadId)
}

/** An answer that was lost may stand for an upload whose id nobody knows. */
async function begin(line: Line, Key: string, { signal, metadata = {} }: UploadOptions): Promise<Place> {
  const Bucket = line.bucket
  let asked = 0
  try {
    const { UploadId = '' } = await line.ask('write', signal, ({ sdk, client, options }) => {
      asked++
      return client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key, Metadata: metadata }), options)
    })
    if (asked > 1) await abortOthers(line, Key, UploadId)
    return { Bucket, Key, UploadId }
  } catch (error) {
    const isUnknown = signal.aborted || (error instanceof StorageFault && error.isPassing)
    if (asked > 0 && isUnknown && !isNoConnection(error)) await abortOthers(line, Key, '')
    throw error
  }
}

/** As far as the storage lets it: an upload without a part takes no room, so that it stays is no failure. */
async function abortOthers(line: Line, key: string, own: string): Promise<void> {
  const signal = AbortSignal.timeout(abortMs)
  const found = await listUploadsOn(line, key, signal).catch(() => [])
  const others = found.filter((it) => it.key === key && it.uploadId !== own)
  await Promise.allSettled(others.map(({ uploadId }) => abortUploadOn(line, key, uploadId, signal)))
}

async function sendAll(line: Line, place: Place, source: AsyncIterable<Buffer>, { signal, onProgress }: UploadOptions) {
  const parts = collectParts(source)
  const stop = new AbortController()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const underWay = new Set<Promise<void>>()
  const sent: Sent[] = []
  let [sizeBytes, sentBytes] = [0, 0]
  const send = async (part: Part) => {
    sent.push({ PartNumber: part.number, ETag: await sendPart(line, place, part, stop.signal) })
    parts.release(part)
    sentBytes += part.sizeBytes
    onProgress?.(sentBytes)
  }
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (let number = 1; ; number++) {
      while (underWay.size > atOnce(number)) await Promise.race([...underWay, failed])
      const part = await Promise.race([parts.next(), failed])
      if (part === null) break
      if (number > maxParts) throw new StorageFault('answer', 'It is larger than an object can be, which is 5 TiB')
      sizeBytes += part.sizeBytes
      const sending = send(part)
        .catch(reject)
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    }
    while (underWay.size > 0) await Promise.race([...underWay, failed])
    await Promise.race([turn(), failed])
    return { sent: sent.sort((a, b) => a.PartNumber - b.PartNumber), sizeBytes }
  } catch (error) {
    // The abort that follows would not take away what the storage is still putting away: it gets the time for that.
    const grace = setTimeout(() => stop.abort(), graceMs)
    await Promise.all(underWay)
    clearTimeout(grace)
    parts.stop()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** The stream of blocks has no checksum of its own: the signature is over the part's. */
async function sendPart(line: Line, place: Place, part: Part, signal: AbortSignal): Promise<string | undefined> {
  const answer = await line.ask('write', signal, ({ sdk, client, options, touch }) => {
    const command = new sdk.UploadPartCommand({
      ...place,
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
  return answer.ETag
}

/** An answer that was lost is asked for again: then the upload is gone and the object has to be there. */
async function complete(line: Line, place: Place, Parts: Sent[], sizeBytes: number, signal: AbortSignal) {
  const { Bucket, Key } = place
  try {
    await line.ask(
      'write',
      signal,
      ({ sdk, client, options }) =>
        client.send(new sdk.CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } }), options),
      { idleMs: Math.max(line.idleMs, completeMs) },
    )
  } catch (error) {
    if (!(error instanceof StorageFault) || error.kind !== 'missing') throw error
    const { ContentLength } = await line.ask('read', signal, ({ sdk, client, options }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket, Key }), options),
    )
    if (ContentLength !== sizeBytes) throw error
  }
}

/** See `Bucket.abortUpload`. */
export async function abortUploadOn(line: Line, Key: string, UploadId: string, signal: AbortSignal): Promise<void> {
  try {
    await line.ask('delete', signal, ({ sdk, client, options }) =>
      client.send(new sdk.AbortMultipartUploadCommand({ Bucket: line.bucket, Key, UploadId }), options),
    )
  } catch (error) {
    if (!(error instanceof StorageFault) || error.kind !== 'missing') throw error
  }
}

/** See `Bucket.listUploads`. */
export async function listUploadsOn(line: Line, Prefix: string, signal: AbortSignal): Promise<Upload[]> {
  const found: Upload[] = []
  let markers: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
  while (markers !== null) {
    const from: { KeyMarker?: string; UploadIdMarker?: string } = markers
    const page = await line.ask('list', signal, ({ sdk, client, options }) =>
      client.send(new sdk.ListMultipartUploadsCommand({ Bucket: line.bucket, Prefix, ...from }), options),
    )
    found.push(
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
  return found
}
