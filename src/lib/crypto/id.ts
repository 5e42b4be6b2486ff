/** Generates IDs that sort by creation time: UUID version 7 (RFC 9562), strictly increasing within this process. */
import { randomBytes } from 'node:crypto'

const randomLength = 8

/** @param nowMs the clock, in milliseconds since 1970 */
export function idGenerator(nowMs: () => number = Date.now): () => string {
  let lastMs = 0
  let counter = 0
  return () => {
    const ms = nowMs()
    // If the clock stands still or goes back, the order is kept by counting on from the last ID.
    if (ms > lastMs) [lastMs, counter] = [ms, 0]
    else if (++counter > 0xfff) [lastMs, counter] = [lastMs + 1, 0]
    return format(lastMs, counter, randomBytes(randomLength))
  }
}

function format(ms: number, counter: number, random: Buffer): string {
  const time = ms.toString(16).padStart(12, '0')
  random[0] = (random[0]! & 0x3f) | 0x80
  const tail = random.toString('hex')
  const middle = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
