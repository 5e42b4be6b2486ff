/** The API's schemas of backups and runs, and the conversion of rows to answers. */
import { z } from 'zod'
import { kinds } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { cronFault, zoneFault } from '../lib/text/cron.ts'
import { isRecipient } from '../lib/crypto/encryption.ts'
import type { RunSummary } from './run-queries.ts'
import { type BackupTable, installationRecipient, noSafetyReasons } from './table.ts'
import type { Shrink } from './retention/shrink-marks.ts'
import { fromJson } from '../lib/json.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import { runReasonAnswer, runReasonNames } from '../dumps/run-reason-message.ts'
import { Id } from '../api/fields.ts'

/** The kinds of databases that can be backed up. */
export const dumpedKinds: readonly Kind[] = kinds.filter(({ backup }) => backup !== undefined)

export const Schedule = z
  .string()
  .max(255, 'must have at most 255 characters')
  .superRefine((text, context) => {
    const fault = cronFault(text)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })

const Timezone = z
  .string()
  .max(64, 'must have at most 64 characters')
  .superRefine((text, context) => {
    const fault = zoneFault(text)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })

/** The beginning of the object keys in the bucket: path segments joined by slashes. */
export const Prefix = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^[A-Za-z0-9!_.*'()/ -]*$/, "must contain only letters, digits, spaces and !-_.*'()/")
  .refine(
    (text) => !text.split('/').some((segment) => segment === '.' || segment === '..'),
    'must not contain the path segments . and ..',
  )

const Database = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must not contain control characters')

const Count = z
  .number()
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(10_000, 'must be at most 10,000')

const hasCredentials = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.username !== '' || url.password !== '')
}

/** The input fields of the contract that create and update have in common. */
export const shape = {
  schedule: Schedule.describe('When to dump: a cron expression with five fields, or a name such as @daily'),
  enabled: z
    .boolean()
    .nullable()
    .optional()
    .describe('Whether the schedules are active. Left out or null: true on create, unchanged on update'),
  prefix: Prefix.describe('The beginning of the keys of the dumps in the bucket'),
  destinationId: Id.describe('The destination that dumps are uploaded to'),
  database: Database.describe('The name of the database within the server'),
}

/** Input fields that Berth adds to the contract. */
export const extensions = {
  timezone: Timezone.optional().describe(
    'The time zone of the schedules, such as Europe/Berlin. Default on create: UTC',
  ),
  verifySchedule: Schedule.nullable()
    .optional()
    .describe('When to verify the last good dump, in the format of schedule. See backup.verify. null: never'),
  keepLatest: Count.nullable()
    .optional()
    .describe('Keep this number of the newest good dumps. null: no such rule. Without any rule, all dumps are kept'),
  keepDays: Count.nullable()
    .optional()
    .describe('Keep good dumps for this number of days, and the newest one longer. null: no such rule'),
  recipient: z
    .string()
    .max(255)
    .refine(
      (text) => text === installationRecipient || isRecipient(text),
      `must be an age recipient (age1…) or ${installationRecipient}`,
    )
    .nullable()
    .optional()
    .describe(
      'The age recipient that dumps are encrypted for. null: dumps are not encrypted. `installation`: Berth can ' +
        'decrypt the dumps itself; export its identity first (`./berth key export-backup-identity`). `age1…`: only ' +
        'the owner of that identity can decrypt the dumps; Berth cannot verify them',
    ),
  signalUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .max(2000)
    .refine(
      (text) => !hasCredentials(text),
      'must not contain a user or a password. Put the secret in the path or the query',
    )
    .nullable()
    .optional()
    .describe('A URL that Berth calls with GET after each good dump. A monitor behind it can report missing calls'),
}

export const links = Object.fromEntries(dumpedKinds.map(({ idField }) => [idField, Id.nullable().optional()]))
const answeredLinks = Object.fromEntries(dumpedKinds.map(({ idField }) => [idField, z.string().nullable()]))
export const DatabaseType = z.enum(dumpedKinds.map(({ name }) => name) as [string, ...string[]])

export const Backup = z.object({
  backupId: z.string(),
  databaseType: z.string(),
  ...answeredLinks,
  destinationId: z.string(),
  database: z.string(),
  prefix: z.string(),
  schedule: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  verifySchedule: z.string().nullable(),
  keepLatest: z.number().nullable(),
  keepDays: z.number().nullable(),
  recipient: z.string().nullable(),
  signalUrl: z.string().nullable(),
  createdAt: z.string(),
  nextAt: z.string().nullable().describe('When the next dump is due; null while disabled'),
  nextVerifyAt: z.string().nullable().describe('When the next drill is due; null while disabled or not scheduled'),
  shrunk: z
    .object({
      runId: z.string().describe('The run of the first dump that shrank'),
      shrunkFrom: z.string().describe('The run of the earlier dump that it was compared with'),
    })
    .nullable()
    .describe(
      'Set if dumps have less than half of the rows or bytes of an earlier dump. Retention then keeps all dumps ' +
        'older than runId until a dump has half of shrunkFrom again or backup.acceptShrink is called',
    ),
  promise: z.string().nullable().describe('What a dump of this product contains and what it does not'),
})

/** The reasons whose parameters are in the field `fault` of an answer. */
const faultReasons = ['LoadInterrupted', 'LoadFailed', 'InterruptedTooOften', 'ToolIdle', 'TookTooLong'] as const

const Fault = z.object({
  reason: z.enum(faultReasons),
  safetyRunId: z
    .string()
    .nullable()
    .optional()
    .describe('LoadInterrupted, LoadFailed: the run of the safety dump; null: none was made'),
  isAtomic: z
    .boolean()
    .optional()
    .describe('LoadInterrupted, LoadFailed: whether the database is unchanged unless the last step was completed'),
  times: z.number().optional().describe('InterruptedTooOften: how many times Berth ended during the run'),
  seconds: z.number().optional().describe('ToolIdle, TookTooLong: the time limit in seconds'),
})

export const Run = z.object({
  runId: z.string(),
  backupId: z.string().nullable().describe('null: the run belongs to no backup'),
  databaseType: z.string(),
  databaseId: z
    .string()
    .nullable()
    .describe('The service that is dumped or restored into. Drill: the service whose dump is verified'),
  database: z.string().describe('The name of the database within the server'),
  action: z.enum(['dump', 'verify', 'restore']),
  trigger: z.enum(['manual', 'schedule', 'safety']),
  status: z.enum(['running', 'done', 'error', 'skipped']),
  step: z.string().nullable().describe('The current step; null after the end of the run'),
  attempt: z.number().describe('The number of the current attempt, from 1'),
  reason: z.string().nullable().describe('Why the run waits, failed or was skipped, or the result of a drill'),
  reasonCode: z
    .enum(runReasonNames)
    .nullable()
    .describe(
      'The code of the reason. Later versions may add codes. Legacy: an older version of Berth stored the reason',
    ),
  fault: Fault.nullable().describe(
    'The parameters of some reasons; null for the other reasons. Later versions may add reasons',
  ),
  key: z
    .string()
    .nullable()
    .describe(
      'The key of the object in the bucket; null: there is none. Its manifest has this key with .json appended. ' +
        'Failed dump: the key of uploaded data that Berth still has to delete',
    ),
  sizeBytes: z.number().nullable().describe('The size of the object as stored'),
  rawBytes: z.number().nullable().describe('The size of the dump before compression'),
  rowCount: z
    .number()
    .nullable()
    .describe('Good dump: the number of rows in all tables and collections; null: not counted'),
  shrunkFrom: z
    .string()
    .nullable()
    .describe(
      'Good dump that shrank: the run of the earlier dump that it was compared with. The dump has less than half of ' +
        'the rows or bytes of the earlier one',
    ),
  sha256: z.string().nullable().describe('The SHA-256 checksum of the object as stored'),
  progressBytes: z.number().describe('The number of bytes transferred so far'),
  bytesPerSecond: z.number().nullable().describe('The average throughput so far; null after the end of the run'),
  encrypted: z.boolean().describe('Whether the object is encrypted. Its manifest names the recipient'),
  sourceRunId: z
    .string()
    .nullable()
    .describe('Drill or restore: the run of the dump that is read; null for a restore by key'),
  safetyRunId: z.string().nullable().describe('Restore: the run of the safety dump; null: none was made yet'),
  safety: z
    .enum(noSafetyReasons)
    .nullable()
    .describe(
      'Restore: why it makes no safety dump. NewService: the restore creates the service. NotWanted: skipSafetyDump ' +
        'was set. TargetEmpty: the database does not exist or is empty. null: it makes one',
    ),
  expiresAt: z.string().nullable().describe('Safety dump: when Berth deletes its object'),
  verifiedAt: z.string().nullable().describe('Dump: when a drill last verified it without a difference'),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
})

/** The parameters of a reason in the answer; null for a reason that is not in `faultReasons`. */
function faultOf(reason: RunReason | null): z.infer<typeof Fault> | null {
  switch (reason?.reason) {
    case 'LoadInterrupted':
    case 'LoadFailed': {
      const { reason: name, safetyRunId, isAtomic } = reason
      return { reason: name, safetyRunId, isAtomic }
    }
    case 'InterruptedTooOften':
    case 'ToolIdle':
    case 'TookTooLong':
      return reason
    default:
      return null
  }
}

/**
 * Converts a row to the API's answer.
 * @param shrunk the shrink that is not yet accepted, from `shrinksOf` in retention/shrink-marks.ts; null: none
 */
export function toBackup({ id, kind, databaseId, ...row }: BackupTable, shrunk: Shrink | null) {
  const linked = Object.fromEntries(
    dumpedKinds.map(({ name, idField }) => [idField, name === kind ? databaseId : null]),
  )
  const promise = dumpedKinds.find(({ name }) => name === kind)?.backup?.promise ?? null
  return { ...row, ...linked, backupId: id, databaseType: kind, enabled: row.enabled === 1, shrunk, promise }
}

/**
 * Converts a row to the API's answer.
 * @param now the current time, for the throughput of an open run
 */
export function toRun(row: RunSummary, now: Date) {
  const isOpen = row.status === 'waiting' || row.status === 'running'
  const seconds = row.startedAt === null ? 0 : (now.getTime() - Date.parse(row.startedAt)) / 1000
  return {
    ...row,
    runId: row.id,
    databaseType: row.kind,
    ...runReasonAnswer(row.reason),
    fault: faultOf(fromJson(row.reason)),
    status: row.status === 'waiting' ? ('running' as const) : row.status,
    step: isOpen ? row.step : null,
    encrypted: row.recipient !== null,
    bytesPerSecond: isOpen && seconds > 0 ? Math.round(row.progressBytes / seconds) : null,
  }
}
