/** The conditions of backups, and of Berth's own state, which is a backup too. Pure. */
import type { BackupRunTable, BackupTable } from '../backups/table.ts'
import type { Shrink } from '../backups/retention/shrink-marks.ts'
import type { FindingSummary } from '../dumps/finding-summary.ts'
import { isFault } from '../kinds/dump-finding.ts'
import { fromJson, type Json } from '../lib/json.ts'
import type { Goal, Time } from '../store/schema.ts'
import { type Finding, installation } from './finding.ts'
import type { IncompleteReason, OverdueReason, RunFailure, ShrunkReason, UnverifiedReason } from './reason.ts'
import type { ConditionName, Severity } from './table.ts'

/** A due time that passed this long ago without a run, or a run that waits this long, makes a backup overdue. */
const maxDelayMs = 3600_000
/** How many scheduled runs in a row may fail before the backup is overdue. */
const maxFailures = 2

/** An enabled backup. */
export interface BackupFact
  extends Pick<
    BackupTable,
    'id' | 'subjectKind' | 'database' | 'destinationId' | 'nextAt' | 'nextVerifyAt' | 'verifySchedule'
  > {
  /** The columns of the database; null for Berth's own state. */
  appName: string | null
  projectId: string | null
  goal: Goal | null
  /** When the last good dump and the last good drill ended; null if there was none. */
  lastGoodAt: Time | null
  lastDrillAt: Time | null
  /** The findings of the last good dump; null if it has none. */
  findings: Json<FindingSummary> | null
  /** The oldest dump that shrank and that nobody accepted; null if there is none. */
  shrink: Shrink | null
}

/** A run after the last good run of its backup and action. */
export type RunFact = Pick<
  BackupRunTable,
  | 'id'
  | 'backupId'
  | 'action'
  | 'trigger'
  | 'status'
  | 'attempt'
  | 'reason'
  | 'destinationId'
  | 'createdAt'
  | 'dueAt'
  | 'finishedAt'
>

/** The reason of a run, which may be that of its previous attempt. */
export const reasonOf = ({ reason }: Pick<RunFact, 'reason'>) => fromJson(reason)

/**
 * @param backups the enabled backups
 * @param runs the runs after the last good ones, oldest first
 * @param hasDatabases whether there is a database that was ever deployed
 */
export function backupFindings(
  backups: readonly BackupFact[],
  runs: readonly RunFact[],
  hasDatabases: boolean,
  now: Date,
): Finding[] {
  const runsOf = Map.groupBy(runs, ({ backupId }) => backupId)
  const stateBackup = backups.find(({ subjectKind }) => subjectKind === 'installation')
  const databaseBackups = backups
    // A database that is stopped or was never deployed does not change.
    .filter(({ subjectKind, goal }) => subjectKind === 'database' && goal === 'up')
    .flatMap((backup) => [
      ...dumpFindings(backup, runsOf.get(backup.id) ?? [], now),
      ...drillFindings(backup, runsOf.get(backup.id) ?? [], now),
      ...incompleteFindings(backup),
    ])
  return [
    ...databaseBackups,
    ...backups.flatMap(shrinkFindings),
    ...stateFindings(stateBackup, runsOf.get(stateBackup?.id ?? '') ?? [], hasDatabases, now),
  ]
}

const finding = (
  { id, appName, database, projectId }: BackupFact,
  name: ConditionName,
  severity: Severity,
  { since, reason }: Fault,
): Finding => ({
  name,
  severity,
  subject: { kind: 'backup', id, name: `${appName}/${database}` },
  projectId,
  since,
  reason,
})

interface Fault<R = RunFailure | OverdueReason | UnverifiedReason | ShrunkReason | IncompleteReason> {
  since: Time | null
  reason: R
}

function dumpFindings(backup: BackupFact, runs: readonly RunFact[], now: Date): Finding[] {
  const [failed, overdue] = [dumpFailure(runs), overdueDump(backup, runs, now)]
  return [
    ...(failed === null ? [] : [finding(backup, 'BackupFailed', 'warning', failed)]),
    ...(overdue === null ? [] : [finding(backup, 'BackupOverdue', 'critical', overdue)]),
  ]
}

/** A run that a caller cancelled says nothing about the backup. */
const failuresOf = (runs: readonly RunFact[], action: RunFact['action']) =>
  runs.filter((run) => run.action === action && run.status === 'error' && reasonOf(run)?.reason !== 'Cancelled')

function dumpFailure(runs: readonly RunFact[]): Fault<RunFailure> | null {
  const failed = failuresOf(runs, 'dump')
  const last = failed.at(-1)
  if (last === undefined) return null
  const reason = { reason: 'RunFailed', runId: last.id, at: last.finishedAt!, cause: reasonOf(last) } as const
  return { since: failed[0]!.finishedAt!, reason }
}

/** Why there is no good dump for longer than the schedule says; null if there is one. */
function overdueDump(backup: BackupFact, runs: readonly RunFact[], now: Date): Fault<OverdueReason> | null {
  const { nextAt, lastGoodAt } = backup
  const latest = new Date(now.getTime() - maxDelayMs).toISOString()
  const failed = failuresOf(runs, 'dump').filter(({ trigger }) => trigger === 'schedule')
  const missedAt = missedDueTime(runs, 'dump') ?? (nextAt !== null && nextAt < latest ? nextAt : null)
  const waiting = runs.find((run) => run.action === 'dump' && isWaiting(run) && run.createdAt < latest)
  if (failed.length >= maxFailures) {
    return {
      since: failed[maxFailures - 1]!.finishedAt!,
      reason: { reason: 'RunsFailed', runs: failed.length, lastGoodAt },
    }
  }
  if (missedAt !== null) return { since: missedAt, reason: { reason: 'ScheduleMissed', dueAt: missedAt, lastGoodAt } }
  if (waiting === undefined) return null
  const { id: runId, createdAt: since } = waiting
  return { since, reason: { reason: 'RunWaiting', runId, since, cause: reasonOf(waiting), lastGoodAt } }
}

/** The due time of a run that was skipped because it was more than a day late. */
function missedDueTime(runs: readonly RunFact[], action: RunFact['action']): Time | null {
  const reasons = runs.filter((run) => run.action === action && run.status === 'skipped').map(reasonOf)
  return reasons.find((reason) => reason?.reason === 'MissedSchedule')?.dueAt ?? null
}

/** Whether the run waits, or is trying again after it had to wait. */
const isWaiting = ({ status, reason }: RunFact) => status === 'waiting' || (status === 'running' && reason !== null)

function drillFindings(backup: BackupFact, runs: readonly RunFact[], now: Date): Finding[] {
  const { verifySchedule, nextVerifyAt, lastDrillAt: lastVerifiedAt } = backup
  if (verifySchedule === null) return []
  const failed = failuresOf(runs, 'verify')
  const last = failed.at(-1)
  if (last !== undefined) {
    const reason = { reason: 'DrillFailed', runId: last.id, at: last.finishedAt!, cause: reasonOf(last) } as const
    return [finding(backup, 'BackupUnverified', 'critical', { since: failed[0]!.finishedAt!, reason })]
  }
  const latest = new Date(now.getTime() - maxDelayMs).toISOString()
  const skipped = runs.filter((run) => run.action === 'verify' && run.status === 'skipped')
  const missedAt =
    skipped[maxFailures - 1]?.createdAt ?? (nextVerifyAt !== null && nextVerifyAt < latest ? nextVerifyAt : null)
  if (missedAt === null) return []
  const reason = { reason: 'DrillsMissed', lastVerifiedAt } as const
  return [finding(backup, 'BackupUnverified', 'warning', { since: missedAt, reason })]
}

function shrinkFindings(backup: BackupFact): Finding[] {
  if (backup.shrink === null || backup.subjectKind !== 'database') return []
  const reason = { reason: 'DumpShrunk', ...backup.shrink } as const
  return [finding(backup, 'BackupShrunk', 'warning', { since: null, reason })]
}

/** How many faults of a database a condition names. */
const maxNamed = 5

function incompleteFindings(backup: BackupFact): Finding[] {
  const { faultCount: count = 0, shown = [] } = fromJson(backup.findings) ?? {}
  if (count === 0) return []
  const reason = { reason: 'DumpIncomplete', count, findings: shown.filter(isFault).slice(0, maxNamed) } as const
  return [finding(backup, 'BackupIncomplete', 'warning', { since: null, reason })]
}

function stateFindings(
  backup: BackupFact | undefined,
  runs: readonly RunFact[],
  hasDatabases: boolean,
  now: Date,
): Finding[] {
  const about = { name: 'StateNotBackedUp', subject: installation, projectId: null } as const
  if (backup === undefined) {
    if (!hasDatabases) return []
    return [{ ...about, severity: 'warning', since: null, reason: { reason: 'NoStateBackup' } }]
  }
  const overdue = overdueDump(backup, runs, now)
  if (overdue !== null) return [{ ...about, severity: 'critical', ...overdue }]
  const failed = dumpFailure(runs)
  return failed === null ? [] : [{ ...about, severity: 'warning', ...failed }]
}
