/**
 * Checksums of values that do not depend on how a server stores them: neither on the encoding, nor on the order of the
 * members of a set, of a sorted set or of the fields of a hash. Each member is hashed alone, and the hashes are added, so
 * a value of any size needs no memory. Pure.
 */
import { RowHash, RowSum } from '../archive-sums.ts'
import { BrokenArchive } from '../backup.ts'
import type { Items } from './packed.ts'
import type { Sink } from './strings.ts'

const word = Buffer.alloc(8)

/** Adds a whole number to a hash, as 64 bits. */
export function hashNumber(hash: RowHash, value: number | bigint): void {
  if (typeof value === 'bigint') word.writeBigUInt64LE(BigInt.asUintN(64, value))
  else {
    word.writeUInt32LE(value >>> 0)
    word.writeUInt32LE(Math.floor(value / 2 ** 32) >>> 0, 4)
  }
  hash.update(word)
}

function hashDouble(hash: RowHash, value: number): void {
  word.writeDoubleLE(value)
  hash.update(word)
}

/** Adds a checksum to a hash. */
export function hashSum(hash: RowHash, sum: RowSum): void {
  const { rows, checksum } = sum.counted()
  hashNumber(hash, rows)
  hash.update(Buffer.from(checksum, 'latin1'))
}

/** Returns a sink that adds strings to a hash. The length of each precedes it, so `ab`, `c` differs from `a`, `bc`. */
export const hashSink = (hash: RowHash): Sink => ({
  begin: (length) => hashNumber(hash, length),
  bytes: (piece, from, to) => hash.update(piece, from, to),
})

/** Returns a sink that keeps a short string. @throws BrokenArchive if a string is longer than `max` */
export function textSink(max: number): Sink & { text(): string } {
  let text = ''
  return {
    begin(length) {
      if (length > max) throw new BrokenArchive(`The archive has a string of ${length} bytes instead of a short one`)
      text = ''
    },
    bytes(piece, from, to) {
      text += Buffer.from(piece.subarray(from, to)).toString('latin1')
    },
    text: () => text,
  }
}

/** The members of a value. */
export interface Members extends Items {
  /** The value is complete: adds its checksum to the hash of the key. */
  finish(row: RowHash): void
}

/** The elements of a list, in their order. */
export function listMembers(): Members {
  const hash = new RowHash()
  const sum = new RowSum()
  const sink = hashSink(hash)
  let count = 0
  return {
    sink: () => sink,
    end: () => void count++,
    finish(row) {
      hashNumber(row, count)
      sum.add(hash)
      hashSum(row, sum)
    },
  }
}

/** Members that consist of several strings, such as a field and its value. */
abstract class Tuples implements Members {
  readonly hash = new RowHash()
  readonly plain = hashSink(this.hash)
  #sum = new RowSum()
  #size: number
  #position = 0

  /** @param size how many strings a member has */
  constructor(size: number) {
    this.#size = size
  }

  /** @param position the position of the string in the member */
  protected abstract sinkAt(position: number): Sink
  protected abstract endAt(position: number): void

  sink(): Sink {
    return this.sinkAt(this.#position)
  }

  end(): void {
    this.endAt(this.#position)
    if (++this.#position === this.#size) this.next()
  }

  /** The member is complete. */
  next(): void {
    this.#sum.add(this.hash)
    this.#position = 0
  }

  finish(row: RowHash): void {
    if (this.#position !== 0) throw new BrokenArchive('The archive has an incomplete member of a value')
    hashSum(row, this.#sum)
  }
}

/** The members of a set, or the fields of a hash with their values. */
export class PlainMembers extends Tuples {
  protected sinkAt(): Sink {
    return this.plain
  }
  protected endAt(): void {}
}

/** The fields of a hash of which each can expire: field, value and time, or 0. */
export class ExpiringFields extends Tuples {
  #time = textSink(32)

  constructor() {
    super(3)
  }

  protected sinkAt(position: number): Sink {
    return position === 2 ? this.#time : this.plain
  }

  protected endAt(position: number): void {
    if (position === 2) this.expires(BigInt(/^\d+$/.test(this.#time.text()) ? this.#time.text() : 0))
  }

  /** Adds the time at which the field expires, in milliseconds; 0: never. A field that never expires is like others. */
  expires(atMs: bigint): void {
    if (atMs !== 0n) hashNumber(this.hash, atMs)
  }
}

/** The members of a sorted set, each with its score. */
export class ScoredMembers extends Tuples {
  #score = textSink(400)

  constructor() {
    super(2)
  }

  protected sinkAt(position: number): Sink {
    return position === 1 ? this.#score : this.plain
  }

  protected endAt(position: number): void {
    if (position === 1) this.score(doubleOf(this.#score.text()))
  }

  score(value: number): void {
    hashDouble(this.hash, value)
  }
}

const infinities: Readonly<Record<string, number>> = { inf: Infinity, '+inf': Infinity, '-inf': -Infinity }

function doubleOf(text: string): number {
  const value = infinities[text] ?? Number(text)
  if (Number.isNaN(value) || text === '') throw new BrokenArchive('The archive has a score that is not a number')
  return value
}
