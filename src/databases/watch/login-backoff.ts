/**
 * Exponential backoff of logins to a running server that refuses them. Each refused login adds a line to the server's
 * log. The state is only in memory: after a restart of Berth, the next login is due at once.
 */
import type { Runtime } from '../../runtime.ts'

export interface LoginBackoff {
  /** Whether the next login is due. The first login to a new task is due at once. */
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
