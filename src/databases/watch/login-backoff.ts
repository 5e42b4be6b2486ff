/**
 * How often a server that runs and took no login is tried again: ever more rarely, for each login that it refuses is a
 * line in its log. Kept in memory alone: a Berth that starts tries at once.
 */
import type { Runtime } from '../../runtime.ts'

export interface Tries {
  /** Whether it is time for another one; `taskId`: of the server's container, a new one is tried at once. */
  isDue(databaseId: string, taskId: string): boolean
  failed(databaseId: string, taskId: string): void
  succeeded(databaseId: string): void
}

const [leastMs, maxMs] = [5000, 10 * 60_000]

export function loginTries({ now }: Pick<Runtime, 'now'>): Tries {
  const known = new Map<string, { taskId: string; at: number; gapMs: number }>()
  return {
    isDue(databaseId, taskId) {
      const last = known.get(databaseId)
      if (last?.taskId !== taskId) return true
      const sinceMs = now().getTime() - last.at
      // The clock may have been set back.
      return sinceMs < 0 || sinceMs >= last.gapMs
    },
    failed(databaseId, taskId) {
      const last = known.get(databaseId)
      const gapMs = last?.taskId === taskId ? Math.min(2 * last.gapMs, maxMs) : leastMs
      known.set(databaseId, { taskId, at: now().getTime(), gapMs })
    },
    succeeded: (databaseId) => void known.delete(databaseId),
  }
}
