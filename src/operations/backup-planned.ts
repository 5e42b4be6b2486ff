/** What a backup is checked for and given before it is stored, whatever it is of. */
import type { CommandContext } from '../contract.ts'
import { refuse } from '../errors.ts'
import { nextTime } from '../lib/cron.ts'
import type { BackupTable } from '../store/backup-schema.ts'

/** With the times at which it is due next. A time that has come already is kept where nothing about it has changed. */
export function planned(row: BackupTable, now: Date, before?: BackupTable): BackupTable {
  const next = (name: 'schedule' | 'verifySchedule', due: 'nextAt' | 'nextVerifyAt') => {
    const expression = row[name]
    if (row.enabled === 0 || expression === null) return null
    const isSame = before?.enabled === 1 && before[name] === expression && before.timezone === row.timezone
    return isSame ? before[due] : nextTime(expression, row.timezone, now)?.toISOString() ?? null
  }
  return { ...row, nextAt: next('schedule', 'nextAt'), nextVerifyAt: next('verifySchedule', 'nextVerifyAt') }
}

export async function checkDestination({ tx }: CommandContext, id: string) {
  const row = await tx.selectFrom('destination').select('id').where('id', '=', id).executeTakeFirst()
  if (row === undefined) refuse('NOT_FOUND', 'There is no such destination. destination.all lists those there are')
}
