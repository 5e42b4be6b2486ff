/** Reads a stream from outside into memory, up to a limit, so that an endless stream cannot exhaust the memory. */

const MiB = 1024 ** 2

/** The stream is larger than the limit. The message is meant for the caller. */
export class TooLarge extends Error {
  /** @param what the name of the source, with which the message begins */
  constructor(what: string, maxBytes: number) {
    const limit = maxBytes < MiB ? `${maxBytes} bytes` : `${Math.floor(maxBytes / MiB)} MiB`
    super(`${what} is larger than ${limit}, the maximum that Berth reads`)
    this.name = 'TooLarge'
  }
}

/**
 * Reads `source` to its end.
 * @param what the name of the source in the message of TooLarge
 * @throws TooLarge if the source has more than `maxBytes`. The source is closed then
 */
export async function readWhole(source: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of source) {
    bytes += piece.length
    if (bytes > maxBytes) throw new TooLarge(what, maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
