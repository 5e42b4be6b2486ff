/** Random bytes of the system, fetched for many uses at once: each fetch costs as much as a small insert. */
import { randomFillSync } from 'node:crypto'

const poolLength = 2048

/** Gives so many bytes, at most 2048; each is given out once, and nothing of it is kept. */
export function randomSource(): (length: number) => Buffer {
  const pool = Buffer.alloc(poolLength)
  let used = poolLength
  return (length) => {
    if (used + length > poolLength) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Buffer.from(pool.subarray(used, used + length))
    pool.fill(0, used, used += length)
    return bytes
  }
}
