/** Why a run of a backup ended, in words. Nothing but people reads them: what programs need is in the row. Pure. */
import type { BackupRunTable, RunFault } from './backup-schema.ts'

export const faultOf = ({ fault }: Pick<BackupRunTable, 'fault'>): RunFault | null =>
  fault === null ? null : (JSON.parse(fault) as RunFault)

export function reasonOf({ reason, fault }: Pick<BackupRunTable, 'reason' | 'fault'>): string | null {
  const found = faultOf({ fault })
  return found === null ? reason : faultText(found, reason)
}

/** `cause`: what the load failed with, in the words of whoever knew. */
export function faultText(fault: RunFault, cause: string | null): string {
  switch (fault.reason) {
    case 'LoadInterrupted':
      return (
        'The restore was interrupted while it replaced the database. A restore is never begun again by itself, ' +
        `for it would replace what was written since. ${stateOf(fault.isAtomic)} ${wayBack(fault.safetyRunId)}`
      )
    case 'LoadFailed':
      return `${cause?.replace(/\.$/, '')}. ${stateOf(fault.isAtomic)} ${wayBack(fault.safetyRunId)}`
    case 'InterruptedTooOften':
      return (
        `Berth ended ${fault.times} times while this run was under way, and does not begin it again. Look in the ` +
        'log for why it ended (memory, say), then ask for a new run'
      )
    case 'ToolIdle':
      return (
        `The tool gave and took no byte for ${secondsText(fault.seconds)}, and was ended. Look for a session that ` +
        'holds a lock in the database; BERTH_BACKUP_IDLE_SECONDS sets the time'
      )
    case 'TookTooLong':
      return (
        `The run was not over after ${secondsText(fault.seconds)}, and was ended. ` +
        'BERTH_BACKUP_TOTAL_SECONDS sets the time'
      )
  }
}

const stateOf = (isAtomic: boolean) =>
  isAtomic
    ? 'The database holds what it held before, unless the last step, in which it is replaced as a whole, was done.'
    : 'The database may hold a part of the dump.'

const wayBack = (safetyRunId: string | null) =>
  safetyRunId === null
    ? 'No safety dump was made before. Restore any good dump: call backup.restore'
    : `What it held before is in the safety dump ${safetyRunId}: to bring that back, call backup.restore with runId ` +
      `${safetyRunId} and this service`

const secondsText = (seconds: number) => `${seconds} second${seconds === 1 ? '' : 's'}`
