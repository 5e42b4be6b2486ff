/** Docker's format for two outputs on one connection: frames with a header of 8 bytes. Pure. */

/** 1 is the standard output, 2 the standard error, 3 the engine's own word. `isLast`: the frame ends with this part. */
export type OnPart = (stream: number, part: Buffer, isLast: boolean) => void

export interface Frames {
  (bytes: Buffer): void
  /** Whether the bytes so far end where a frame does. */
  isWhole(): boolean
}

/** Takes the bytes in pieces of any size; a frame is passed on as it comes, in one part or in several. */
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
      const missing = 8 - header.length
      header = Buffer.concat([header, rest.subarray(0, missing)])
      rest = rest.subarray(missing)
      if (header.length < 8) return
      stream = header.readUInt8(0)
      left = header.readUInt32BE(4)
      header = Buffer.alloc(0)
    }
  }
  return Object.assign(take, { isWhole: () => left === 0 && header.length === 0 })
}
