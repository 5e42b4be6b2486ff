/**
 * Checks the settings of a backup and sets its due times, before the row of the backup is stored. The backup can be of
 * a database or of Berth's own state.
 */
import type { CommandContext } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { nextTime } from '../lib/text/cron.ts'
import { findIdentity } from './identity.ts'
import { type BackupTable, installationRecipient } from './table.ts'

/**
 * Sets `nextAt` and `nextVerifyAt` of a backup.
 * @param before the stored backup, if there is one; its due times are kept, even if they are past, unless the schedule,
 *   the timezone or `enabled` changed
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
  if (row === undefined) refuse('NOT_FOUND', 'No destination with this id. destination.all lists all destinations')
}

/**
 * Refuses a URL with an address that requests must not go to (lib/net/egress.ts). A DNS name is checked only when the
 * URL is called.
 */
export function checkSignalUrl({ config }: CommandContext, signalUrl: string | null | undefined) {
  const fault = signalUrl == null ? null : config.egress.faultOf(new URL(signalUrl).hostname)
  if (fault !== null) refuseField('signalUrl', fault.message)
}

/**
 * Refuses the recipient `installation` until its identity was exported. Without an exported copy, the identity would
 * be lost with the store, and nobody could decrypt the dumps any more.
 */
export async function checkRecipient({ tx }: CommandContext, recipient: string | null | undefined) {
  if (recipient !== installationRecipient || (await findIdentity(tx))?.exportedAt != null) return
  refuse(
    'PRECONDITION_FAILED',
    'The identity that decrypts these dumps was never exported. Without a copy of it, the dumps are lost if this ' +
      'installation is lost. Run berth key export-backup-identity FILE on the machine of Berth, keep the file on ' +
      'another machine, then repeat this call',
  )
}
