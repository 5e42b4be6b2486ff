/** Which dumps may go: only good ones of this very backup, only beyond its rules, and never the newest. Pure. */
import type { BackupRunTable, BackupTable } from '../store/backup-schema.ts'

const dayMs = 24 * 3600_000

type Rules = Pick<BackupTable, 'keepLatest' | 'keepDays'>

/**
 * `runs`: the good dumps whose objects are still there. `newest` is the id of the one that was just made, whatever the
 * clock says. A dump goes when every rule that is set lets it go.
 */
export function superfluous<R extends Pick<BackupRunTable, 'id' | 'finishedAt'>>(
  { keepLatest, keepDays }: Rules, runs: readonly R[], newest: string, now: Date,
): R[] {
  if (keepLatest === null && keepDays === null) return []
  const newestFirst = runs.toSorted((a, b) => (a.id !== newest && (b.id === newest || a.id < b.id) ? 1 : -1))
  return newestFirst.filter(({ finishedAt }, place) => {
    const isCounted = keepLatest !== null && place < keepLatest
    const isYoung = keepDays !== null && now.getTime() - Date.parse(finishedAt ?? '') < keepDays * dayMs
    return place > 0 && !isCounted && !isYoung
  })
}
