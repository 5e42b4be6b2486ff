/** Decides which safety dump undoes the last restore that replaced the data of a database. Pure. */
import type { BackupRunTable, NoSafetyReason } from './table.ts'

/** Why no safety dump undoes the last restore. */
export type NoUndo =
  | { reason: 'NothingReplaced' }
  | { reason: 'NotMade'; restoredAt: string; cause: NoSafetyReason | null }
  | { reason: 'SafetyDumpDeleted'; restoredAt: string }

export const noUndoNames = ['NothingReplaced', 'NotMade', 'SafetyDumpDeleted'] as const satisfies NoUndo['reason'][]

type Restore = Pick<BackupRunTable, 'createdAt' | 'safety' | 'safetyRunId'>

/**
 * @param restore the last restore that began to load into the existing database
 * @param safetyDump the run of its safety dump
 * @returns the safety dump, or why there is none
 */
export function undoOf<R extends Pick<BackupRunTable, 'status' | 'key'>>(
  restore: Restore | undefined,
  safetyDump: R | undefined,
): R | NoUndo {
  if (restore === undefined) return { reason: 'NothingReplaced' }
  const { createdAt: restoredAt, safety, safetyRunId } = restore
  if (safetyRunId === null) return { reason: 'NotMade', restoredAt, cause: safety }
  if (safetyDump?.status !== 'done' || safetyDump.key === null) return { reason: 'SafetyDumpDeleted', restoredAt }
  return safetyDump
}
