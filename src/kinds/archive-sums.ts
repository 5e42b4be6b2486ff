/** Sums over rows that come in any order, in pieces of any size: what a backup's reader says of the data. Pure. */

/** Rows of one table, or statements of one sort. */
export interface Counted {
  rows: number
  checksum: string
}

const [seedA, seedB] = [0x811c9dc5 | 0, 0x2f0b4f27 | 0] as const

/**
 * Two hashes of 32 bits over words of four bytes from the row's beginning, so that it does not matter where the pieces
 * were cut. Against faults only: who wants to can find other rows with the same.
 */
export class RowHash {
  a: number = seedA
  b: number = seedB
  length = 0
  /** The bytes of the last word that is not whole. */
  pending = 0

  update(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let { a, b, pending } = this
    let at = from
    for (let held = this.length & 3; held !== 0 && at < to; held = (held + 1) & 3) {
      pending |= bytes[at++]! << (held * 8)
      if (held !== 3) continue
      a = nextA(a, pending)
      b = nextB(b, pending)
      pending = 0
    }
    for (const last = to - 3; at < last; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      a = nextA(a, word)
      b = nextB(b, word)
    }
    for (let held = 0; at < to; held += 8) pending |= bytes[at++]! << held
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

/** Each turned another way, for a product carries upwards only. */
function nextA(a: number, word: number): number {
  const it = Math.imul(a ^ word, 0xcc9e2d51)
  return (it << 15) | (it >>> 17)
}

function nextB(b: number, word: number): number {
  const it = Math.imul(b ^ word, 0x9e3779b1)
  return (((it << 13) | (it >>> 19)) + 0x561ccd1b) | 0
}

const mixed = (word: number) => {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

const digits = (word: number) => (word >>> 0).toString(16).padStart(8, '0')

/** A sum and no exclusive or, under which equal rows would cancel each other out. */
export class RowSum {
  rows = 0
  #a = 0
  #b = 0

  /** Counts the row, and makes the hash ready for the next. */
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

/** Sums by name. */
export class Sums {
  #sums = new Map<string, RowSum>()

  of(name: string): RowSum {
    const found = this.#sums.get(name)
    if (found !== undefined) return found
    const made = new RowSum()
    this.#sums.set(name, made)
    return made
  }

  /** In the order of the names; without a prototype, for a table may be named as what every object has. */
  counted(): Record<string, Counted> {
    const all = Object.create(null) as Record<string, Counted>
    for (const name of [...this.#sums.keys()].sort()) all[name] = this.#sums.get(name)!.counted()
    return all
  }
}
