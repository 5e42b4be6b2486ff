/** Checks and completes a backup before it is stored, be it of a database or of Berth's own state. */
import type { CommandContext } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { nextTime } from '../lib/text/cron.ts'
import { findIdentity } from './identity.ts'
import { type BackupTable, installationRecipient } from './table.ts'

/**
 * Sets `nextAt` and `nextVerifyAt` of a backup.
 * @param before the stored backup, if there is one; its due times are kept, even past ones, while the schedule, the
 *   timezone and `enabled` stay the same
 */
export function withDueTimes(row: BackupTable, now: Date, before?: BackupTable): BackupTable {
  const next = (name: 'schedule' | 'verifySchedule', due: 'nextAt' | 'nextVerifyAt') => {
    const expression = row[name]
    if (row.enabled === 0 || expression === null) return null
    const isSame = before?.enabled === 1 && before[name] === expression && before.timezone === row.timezone
    return isSame ? before[due] : (nextTime(expression, row.timezone, now)?.toISOString() ?? null)
  }
  return { ...row, nextAt: next('schedule', 'nextAt'), nextVerifyAt: next('verifySchedule', 'nextVerifyAt') }
}

/** Throws NOT_FOUND if the destination does not exist. */
export async function checkDestination({ tx }: CommandContext, id: string) {
  const row = await tx.selectFrom('destination').select('id').where('id', '=', id).executeTakeFirst()
  if (row === undefined) refuse('NOT_FOUND', 'There is no such destination. destination.all lists those there are')
}

/** Refuses a URL whose host must not be reached. A DNS name is checked only when the URL is called. */
export function checkSignalUrl({ config }: CommandContext, signalUrl: string | null | undefined) {
  const fault = signalUrl == null ? null : config.egress.faultOf(new URL(signalUrl).hostname)
  if (fault !== null) refuseField('signalUrl', fault.message)
}

/**
 * Refuses the recipient `installation` until its identity was exported: if only the store holds the identity, all dumps
 * are lost together with the store.
 */
export async function checkRecipient({ tx }: CommandContext, recipient: string | null | undefined) {
  if (recipient !== installationRecipient || (await findIdentity(tx))?.exportedAt != null) return
  refuse(
    'PRECONDITION_FAILED',
    'The identity that opens these dumps was never exported, and without it they are lost ' +
      'with this store. Run ./berth key export-backup-identity FILE on the machine of Berth, keep the file somewhere ' +
      'else, then repeat this call',
  )
}
