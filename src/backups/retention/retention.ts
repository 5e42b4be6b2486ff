/** Which dumps may go: only good ones of this very backup, only beyond its rules, and never the newest. Pure. */
import type { BackupRunTable, BackupTable } from '../table.ts'

const dayMs = 24 * 3600_000

type Rules = Pick<BackupTable, 'keepLatest' | 'keepDays'>
type Dump = Pick<BackupRunTable, 'id' | 'finishedAt' | 'databaseId' | 'database' | 'holdsOlder'>

/** What a run dumps: the rules hold for the dumps of each database apart, for backup.update may change the name. */
export const groupOf = ({ databaseId, database }: Pick<BackupRunTable, 'databaseId' | 'database'>): string =>
  JSON.stringify([databaseId, database])

/**
 * `runs`: the good dumps whose objects are still there. `newest` is the id of the one that was just made, whatever the
 * clock says. A dump goes when every rule that is set lets it go.
 */
export function superfluous<R extends Dump>(rules: Rules, runs: readonly R[], newest: string, now: Date): R[] {
  const newestFirst = runs.toSorted((a, b) => (a.id !== newest && (b.id === newest || a.id < b.id) ? 1 : -1))
  return [...Map.groupBy(newestFirst, groupOf).values()].flatMap((group) => superfluousIn(group, rules, now))
}

/** Of the dumps of one database, the newest first. What is older than one that holds it stays (shrink.ts). */
function superfluousIn<R extends Dump>(newestFirst: R[], { keepLatest, keepDays }: Rules, now: Date): R[] {
  if (keepLatest === null && keepDays === null) return []
  const holding = newestFirst.findLastIndex(({ holdsOlder }) => holdsOlder === 1)
  return newestFirst.filter(({ finishedAt }, place) => {
    const isCounted = keepLatest !== null && place < keepLatest
    const isYoung = keepDays !== null && now.getTime() - Date.parse(finishedAt ?? '') < keepDays * dayMs
    const isHeld = holding !== -1 && place > holding
    return place > 0 && !isCounted && !isYoung && !isHeld
  })
}
