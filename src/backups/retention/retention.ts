/** Selects the good dumps of a backup that no retention rule keeps. The newest dump of a database is kept. Pure. */
import type { BackupRunTable, BackupTable } from '../table.ts'

const dayMs = 24 * 3600_000

type Rules = Pick<BackupTable, 'keepLatest' | 'keepDays'>
type Dump = Pick<BackupRunTable, 'id' | 'finishedAt' | 'databaseId' | 'database' | 'holdsOlder'>

/**
 * Identifies the dumped database. The rules apply to each database separately, because backup.update can change the
 * database of a backup.
 */
export const groupOf = ({ databaseId, database }: Pick<BackupRunTable, 'databaseId' | 'database'>): string =>
  JSON.stringify([databaseId, database])

/**
 * Returns the dumps to delete. If both rules are set, a dump is returned only if both allow its deletion.
 * @param runs the good dumps whose objects still exist
 * @param newest the id of the dump that just succeeded; it counts as the newest even if the clock was set back
 * @param now null while the clock is not trusted: every dump may be young
 */
export function expendableDumps<R extends Dump>(
  rules: Rules,
  runs: readonly R[],
  newest: string,
  now: Date | null,
): R[] {
  const newestFirst = runs.toSorted((a, b) => (a.id !== newest && (b.id === newest || a.id < b.id) ? 1 : -1))
  return [...Map.groupBy(newestFirst, groupOf).values()].flatMap((group) => expendableIn(group, rules, now))
}

/** Selects among the dumps of one database. Dumps older than the oldest marked dump are kept, see shrink.ts. */
function expendableIn<R extends Dump>(newestFirst: R[], { keepLatest, keepDays }: Rules, now: Date | null): R[] {
  if (keepLatest === null && keepDays === null) return []
  const oldestMark = newestFirst.findLastIndex(({ holdsOlder }) => holdsOlder === 1)
  return newestFirst.filter(({ finishedAt }, index) => {
    const isCounted = keepLatest !== null && index < keepLatest
    const isYoung = keepDays !== null && !isOlder(finishedAt, keepDays, now)
    const isOlderThanMark = oldestMark !== -1 && index > oldestMark
    return index > 0 && !isCounted && !isYoung && !isOlderThanMark
  })
}

const isOlder = (finishedAt: string | null, days: number, now: Date | null): boolean =>
  now !== null && now.getTime() - Date.parse(finishedAt ?? '') >= days * dayMs
