/**
 * What a reader of archives spends: steps of work, and bytes that it keeps. A hostile archive can be of any form, so a
 * reader does bounded work for each byte, and refuses an archive of which it would have to keep more.
 */
import { BrokenArchive } from './backup.ts'

/** The most that a reader keeps of any archive, with its largest statement or document. */
export const maxKeptBytes = 64 * 1024 * 1024
/** The part of it for the names of tables, types of objects and roles. Enough for more than 100,000 tables. */
const maxNameBytes = 40 * 1024 * 1024
/** An estimate of what an entry of a map needs besides its name, with its part of the result. */
const entryBytes = 256

export class ReadingCosts {
  /**
   * The work so far. A step examines one byte or character once, or is a piece of work that is independent of the
   * archive. Work that passes over the same text several times counts it each time.
   */
  steps = 0
  /** The bytes that are kept now. */
  keptBytes = 0
  #nameBytes = 0

  /**
   * Accounts for a name that is kept until the end.
   * @returns a copy, because a part of a long string can keep all of that string in memory
   * @throws BrokenArchive
   */
  keepName(name: string): string {
    const bytes = entryBytes + 2 * name.length
    this.#nameBytes += bytes
    if (this.#nameBytes > maxNameBytes) {
      const max = `Berth keeps at most ${maxNameBytes / 1024 / 1024} MiB of names`
      throw new BrokenArchive(`The archive names too many tables, roles or types of objects: ${max}`)
    }
    this.keptBytes += bytes
    this.steps += entryBytes + name.length
    return Buffer.from(name, 'utf16le').toString('utf16le')
  }
}

/** A buffer of this size is kept for the next text. */
const reusedBytes = 64 * 1024

/** Bytes of a text that arrive in pieces of any size. Keeps them in one buffer, because many small ones need more. */
export class KeptBytes {
  #costs: ReadingCosts
  #maxBytes: number
  #buffer = Buffer.alloc(0)
  length = 0

  constructor(costs: ReadingCosts, maxBytes: number) {
    this.#costs = costs
    this.#maxBytes = maxBytes
  }

  /** Keeps the bytes as far as there is room. Returns the position of the first byte that is not kept. */
  add(chunk: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#maxBytes - this.length)
    if (end <= from) return from
    const needed = this.length + end - from
    if (needed > this.#buffer.length) this.#resize(Math.min(Math.max(needed, 2 * this.length, 1024), this.#maxBytes))
    chunk.copy(this.#buffer, this.length, from, end)
    this.length = needed
    return end
  }

  /** The kept bytes. Valid until the next change. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  text(): string {
    this.#costs.steps += this.length
    return this.#buffer.toString('utf8', 0, this.length)
  }

  clear(): void {
    this.length = 0
    if (this.#buffer.length > reusedBytes) this.#resize(0)
  }

  /** Copying costs as much as what was added, because the size at least doubles. */
  #resize(size: number): void {
    const larger = Buffer.allocUnsafeSlow(size)
    this.#buffer.copy(larger, 0, 0, this.length)
    this.#costs.steps += this.length
    this.#costs.keptBytes += size - this.#buffer.length
    this.#buffer = larger
  }
}
