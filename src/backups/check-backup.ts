/** What a backup is checked for and given before it is stored, whatever it is of. */
import type { CommandContext } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { nextTime } from '../lib/text/cron.ts'
import { findIdentity } from './identity.ts'
import { type BackupTable, installationRecipient } from './table.ts'

/** With the times at which it is due next. A time that has come already is kept where nothing about it has changed. */
export function planned(row: BackupTable, now: Date, before?: BackupTable): BackupTable {
  const next = (name: 'schedule' | 'verifySchedule', due: 'nextAt' | 'nextVerifyAt') => {
    const expression = row[name]
    if (row.enabled === 0 || expression === null) return null
    const isSame = before?.enabled === 1 && before[name] === expression && before.timezone === row.timezone
    return isSame ? before[due] : (nextTime(expression, row.timezone, now)?.toISOString() ?? null)
  }
  return { ...row, nextAt: next('schedule', 'nextAt'), nextVerifyAt: next('verifySchedule', 'nextVerifyAt') }
}

export async function checkDestination({ tx }: CommandContext, id: string) {
  const row = await tx.selectFrom('destination').select('id').where('id', '=', id).executeTakeFirst()
  if (row === undefined) refuse('NOT_FOUND', 'There is no such destination. destination.all lists those there are')
}

/** Of a name nothing is known before it is looked up for a call. */
export function checkSignalUrl({ config }: CommandContext, signalUrl: string | null | undefined) {
  const fault = signalUrl == null ? null : config.egress.faultOf(new URL(signalUrl).hostname)
  if (fault !== null) refuseField('signalUrl', fault.message)
}

/** A key that only the store holds is lost with it, and every dump too. */
export async function checkRecipient({ tx }: CommandContext, recipient: string | null | undefined) {
  if (recipient !== installationRecipient || (await findIdentity(tx))?.exportedAt != null) return
  refuse(
    'PRECONDITION_FAILED',
    'The identity that opens these dumps was never exported, and without it they are lost ' +
      'with this store. Run ./berth key export-backup-identity FILE on the machine of Berth, keep the file somewhere ' +
      'else, then repeat this call',
  )
}
