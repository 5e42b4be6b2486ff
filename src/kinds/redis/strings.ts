/** Lengths and strings in an RDB file. A string is raw, a number or compressed (LZF). Pure. */
import { BrokenArchive } from '../backup.ts'
import type { ReadingCosts } from '../reading-costs.ts'
import type { Parser, Pull, Receive } from './pull.ts'

/** Receives a string: first its length, then its bytes in pieces. */
export interface Sink {
  begin(length: number): void
  bytes: Receive
}

/** What a step of the LZF format can refer back to. */
const windowBytes = 8192
/** The most bytes that a step of the LZF format produces. */
const maxRunBytes = 264
const bufferBytes = 4 * windowBytes

/** A number in decimal digits is one string, whichever way the server stores it. */
export function passText(text: string, sink: Sink): void {
  passBytes(Buffer.from(text, 'latin1'), sink)
}

export function passBytes(bytes: Uint8Array, sink: Sink): void {
  sink.begin(bytes.length)
  sink.bytes(bytes, 0, bytes.length)
}

/** Reads a length. Returns the complement of the code, which is negative, if a special encoding follows instead. */
function* lengthOrCode(pull: Pull): Parser<number> {
  const first = yield* pull.byte()
  const low = first & 0x3f
  switch (first >> 6) {
    case 0:
      return low
    case 1:
      return (low << 8) | (yield* pull.byte())
    case 3:
      return ~low
    default:
      if (first === 0x80) return (yield* pull.word(4)).readUInt32BE()
      if (first === 0x81) return Number((yield* pull.word(8)).readBigUInt64BE())
      throw new BrokenArchive(`The archive has a length of an unknown form (${first})`)
  }
}

/** Reads a length or a number. It is inexact above 2^53, which no length in a real archive is. */
export function* length(pull: Pull): Parser<number> {
  const value = yield* lengthOrCode(pull)
  if (value < 0) throw new BrokenArchive('The archive has a string where a length must be')
  return value
}

/** Reads a length or a number of up to 64 bits. */
export function* integer(pull: Pull): Parser<bigint> {
  const first = yield* pull.byte()
  const low = first & 0x3f
  if (first >> 6 === 0) return BigInt(low)
  if (first >> 6 === 1) return BigInt((low << 8) | (yield* pull.byte()))
  if (first === 0x80) return BigInt((yield* pull.word(4)).readUInt32BE())
  if (first === 0x81) return (yield* pull.word(8)).readBigUInt64BE()
  throw new BrokenArchive(`The archive has a number of an unknown form (${first})`)
}

/** Reads strings. Keeps a buffer for the compressed ones. */
export class Strings {
  #costs: ReadingCosts
  #buffer = Buffer.alloc(bufferBytes)

  constructor(costs: ReadingCosts) {
    this.#costs = costs
    costs.keptBytes += bufferBytes
  }

  /**
   * Reads a short raw string if the present piece has all of it. A file has many of them, and a generator costs more.
   * @returns whether it has; if not, call `read`
   */
  readNow(pull: Pull, sink: Sink): boolean {
    if (pull.left < 2) return false
    const first = pull.peek(0)
    const headSize = first < 0x40 ? 1 : 2
    const size = first < 0x40 ? first : ((first & 0x3f) << 8) | pull.peek(1)
    if (first >= 0x80 || pull.left < headSize + size) return false
    sink.begin(size)
    pull.take(headSize, size, sink.bytes)
    return true
  }

  *read(pull: Pull, sink: Sink): Parser {
    const value = yield* lengthOrCode(pull)
    if (value >= 0) {
      sink.begin(value)
      yield* pull.pass(value, sink.bytes)
      return
    }
    switch (~value) {
      case 0:
        return passText(String((yield* pull.word(1)).readInt8()), sink)
      case 1:
        return passText(String((yield* pull.word(2)).readInt16LE()), sink)
      case 2:
        return passText(String((yield* pull.word(4)).readInt32LE()), sink)
      case 3:
        return yield* this.#compressed(pull, sink)
      default:
        throw new BrokenArchive(`The archive has a string of an unknown form (${~value})`)
    }
  }

  *#compressed(pull: Pull, sink: Sink): Parser {
    const size = yield* length(pull)
    const total = yield* length(pull)
    sink.begin(total)
    const buffer = this.#buffer
    // `passed` is where the bytes begin that the sink has not got. `produced` counts all bytes.
    let [at, passed, produced] = [0, 0, 0]
    const keep: Receive = (piece, from, to) => {
      buffer.set(piece.subarray(from, to), at)
      at += to - from
    }
    for (let left = size; left > 0; ) {
      if (at > bufferBytes - maxRunBytes) {
        sink.bytes(buffer, passed, at)
        buffer.copyWithin(0, at - windowBytes, at)
        at = windowBytes
        passed = at
      }
      const before = at
      const control = yield* pull.byte()
      if (control < 32) {
        yield* pull.pass(control + 1, keep)
        left -= control + 2
      } else {
        const isLong = control >> 5 === 7
        const run = (isLong ? 7 + (yield* pull.byte()) : control >> 5) + 2
        const back = (((control & 31) << 8) | (yield* pull.byte())) + 1
        if (back > at) throw brokenCompression()
        for (const end = at + run; at < end; at++) buffer[at] = buffer[at - back]!
        left -= isLong ? 3 : 2
      }
      produced += at - before
      this.#costs.steps += 2 * (at - before)
      if (left < 0 || produced > total) throw brokenCompression()
    }
    if (produced !== total) throw brokenCompression()
    sink.bytes(buffer, passed, at)
  }
}

const brokenCompression = () => new BrokenArchive('The archive has a compressed string that is damaged')
