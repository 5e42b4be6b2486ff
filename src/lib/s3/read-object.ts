/** Reads a whole object. After a broken connection, continues at the same position of the same version. */
import type { Readable } from 'node:stream'
import { StorageFault, type Verb } from './faults.ts'
import type { Failures, WaitForRetry } from './retries.ts'

/** The answer to a request for the rest of an object. */
export interface OpenedObject {
  body: Readable
  /** The number of bytes in `body`. */
  sizeBytes: number
  etag: string | null
  /** The header Content-Range; null: the answer has none. */
  range: string | null
}

/** The part of a connection that reading needs. */
interface Reader {
  idleMs: number
  waitForRetry: WaitForRetry
  faultOf(error: unknown, verb: Verb): StorageFault
  timeoutFault(verb: Verb): StorageFault
}

/** How far an object was read, and its version. */
interface ReadPosition {
  at: number
  sizeBytes: number
  etag: string | null
}

/**
 * @param open requests the object from a position on, and only the version with this etag. Makes one attempt
 * @throws StorageFault, or the reason of the signal
 */
export async function* readObject(
  connection: Reader,
  open: (at: number, etag: string | null) => Promise<OpenedObject>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const position: ReadPosition = { at: 0, sizeBytes: -1, etag: null }
  let failures: Failures = { count: 0, since: 0 }
  while (position.at !== position.sizeBytes) {
    const startPosition = position.at
    try {
      yield* readFrom(connection, await open(position.at, position.etag), position)
    } catch (error) {
      signal.throwIfAborted()
      if (position.at > startPosition || failures.count === 0) failures = { count: 0, since: performance.now() }
      failures.count++
      await connection.waitForRetry(connection.faultOf(error, 'read'), failures, signal)
    }
  }
}

/** Reads until the end or until the connection breaks. */
async function* readFrom(
  connection: Reader,
  { body, sizeBytes, etag, range }: OpenedObject,
  position: ReadPosition,
): AsyncGenerator<Buffer> {
  try {
    if (position.at === 0) Object.assign(position, { sizeBytes, etag })
    else if (range?.startsWith(`bytes ${position.at}-`) !== true) {
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
async function* withIdleTimeout(body: Readable, connection: Reader, position: ReadPosition): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => body.destroy(connection.timeoutFault('read')), connection.idleMs)
    const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
    if (done === true) return
    position.at += (value as Buffer).length
    yield value as Buffer
  }
}
