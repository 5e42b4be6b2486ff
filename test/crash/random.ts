/** Reproducible random numbers. Each client has its own stream, which does not depend on the speed of other clients. */
import { createHash } from 'node:crypto'

export interface Random {
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number
  /** Returns true with this probability. */
  chance(percent: number): boolean
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T
}

/** Uses the generator Mulberry32. */
export function randomFrom(seed: number, stream: string): Random {
  let state = createHash('sha256').update(`${seed} ${stream}`).digest().readInt32LE()
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, chance: (percent) => below(100) < percent, pick: (list) => list[below(list.length)]! }
}
