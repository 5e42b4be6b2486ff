/** CRC-64 with reflected bits, computed incrementally. The checksums of products differ in two parameters. Pure. */

/** A checksum: tables of its polynomial, and the bits with which it starts and by which it inverts the result. */
export interface Crc64Form {
  highs: Int32Array
  lows: Int32Array
  start: 0 | -1
}

/**
 * Four concatenated tables: the checksum of a byte alone, and of a byte followed by one, two and three zero bytes. With
 * them `update` processes four bytes in one step.
 */
function tables(high: number, low: number) {
  const [highs, lows] = [new Int32Array(1024), new Int32Array(1024)]
  for (let byte = 0; byte < 256; byte++) {
    let [h, l] = [0, byte]
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (l & 1) === 1
      l = (l >>> 1) | (h << 31)
      h = (h >>> 1) ^ (isOdd ? high : 0)
      if (isOdd) l ^= low
    }
    highs[byte] = h
    lows[byte] = l
  }
  for (let at = 256; at < 1024; at++) {
    const [h, l] = [highs[at - 256]!, lows[at - 256]!]
    lows[at] = ((l >>> 8) | (h << 24)) ^ lows[l & 255]!
    highs[at] = (h >>> 8) ^ highs[l & 255]!
  }
  return { highs, lows }
}

/** ECMA-182, in MongoDB's archives. The reflected polynomial is 0xc96c5795d7870f42. */
const ecma: Crc64Form = { ...tables(0xc96c5795 | 0, 0xd7870f42 | 0), start: -1 }
/** Jones, in the snapshots of Redis. The reflected polynomial is 0x95ac9329ac4bc9b5. */
export const jones: Crc64Form = { ...tables(0x95ac9329 | 0, 0xac4bc9b5 | 0), start: 0 }

export class Crc64 {
  #form: Crc64Form
  #high: number
  #low: number

  constructor(form: Crc64Form = ecma) {
    this.#form = form
    this.#high = form.start
    this.#low = form.start
  }

  update(bytes: Uint8Array, from: number, to: number): void {
    const { highs, lows } = this.#form
    let [h, l] = [this.#high, this.#low]
    let at = from
    for (; at + 4 <= to; at += 4) {
      const x = l ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
      const [i, j, k, m] = [768 + (x & 255), 512 + ((x >>> 8) & 255), 256 + ((x >>> 16) & 255), x >>> 24]
      l = h ^ lows[i]! ^ lows[j]! ^ lows[k]! ^ lows[m]!
      h = highs[i]! ^ highs[j]! ^ highs[k]! ^ highs[m]!
    }
    for (; at < to; at++) {
      const index = (l ^ bytes[at]!) & 255
      l = ((l >>> 8) | (h << 24)) ^ lows[index]!
      h = (h >>> 8) ^ highs[index]!
    }
    this.#high = h
    this.#low = l
  }

  /** The checksum as a signed 64-bit integer. */
  value(): bigint {
    const { start } = this.#form
    return BigInt.asIntN(64, (BigInt((this.#high ^ start) >>> 0) << 32n) | BigInt((this.#low ^ start) >>> 0))
  }
}
