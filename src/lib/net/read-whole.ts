/** Reads what comes from outside whole, up to a limit: what is larger than memory must not end Berth. */

const MiB = 1024 ** 2

/** The message is a sentence for the caller. */
export class TooLarge extends Error {
  /** `what` names what was read. `maxBytes`: the limit. */
  constructor(what: string, maxBytes: number) {
    const limit = maxBytes < MiB ? `${maxBytes} bytes` : `${Math.floor(maxBytes / MiB)} MiB`
    super(`${what} is larger than ${limit}, the most that Berth reads of it`)
    this.name = 'TooLarge'
  }
}

/** Throws TooLarge, and lets go of the source, once there are more than `maxBytes`. */
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
