/** Parses Docker's format for several outputs on one connection: frames, each with a header of 8 bytes. Pure. */

/**
 * Called for each part of a frame.
 * @param stream 1: standard output, 2: standard error, 3: a message of the engine
 * @param isLast whether the frame ends with this part
 */
export type OnPart = (stream: number, part: Buffer, isLast: boolean) => void

export interface Frames {
  /** Accepts bytes in chunks of any size. */
  (bytes: Buffer): void
  /** Whether the bytes so far end at the end of a frame. */
  isComplete(): boolean
}

/** Calls `onPart` for each part of a frame as the part arrives, without waiting for the rest of the frame. */
export function frames(onPart: OnPart): Frames {
  let header = Buffer.alloc(0)
  let stream = 0
  let left = 0
  const take = (bytes: Buffer) => {
    let rest = bytes
    while (rest.length > 0) {
      if (left > 0) {
        const part = rest.subarray(0, left)
        left -= part.length
        rest = rest.subarray(part.length)
        onPart(stream, part, left === 0)
        continue
      }
      const missingBytes = 8 - header.length
      header = Buffer.concat([header, rest.subarray(0, missingBytes)])
      rest = rest.subarray(missingBytes)
      if (header.length < 8) return
      stream = header.readUInt8(0)
      left = header.readUInt32BE(4)
      header = Buffer.alloc(0)
    }
  }
  return Object.assign(take, { isComplete: () => left === 0 && header.length === 0 })
}
