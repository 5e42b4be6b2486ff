/** The three results of a drill: the dump was verified, the drill failed, or the dump cannot be verified here. */
import { fromJson, toJson } from '../../lib/json.ts'
import type { RunReason } from '../../dumps/run-reason.ts'
import type { Writer } from '../../store/schema.ts'
import type { BackupRunTable } from '../table.ts'

export const verificationStates = ['verified', 'failed', 'notVerifiable'] as const
export type VerificationState = (typeof verificationStates)[number]

/** The result of the last drill of a dump. */
export interface Verification {
  state: VerificationState
  /** Why it failed, or why the dump cannot be verified; null: it was verified. */
  reason: RunReason | null
}

const notVerifiable: readonly RunReason['reason'][] = ['NotVerifiable', 'MemoryMissing', 'ForeignRecipient']

/** The result of an ended drill; null if the drill says nothing, because it was skipped or cancelled. Pure. */
export function verificationOf({ status, reason }: Pick<BackupRunTable, 'status' | 'reason'>): Verification | null {
  const cause = fromJson(reason)
  if (cause?.reason === 'Cancelled' || (status !== 'done' && status !== 'error')) return null
  if (cause !== null && notVerifiable.includes(cause.reason)) {
    return { state: 'notVerifiable', reason: cause }
  }
  return status === 'done' ? { state: 'verified', reason: null } : { state: 'failed', reason: cause }
}

/** The result that a run shows: that of the drill, or that of the last drill of the dump. Pure. */
export function shownVerification(
  row: Pick<BackupRunTable, 'action' | 'status' | 'reason' | 'verification' | 'verifiedAt'>,
): Verification | null {
  if (row.action === 'verify') return verificationOf(row)
  if (row.verification !== null) return fromJson(row.verification)
  // A drill of an older version of Berth, which stored only the time.
  return row.verifiedAt === null ? null : { state: 'verified', reason: null }
}

/** Records the result of an ended drill in the dump that it verified. */
export async function recordVerification(
  tx: Writer,
  drill: Pick<BackupRunTable, 'action' | 'status' | 'reason' | 'sourceRunId'>,
): Promise<void> {
  const result = drill.action === 'verify' ? verificationOf(drill) : null
  if (result === null) return
  await tx
    .updateTable('backupRun')
    .set({ verification: toJson(result) })
    .where('id', '=', drill.sourceRunId ?? '')
    .execute()
}
