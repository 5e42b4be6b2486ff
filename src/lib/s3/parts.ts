/**
 * Cuts an upload of unknown length into parts, and reuses the memory in which parts are collected. S3 limits an upload
 * to 10,000 parts of 5 MiB to 5 GiB each, and to 5 TiB in total. Source:
 * docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

const MiB = 1024 ** 2

export const maxParts = 10_000
/**
 * The most memory in bytes that the parts of one upload of up to 100 GiB take. The parts of an upload of up to 6 GiB
 * take only 15 MiB. An upload of more than 100 GiB takes the memory of two parts.
 */
export const partsMemory = 32 * MiB

/**
 * The first parts are small, and two are sent at the same time. Up to 100 GiB, later parts have about three times the
 * size. After that each part is larger than the part before.
 */
const small = { size: 5 * MiB, upTo: 1300, atOnce: 2 }
const middle = { size: 16 * MiB, upTo: 7424, atOnce: 1 }
const growth = 1600 * 1024

/**
 * Returns the size of a part in bytes. All parts together have 5,206 GiB. The last part has 4,041 MiB.
 * @param number from 1
 */
export function partSize(number: number): number {
  if (number <= small.upTo) return small.size
  if (number <= middle.upTo) return middle.size
  return middle.size + (number - middle.upTo) * growth
}

/** Returns how many parts can be in transit while the part of this number is collected. */
export const atOnce = (number: number): number => (number <= small.upTo ? small.atOnce : middle.atOnce)

const blockSize = MiB / 4

/** A part, collected in memory. */
export interface Part {
  number: number
  sizeBytes: number
  blocks: readonly Buffer[]
  /** SHA-256, hexadecimal. The signature covers it, so the storage rejects a part that changed in transit. */
  sha256: string
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
 */
export function collectParts(source: AsyncIterable<Buffer>): Collector {
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
    const size = partSize(number)
    const hash = createHash('sha256')
    const blocks: Buffer[] = []
    let sizeBytes = 0
    while (sizeBytes < size) {
      const block = await fill(Math.min(blockSize, size - sizeBytes))
      if (block === null) break
      hash.update(block)
      blocks.push(block)
      sizeBytes += block.length
    }
    if (sizeBytes === 0 && number > 1) return null
    lastNumber = number
    return { number, sizeBytes, blocks, sha256: hash.digest('hex') }
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
