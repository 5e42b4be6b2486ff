/**
 * Cuts an upload into parts, and reuses the memory in which parts are collected. All parts of an upload except the last
 * have the same size, because some storages refuse other uploads (Cloudflare R2:
 * developers.cloudflare.com/r2/objects/multipart-objects).
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

const MiB = 1024 ** 2

/** How many parts an upload may have. Source: docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html. */
export const maxParts = 10_000
/** Large enough for an upload of 107 GiB whose size is not known before. */
const minPartBytes = 11 * MiB
/** The largest part that S3 accepts. */
const maxPartBytes = 5 * 1024 * MiB
/** How much larger than expected an upload may be. */
const margin = 1.5

/**
 * The size of the parts of an upload, in bytes. An upload takes the memory of two parts: at most 32 MiB if 100 GiB are
 * expected and 10,000 parts are allowed.
 *
 * @param expectedBytes the expected size of the upload, such as the size of the last one; 0: unknown
 * @param parts how many parts the storage allows
 */
export function partSizeFor(expectedBytes: number, parts = maxParts): number {
  const needed = Math.ceil((expectedBytes * margin) / parts / MiB) * MiB
  return Math.min(Math.max(minPartBytes, needed), maxPartBytes)
}

const blockSize = MiB / 4

/** A part, collected in memory. */
export interface Part {
  number: number
  sizeBytes: number
  blocks: readonly Buffer[]
  /** SHA-256, hexadecimal. The signature covers it, so the storage rejects a part that changed in transit. */
  sha256: string
  /** MD5, base64. Storages require it, or another checksum, for a bucket with object lock. */
  md5: string
}

export interface Collector {
  /** Returns the next part, or null at the end. The first part can be empty. */
  next(): Promise<Part | null>
  /** Reuses the memory of a sent part for later parts. */
  release(part: Part): void
  /** Closes the source before its end. */
  stop(): Promise<void>
}

/**
 * Cuts the source into parts. The chunks of the source are copied into blocks of equal size, because a part that
 * referred to the chunks themselves would keep their whole buffers in memory.
 *
 * @param partBytes the size of each part except the last
 */
export function collectParts(source: AsyncIterable<Buffer>, partBytes: number): Collector {
  const chunks = source[Symbol.asyncIterator]()
  const freeBlocks: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  let hasEnded = false
  let lastNumber = 0
  return {
    next,
    release: ({ blocks }) => void freeBlocks.push(...blocks.map((block) => Buffer.from(block.buffer as ArrayBuffer))),
    async stop() {
      if (!hasEnded) await chunks.return?.()
    },
  }

  async function next(): Promise<Part | null> {
    const number = lastNumber + 1
    const hashes = [createHash('sha256'), createHash('md5')] as const
    const blocks: Buffer[] = []
    let sizeBytes = 0
    while (sizeBytes < partBytes) {
      const block = await fill(Math.min(blockSize, partBytes - sizeBytes))
      if (block === null) break
      for (const hash of hashes) hash.update(block)
      blocks.push(block)
      sizeBytes += block.length
    }
    if (sizeBytes === 0 && number > 1) return null
    lastNumber = number
    const [sha256, md5] = hashes
    return { number, sizeBytes, blocks, sha256: sha256.digest('hex'), md5: md5.digest('base64') }
  }

  /** Returns a block of this length, a shorter one at the end of the source, or null after the end. */
  async function fill(length: number): Promise<Buffer | null> {
    let block: Buffer | null = null
    let at = 0
    while (at < length) {
      if (rest.length === 0 && !(await readChunk())) break
      block ??= freeBlocks.pop() ?? Buffer.allocUnsafeSlow(blockSize)
      const taken = rest.copy(block, at, 0, length - at)
      rest = rest.subarray(taken)
      at += taken
    }
    return block?.subarray(0, at) ?? null
  }

  async function readChunk(): Promise<boolean> {
    if (hasEnded) return false
    const { done, value } = await chunks.next()
    hasEnded = done === true
    if (!hasEnded) rest = value as Buffer
    return !hasEnded
  }
}

/**
 * Returns the bytes of a part as a stream.
 * @param onTaken called each time the reader takes bytes
 */
export function streamOf({ blocks }: Part, onTaken: () => void): Readable {
  let at = 0
  return new Readable({
    highWaterMark: blockSize,
    read() {
      onTaken()
      this.push(blocks[at++] ?? null)
    },
  })
}
