/** The findings of a dump in short, as stored in its run. The manifest has all of them. Pure. */
import type { ArchiveContents } from '../kinds/backup.ts'
import { type DumpFinding, isCreatedOnlyIfWhole, isFault } from '../kinds/dump-finding.ts'
import { type Json, toJson } from '../lib/json.ts'

/** How many findings and databases a run names. */
const maxShown = 20

export interface FindingSummary {
  count: number
  /** How many of them are faults of the database: objects that are left out or do not work. */
  faultCount: number
  /** Other databases that objects of the dump need. */
  needs: string[]
  /** Faults come first. */
  shown: DumpFinding[]
}

/** The other databases of the server that objects of the dump need, sorted. */
export const needsOf = ({ findings = [] }: Pick<ArchiveContents, 'findings'>): string[] => needed(findings)

/** Those without which a restore cannot create an object of the dump. */
export const indispensableNeedsOf = ({ findings = [] }: Pick<ArchiveContents, 'findings'>): string[] =>
  needed(findings.filter(isCreatedOnlyIfWhole))

const needed = (findings: readonly DumpFinding[]) =>
  [...new Set(findings.flatMap((it) => (it.reason === 'DatabaseNeeded' ? [it.database] : [])))].sort()

export function findingSummary(contents: Pick<ArchiveContents, 'findings'>): Json<FindingSummary> | null {
  const { findings = [] } = contents
  if (findings.length === 0) return null
  const faults = findings.filter(isFault)
  return toJson<FindingSummary>({
    count: findings.length,
    faultCount: faults.length,
    needs: needsOf(contents).slice(0, maxShown),
    shown: [...faults, ...findings.filter((it) => !isFault(it))].slice(0, maxShown),
  })
}
