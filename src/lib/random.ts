/** Random bytes of the system, fetched for many uses at once: each fetch costs as much as a small insert. */
import { randomFillSync } from 'node:crypto'

const poolLength = 2048

/** Gives so many bytes, each of them once; nothing of them is kept. Throws a RangeError for more than 2048. */
export function randomSource(): (length: number) => Buffer {
  const pool = Buffer.alloc(poolLength)
  let used = poolLength
  return (length) => {
    if (length > poolLength) throw new RangeError(`${length} bytes are more than the ${poolLength} of the pool`)
    if (used + length > poolLength) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Buffer.from(pool.subarray(used, used + length))
    pool.fill(0, used, used + length)
    used += length
    return bytes
  }
}
