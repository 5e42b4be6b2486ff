/** Collects the pieces of a stream into batches of equal size. */

/** Yields batches of `batchBytes`; the last one may be shorter. Copies the pieces, which may be parts of larger buffers. */
export async function* batchesOf(source: AsyncIterable<Buffer>, batchBytes: number): AsyncGenerator<Buffer, undefined> {
  let batch = Buffer.allocUnsafeSlow(batchBytes)
  let filled = 0
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      const copied = piece.copy(batch, filled, at)
      filled += copied
      at += copied
      if (filled < batchBytes) continue
      yield batch
      batch = Buffer.allocUnsafeSlow(batchBytes)
      filled = 0
    }
  }
  if (filled > 0) yield batch.subarray(0, filled)
  return undefined
}
