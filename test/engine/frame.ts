/** Builds a frame of Docker's log format, with the stream number, the length and the content. */
export function frame(stream: number, piece: string | Buffer): Buffer {
  const body = Buffer.from(piece)
  const header = Buffer.alloc(8)
  header.writeUInt8(stream, 0)
  header.writeUInt32BE(body.length, 4)
  return Buffer.concat([header, body])
}
