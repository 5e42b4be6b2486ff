/** Generates IDs that sort by creation time: UUID version 7 (RFC 9562), strictly increasing. */
import { randomBytes } from 'node:crypto'

const randomLength = 8

/**
 * @param nowMs the clock, in milliseconds since 1970
 * @param lastId the last ID of an earlier process: the new ones are greater, also if the clock was ahead then
 */
export function idGenerator(nowMs: () => number = Date.now, lastId = ''): () => string {
  let lastMs = msOf(lastId)
  let counter = 0xfff
  return () => {
    const ms = nowMs()
    // If the clock stands still or goes back, the order is kept by counting on from the last ID.
    if (ms > lastMs) [lastMs, counter] = [ms, 0]
    else if (++counter > 0xfff) [lastMs, counter] = [lastMs + 1, 0]
    return format(lastMs, counter, randomBytes(randomLength))
  }
}

/** The milliseconds in an ID; 0 if the text is no ID. */
function msOf(id: string): number {
  const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id)
  return parts === null ? 0 : parseInt(`${parts[1]}${parts[2]}`, 16)
}

function format(ms: number, counter: number, random: Buffer): string {
  const time = ms.toString(16).padStart(12, '0')
  random[0] = (random[0]! & 0x3f) | 0x80
  const tail = random.toString('hex')
  const middle = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
