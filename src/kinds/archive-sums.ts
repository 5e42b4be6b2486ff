/**
 * Checksums of the rows and statements of an archive. They depend neither on the order of the rows nor on how the
 * archive is cut into chunks. Pure.
 */
import type { ReadingCosts } from './reading-costs.ts'

/** The rows of one table, or the statements that create objects of one type: their number and a checksum. */
export interface Counted {
  rows: number
  checksum: string
}

const [seedA, seedB] = [0x811c9dc5 | 0, 0x2f0b4f27 | 0] as const

/**
 * Two 32-bit hashes over the row's 4-byte words. The words are counted from the beginning of the row, so the result
 * does not depend on how the row is cut into chunks. The hashes detect faults. They do not resist deliberate
 * collisions.
 */
export class RowHash {
  a: number = seedA
  b: number = seedB
  length = 0
  /** The bytes of the incomplete last word. */
  pending = 0

  update(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let { a, b, pending } = this
    let at = from
    for (let count = this.length & 3; count !== 0 && at < to; count = (count + 1) & 3) {
      pending |= bytes[at++]! << (count * 8)
      if (count !== 3) continue
      a = nextA(a, pending)
      b = nextB(b, pending)
      pending = 0
    }
    for (const last = to - 3; at < last; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      a = nextA(a, word)
      b = nextB(b, word)
    }
    for (let shift = 0; at < to; shift += 8) pending |= bytes[at++]! << shift
    this.length += to - from
    this.a = a
    this.b = b
    this.pending = pending
  }

  reset(): void {
    this.a = seedA
    this.b = seedB
    this.length = 0
    this.pending = 0
  }
}

/**
 * Mixes a word into the hash `a`. Rotates the product, because a multiplication carries bits upwards only. `nextB`
 * rotates by another amount.
 */
function nextA(a: number, word: number): number {
  const product = Math.imul(a ^ word, 0xcc9e2d51)
  return (product << 15) | (product >>> 17)
}

function nextB(b: number, word: number): number {
  const product = Math.imul(b ^ word, 0x9e3779b1)
  return (((product << 13) | (product >>> 19)) + 0x561ccd1b) | 0
}

const mixed = (word: number) => {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}

const digits = (word: number) => (word >>> 0).toString(16).padStart(8, '0')

/** Adds row hashes. An exclusive or would not do, because two equal rows would cancel each other out. */
export class RowSum {
  rows = 0
  #a = 0
  #b = 0

  /** Counts the row and resets `hash` for the next row. */
  add(hash: RowHash): void {
    const { length, pending } = hash
    const [a, b] = [nextA(hash.a, pending), nextB(hash.b, pending)]
    this.rows++
    this.#a = (this.#a + mixed(a ^ mixed(b + length))) | 0
    this.#b = (this.#b + mixed(b ^ mixed(a - length))) | 0
    hash.reset()
  }

  counted(): Counted {
    return { rows: this.rows, checksum: digits(this.#a) + digits(this.#b) }
  }
}

/** One RowSum per name. */
export class Sums {
  #costs: ReadingCosts
  #sums = new Map<string, RowSum>()

  constructor(costs: ReadingCosts) {
    this.#costs = costs
  }

  /** @throws BrokenArchive if there are too many names */
  of(name: string): RowSum {
    const existing = this.#sums.get(name)
    if (existing !== undefined) return existing
    const added = new RowSum()
    this.#sums.set(this.#costs.keepName(name), added)
    return added
  }

  /** Sorted by name. The object has no prototype, because a table can have a name such as `toString`. */
  counted(): Record<string, Counted> {
    const all = Object.create(null) as Record<string, Counted>
    for (const name of [...this.#sums.keys()].sort()) all[name] = this.#sums.get(name)!.counted()
    return all
  }
}
