/**
 * How an upload of unknown length is cut into parts, and the memory that they are collected in. The limits are those of
 * docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html: 10,000 parts, each of 5 MiB to 5 GiB, 5 TiB in all.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

const MiB = 1024 ** 2

export const maxParts = 10_000
/**
 * What the parts of one upload take in memory at most, up to 100 GiB (15 MiB of it up to 6 GiB); beyond that two
 * parts, however large they are.
 */
export const partsMemory = 32 * MiB

/** Small ones first, two under way; then, up to 100 GiB, of thrice the size; then each a little larger. */
const small = { size: 5 * MiB, upTo: 1300, atOnce: 2 }
const middle = { size: 16 * MiB, upTo: 7424, atOnce: 1 }
const growth = 1600 * 1024

/** Bytes of the part of this number, the first being 1. All of them hold 5,206 GiB, and the last one 4,041 MiB. */
export function partSize(number: number): number {
  if (number <= small.upTo) return small.size
  if (number <= middle.upTo) return middle.size
  return middle.size + (number - middle.upTo) * growth
}

/** How many parts may be on their way while the part of this number is collected. */
export const atOnce = (number: number): number => (number <= small.upTo ? small.atOnce : middle.atOnce)

const blockSize = MiB / 4

/** One part, collected. */
export interface Part {
  number: number
  sizeBytes: number
  blocks: readonly Buffer[]
  /** SHA-256, hexadecimal: the signature has it, so the storage refuses what came otherwise. */
  sha256: string
}

export interface Collector {
  /** The next part; null when there is no more. The first one may be empty. */
  next(): Promise<Part | null>
  /** The part is not needed any more: its memory is used for others. */
  release(part: Part): void
  /** Nothing more is wanted from the source. */
  stop(): Promise<void>
}

/** Copies what comes into blocks of its own, so that a part holds its own bytes and nothing else. */
export function collectParts(source: AsyncIterable<Buffer>): Collector {
  const chunks = source[Symbol.asyncIterator]()
  const spare: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  let hasEnded = false
  let last = 0
  return {
    next,
    release: ({ blocks }) => void spare.push(...blocks.map((block) => Buffer.from(block.buffer as ArrayBuffer))),
    async stop() {
      if (!hasEnded) await chunks.return?.()
    },
  }

  async function next(): Promise<Part | null> {
    const number = last + 1
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
    last = number
    return { number, sizeBytes, blocks, sha256: hash.digest('hex') }
  }

  /** A block of this length, or of less at the end; null where nothing is left. */
  async function fill(length: number): Promise<Buffer | null> {
    let block: Buffer | null = null
    let at = 0
    while (at < length) {
      if (rest.length === 0 && !(await more())) break
      block ??= spare.pop() ?? Buffer.allocUnsafeSlow(blockSize)
      const taken = rest.copy(block, at, 0, length - at)
      rest = rest.subarray(taken)
      at += taken
    }
    return block?.subarray(0, at) ?? null
  }

  async function more(): Promise<boolean> {
    if (hasEnded) return false
    const { done, value } = await chunks.next()
    hasEnded = done === true
    if (!hasEnded) rest = value as Buffer
    return !hasEnded
  }
}

/** The bytes of a part as a stream that is read once; `onTaken` is called whenever some of them were taken. */
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
