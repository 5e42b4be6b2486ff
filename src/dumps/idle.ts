/** Timeouts for tools that transfer no byte. The time that Berth's own end of a stream takes does not count. */
import type { Readable, Writable } from 'node:stream'
import type { Bytes } from './streams.ts'

export interface IdleLimit {
  ms: number
  /** The error of a stream that is ended because of the limit. */
  failure(): Error
}

/** Passes a stream on. Fails if the stream has no byte for the limit's time. */
export async function* withIdleTimeout(stream: Readable, { ms, failure }: IdleLimit): Bytes {
  const pieces = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = setTimeout(() => stream.destroy(failure()), ms)
      const { done, value } = await pieces.next().finally(() => clearTimeout(timer))
      if (done === true) return
      yield value as Buffer
    }
  } finally {
    await pieces.return?.()
  }
}

/** Writes one piece. Fails if the tool does not accept the piece within the limit's time. */
export function writeWithin(stream: Writable, piece: Buffer, { ms, failure }: IdleLimit): Promise<void> {
  const timer = setTimeout(() => stream.destroy(failure()), ms)
  return new Promise<void>((resolve, reject) => {
    stream.write(piece, (error) => (error == null ? resolve() : reject(stream.errored ?? error)))
  }).finally(() => clearTimeout(timer))
}
