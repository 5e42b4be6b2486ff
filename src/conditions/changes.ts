/** Compares the conditions that were found with those in the table. Pure. */
import { type Json, toJson } from '../lib/json.ts'
import type { Time } from '../store/column-types.ts'
import { adminOnlyNames, delayMs, type Finding } from './finding.ts'
import type { ConditionReason } from './reason.ts'
import type { ConditionTable } from './table.ts'

/** The columns of a present condition that can change. */
type Changeable = Pick<ConditionTable, 'severity' | 'subjectName' | 'projectId' | 'reason'>

export interface Changes {
  begun: Omit<ConditionTable, 'id'>[]
  changed: (Changeable & { id: string })[]
  endedIds: string[]
  /** When each finding was first seen, by its key. The next comparison needs these times. */
  firstSeen: FirstSeen
}

export type FirstSeen = ReadonlyMap<string, Time>

type Key = Pick<ConditionTable, 'name' | 'subjectKind' | 'subjectId'>

/** Identifies a present condition. */
const keyOf = ({ name, subjectKind, subjectId }: Key) => `${name} ${subjectKind} ${subjectId}`
const keyOfFinding = ({ name, subject: { kind, id } }: Finding) => keyOf({ name, subjectKind: kind, subjectId: id })

/**
 * @param present the conditions in the table that have not ended
 * @param isKept whether a condition stays as it is although it was not found
 */
export function conditionChanges(
  present: readonly ConditionTable[],
  findings: readonly Finding[],
  isKept: (condition: ConditionTable) => boolean,
  firstSeen: FirstSeen,
  now: Date,
): Changes {
  const presentOf = new Map(present.map((row) => [keyOf(row), row]))
  const foundKeys = new Set(findings.map(keyOfFinding))
  const at = now.toISOString()
  const firstSeenNow = new Map(findings.map((found) => [keyOfFinding(found), firstSeen.get(keyOfFinding(found)) ?? at]))
  return {
    begun: findings
      .map((found) => ({ found, key: keyOfFinding(found), seenAt: firstSeenNow.get(keyOfFinding(found))! }))
      .filter(({ found, key, seenAt }) => !presentOf.has(key) && isSettled(seenAt, delayMs[found.name] ?? 0, now))
      .map(({ found, seenAt }) => toRow(found, found.since ?? seenAt)),
    changed: findings.flatMap((found) => changeOf(presentOf.get(keyOfFinding(found)), found)),
    endedIds: present.filter((row) => !foundKeys.has(keyOf(row)) && !isKept(row)).map(({ id }) => id),
    firstSeen: firstSeenNow,
  }
}

export const hasChanges = ({ begun, changed, endedIds }: Changes): boolean =>
  begun.length + changed.length + endedIds.length > 0

/** A time in the future means that the clock was set back. */
function isSettled(seenAt: Time, minMs: number, now: Date): boolean {
  const sinceMs = now.getTime() - Date.parse(seenAt)
  return sinceMs >= minMs || sinceMs < 0
}

const changeableOf = ({ severity, subject, projectId, reason }: Finding): Changeable => ({
  severity,
  subjectName: subject.name,
  projectId,
  reason: toJson<ConditionReason>(reason) as Json<ConditionReason>,
})

const toRow = (found: Finding, since: Time): Omit<ConditionTable, 'id'> => ({
  name: found.name,
  subjectKind: found.subject.kind,
  subjectId: found.subject.id,
  adminOnly: adminOnlyNames.has(found.name) ? 1 : 0,
  ...changeableOf(found),
  since,
  endedAt: null,
})

function changeOf(row: ConditionTable | undefined, found: Finding): (Changeable & { id: string })[] {
  if (row === undefined) return []
  const wanted = changeableOf(found)
  const isSame = (Object.keys(wanted) as (keyof Changeable)[]).every((column) => row[column] === wanted[column])
  return isSame ? [] : [{ id: row.id, ...wanted }]
}
