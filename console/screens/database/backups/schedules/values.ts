/** The fields of the form of a backup, and the input of the API. Pure. */
import type { Backup } from '../../../../../client/client.ts'
import { type KeepValues, keepInput, keepValues } from '../../../../components/schedule/keep-fields.tsx'
import type { DatabaseRecord } from '../../../../data/kinds.ts'

export interface BackupValues extends KeepValues {
  destinationId: string
  database: string
  schedule: string
  verifySchedule: string
  timezone: string
  prefix: string
  /** '': dumps are not encrypted. `installation` or an age recipient. */
  recipient: string
  enabled: boolean
}

export const fieldLabels: Record<keyof BackupValues, string> = {
  destinationId: 'Destination',
  database: 'Database within the server',
  schedule: 'When to dump',
  verifySchedule: 'When to verify',
  timezone: 'Time zone of the schedules',
  prefix: 'Beginning of the keys in the bucket',
  recipient: 'Encryption',
  enabled: 'Dump by this schedule',
  keepLatest: 'Keep the newest',
  keepDays: 'Keep for days',
  signalUrl: 'URL to call after each good dump',
}

export const newBackup = (record: DatabaseRecord): BackupValues => ({
  ...{ destinationId: '', database: record.databaseName ?? '', schedule: '0 3 * * *', verifySchedule: '0 5 * * 0' },
  ...{ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, prefix: record.appName, recipient: '' },
  ...{ enabled: true, keepLatest: '14', keepDays: '', signalUrl: '' },
})

export const backupValues = (backup: Backup): BackupValues => ({
  ...{ destinationId: backup.destinationId, database: backup.database, schedule: backup.schedule },
  ...{ verifySchedule: backup.verifySchedule ?? '', timezone: backup.timezone, prefix: backup.prefix },
  ...{ recipient: backup.recipient ?? '', enabled: backup.enabled },
  ...keepValues(backup),
})

export const backupInput = ({ verifySchedule, recipient, schedule, ...rest }: BackupValues) => ({
  ...rest,
  ...keepInput(rest),
  schedule: schedule.trim(),
  verifySchedule: verifySchedule.trim() === '' ? null : verifySchedule.trim(),
  recipient: recipient.trim() === '' ? null : recipient.trim(),
})
