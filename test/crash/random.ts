/** Chance that a seed repeats, a stream of it for each client: what one does depends on no other's speed. */
import { createHash } from 'node:crypto'

export interface Random {
  /** A whole number from 0, below this one. */
  below(limit: number): number
  chance(percent: number): boolean
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T
}

/** Mulberry32. */
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
