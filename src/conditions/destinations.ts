/** The conditions of destinations, derived from the runs of the enabled backups that use them. Pure. */
import { retryMs } from '../backups/runs/run.ts'
import type { FaultKind } from '../lib/storage/faults.ts'
import type { DestinationTable, Time } from '../store/schema.ts'
import { type BackupFact, reasonOf, type RunFact } from './backups.ts'
import type { Finding } from './finding.ts'

/** A scheduled run whose first attempt failed is tried again: one failed attempt is no condition yet. */
const minAttempt = 3

/** Faults that do not concern the storage as a whole: an object is missing, or it was changed. */
const objectFaults: readonly FaultKind[] = ['missing', 'changed']

export function destinationFindings(
  destinations: readonly Pick<DestinationTable, 'id' | 'name'>[],
  backups: readonly BackupFact[],
  runs: readonly RunFact[],
): Finding[] {
  return destinations.flatMap(({ id, name }) => {
    const lastGoodAt = newest(backups.filter(({ destinationId }) => destinationId === id).flatMap(goodTimes))
    const failures = runs
      .filter(({ destinationId }) => destinationId === id)
      .flatMap(storageFailure)
      .filter(({ at }) => at > lastGoodAt)
      .sort((a, b) => (a.at < b.at ? -1 : 1))
    const last = failures.at(-1)
    if (last === undefined) return []
    const reason = { reason: 'StorageFailed', ...last } as const
    const subject = { kind: 'destination', id, name } as const
    return [
      {
        name: 'DestinationUnreachable',
        severity: 'critical',
        subject,
        projectId: null,
        since: failures[0]!.at,
        reason,
      },
    ]
  })
}

const goodTimes = ({ lastGoodAt, lastDrillAt }: BackupFact) => [lastGoodAt, lastDrillAt].filter((at) => at !== null)

const newest = (times: readonly Time[]): Time => times.toSorted().at(-1) ?? ''

/** The failure of the storage in the last attempt of a run, as a list with at most one element. */
function storageFailure(run: RunFact): { fault: FaultKind; detail: string; at: Time }[] {
  const reason = reasonOf(run)
  if (reason?.reason !== 'StorageFailed' || objectFaults.includes(reason.fault)) return []
  if (run.finishedAt === null && run.attempt < minAttempt) return []
  // The next attempt is due a fixed time after the failed one.
  const failedAtMs = Date.parse(run.dueAt) - (retryMs[run.attempt - 2] ?? 0)
  return [{ fault: reason.fault, detail: reason.detail, at: run.finishedAt ?? new Date(failedAtMs).toISOString() }]
}
