/** A piece of what a container says, as the engine sends it: which output it is of, how long it is, and the piece. */
export function frame(stream: number, piece: string | Buffer): Buffer {
  const body = Buffer.from(piece)
  const header = Buffer.alloc(8)
  header.writeUInt8(stream, 0)
  header.writeUInt32BE(body.length, 4)
  return Buffer.concat([header, body])
}
