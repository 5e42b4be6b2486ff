/** Streams of a dump on its way: what is counted, compressed and summed up while it passes. Knows no storage. */
import { createHash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { sweeper } from '../lib/garbage.ts'

export type Bytes = AsyncIterable<Buffer>

/**
 * The quickest: on the text of bytes that cannot be compressed, 500 MB/s of one core where zstd's default, 3, makes 70,
 * and a tenth larger on other text. A dump is not to wait for it.
 */
const level = 1
/** Small pieces cost more on their way to the compressor than there. */
const gatheredBytes = 1024 * 1024

/** Calls for each piece that passes. */
export async function* tapped(source: Bytes, tap: (piece: Buffer) => void | Promise<void>): Bytes {
  for await (const piece of source) {
    await tap(piece)
    yield piece
  }
}

export function compressed(source: Bytes): Bytes {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 }
  return through(gathered(source), createZstdCompress({ params, chunkSize: 256 * 1024 }))
}

/** What it yields is good until the next one is asked for. */
async function* gathered(source: Bytes): Bytes {
  const buffer = Buffer.allocUnsafeSlow(gatheredBytes)
  let filled = 0
  for await (let piece of source) {
    while (piece.length > 0) {
      const taken = piece.copy(buffer, filled)
      filled += taken
      piece = piece.subarray(taken)
      if (filled < gatheredBytes) continue
      yield buffer
      filled = 0
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}

/** Throws where the source is cut off or changed: frames end, and have a checksum. */
export const decompressed = (source: Bytes): Bytes => through(source, createZstdDecompress({ chunkSize: 256 * 1024 }))

/** An error on either side ends both. A piece has been taken in when the next one is asked for. */
async function* through(source: Bytes, transform: Transform): Bytes {
  const sweep = sweeper()
  const fed = feed(source, transform, sweep)
  fed.catch((error: unknown) => transform.destroy(error as Error))
  try {
    for await (const piece of transform as AsyncIterable<Buffer>) {
      yield piece
      sweep(piece.length)
    }
    await fed
  } finally {
    transform.destroy()
  }
}

async function feed(source: Bytes, transform: Transform, sweep: (usedBytes: number) => void): Promise<void> {
  for await (const piece of source) {
    if (transform.destroyed) return
    await new Promise<void>((taken, failed) => {
      transform.write(piece, (error) => (error ? failed(error) : taken()))
    })
    sweep(piece.length)
  }
  transform.end()
}

export interface Sum {
  sizeBytes: number
  sha256: string
}

/** Sums up what passes; `sum` is of all that has. */
export function summed(): { tap(piece: Buffer): void; sum(): Sum } {
  const hash = createHash('sha256')
  let sizeBytes = 0
  return {
    tap(piece) {
      hash.update(piece)
      sizeBytes += piece.length
    },
    sum: () => ({ sizeBytes, sha256: hash.copy().digest('hex') }),
  }
}

/** Reads all of it, and keeps nothing. */
export async function drain(
  source: Bytes,
  see: (piece: Buffer) => void | Promise<void> = () => undefined,
): Promise<void> {
  for await (const piece of source) await see(piece)
}
