/**
 * Exponential backoff of logins to a running server that refuses them, because each refused login is a line in its log.
 * Kept in memory only: after a restart, Berth tries again at once.
 */
import type { Runtime } from '../../runtime.ts'

export interface LoginBackoff {
  /** Whether the next login is due. The first login to a new task of the server is due at once. */
  isDue(databaseId: string, taskId: string): boolean
  failed(databaseId: string, taskId: string): void
  succeeded(databaseId: string): void
}

const [minMs, maxMs] = [5000, 10 * 60_000]

export function newLoginBackoff({ now }: Pick<Runtime, 'now'>): LoginBackoff {
  const failures = new Map<string, { taskId: string; at: number; gapMs: number }>()
  return {
    isDue(databaseId, taskId) {
      const last = failures.get(databaseId)
      if (last?.taskId !== taskId) return true
      const sinceMs = now().getTime() - last.at
      // A negative duration means that the clock was set back.
      return sinceMs < 0 || sinceMs >= last.gapMs
    },
    failed(databaseId, taskId) {
      const last = failures.get(databaseId)
      const gapMs = last?.taskId === taskId ? Math.min(2 * last.gapMs, maxMs) : minMs
      failures.set(databaseId, { taskId, at: now().getTime(), gapMs })
    },
    succeeded: (databaseId) => void failures.delete(databaseId),
  }
}
