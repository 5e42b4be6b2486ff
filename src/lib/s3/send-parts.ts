/** Sends the parts of an upload, a few at the same time. */
import { setImmediate as turn } from 'node:timers/promises'
import { StorageFault } from './faults.ts'
import { atOnce, collectParts, maxParts, type Part } from './parts.ts'

export interface SentPart {
  number: number
  etag: string
}

/** All parts of an upload, in their order, and the size of the object. */
export interface SentParts {
  parts: SentPart[]
  sizeBytes: number
}

interface SendOptions {
  signal: AbortSignal
  /** Called after each part with the number of bytes that the storage has received. */
  onProgress?: (sentBytes: number) => void
}

/** How long a failed upload waits for parts in transit. */
const graceMs = 3000

/** @param send sends a part, with retries, and resolves with its etag */
export async function sendParts(
  source: AsyncIterable<Buffer>,
  send: (part: Part, signal: AbortSignal) => Promise<string>,
  { signal, onProgress }: SendOptions,
): Promise<SentParts> {
  const collected = collectParts(source)
  const stop = new AbortController()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const inTransit = new Set<Promise<void>>()
  const parts: SentPart[] = []
  let [sizeBytes, sentBytes] = [0, 0]
  const sendOne = async (part: Part) => {
    parts.push({ number: part.number, etag: await send(part, stop.signal) })
    collected.release(part)
    sentBytes += part.sizeBytes
    onProgress?.(sentBytes)
  }
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (let number = 1; ; number++) {
      while (inTransit.size > atOnce(number)) await Promise.race([...inTransit, failed])
      const part = await Promise.race([collected.next(), failed])
      if (part === null) break
      if (number > maxParts)
        throw new StorageFault('answer', 'The upload is larger than 5 TiB, the maximum size of an object')
      sizeBytes += part.sizeBytes
      const sending = sendOne(part)
        .catch(reject)
        .finally(() => inTransit.delete(sending))
      inTransit.add(sending)
    }
    while (inTransit.size > 0) await Promise.race([...inTransit, failed])
    await Promise.race([turn(), failed])
    return { parts: parts.sort((a, b) => a.number - b.number), sizeBytes }
  } catch (error) {
    // The abort that follows would not remove parts that the storage is still storing, so they get time to end.
    const grace = setTimeout(() => stop.abort(), graceMs)
    await Promise.all(inTransit)
    clearTimeout(grace)
    collected.stop()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
