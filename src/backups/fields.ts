/** Backups and their runs as the API takes and answers them: schemas, and rows converted to answers. */
import { z } from 'zod'
import { refuse } from '../errors.ts'
import { kinds } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { cronFault, zoneFault } from '../lib/text/cron.ts'
import { isRecipient } from '../lib/crypto/encryption.ts'
import type { RunSummary } from './run-queries.ts'
import { type BackupRunTable, type BackupTable, installationRecipient, noSafetyReasons } from './table.ts'
import type { Shrink } from './retention/shrink-marks.ts'
import { fromJson } from '../lib/json.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import { runReasonAnswer, runReasonNames } from '../dumps/run-reason-message.ts'
import type { Reader } from '../store/schema.ts'
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

/** The beginning of object keys in the bucket: parts joined by slashes. */
export const Prefix = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^[A-Za-z0-9!_.*'()/ -]*$/, "must be letters, digits, spaces and !-_.*'()/")
  .refine((text) => !text.split('/').some((part) => part === '.' || part === '..'), 'must not have a part . or ..')

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

/** Input fields that create and update have in common. */
export const shape = {
  schedule: Schedule.describe('Cron, five fields, or @daily and the like'),
  enabled: z.boolean().nullable().optional().describe('On create true, where it is left out; on update it stays'),
  prefix: Prefix,
  destinationId: Id,
  database: Database.describe('The name of the database within the server'),
}

/** Input fields that Berth adds to the contract. */
export const extensions = {
  timezone: Timezone.optional().describe('Of the schedules; UTC without it'),
  verifySchedule: Schedule.nullable().optional().describe('When the last good dump is restored and compared'),
  keepLatest: Count.nullable().optional().describe('So many good dumps stay; null: all'),
  keepDays: Count.nullable().optional().describe('Good dumps stay so many days; the newest stays in any case'),
  recipient: z
    .string()
    .max(255)
    .refine(
      (text) => text === installationRecipient || isRecipient(text),
      `must be an age recipient, like age1…, or ${installationRecipient}`,
    )
    .nullable()
    .optional()
    .describe(
      'Dumps are encrypted for it (age). `installation`: for the identity of Berth ' +
        'itself, which has to be exported first; drills and restores open these dumps. Of another recipient (`age1…`) ' +
        'Berth does not hold the identity',
    ),
  signalUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .max(2000)
    .refine((text) => !hasCredentials(text), 'must not have a user or a password: give the secret in its path or query')
    .nullable()
    .optional()
    .describe('Asked by GET after each good run, for a watch that misses it when it stays away'),
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
  nextAt: z.string().nullable().describe('When it is due next; null while disabled'),
  nextVerifyAt: z.string().nullable(),
  shrunk: z
    .object({ runId: z.string().describe('The first dump that holds less than half'), shrunkFrom: z.string() })
    .nullable()
    .describe(
      'Set while dumps hold less than half of what they held before: retention keeps all that was ' +
        'made before runId, until one holds half of shrunkFrom again or backup.acceptShrink is called',
    ),
  promise: z.string().nullable().describe('What a dump of this product cannot promise'),
})

/** The reasons whose parameters an answer gives in `fault`. */
const faultReasons = ['LoadInterrupted', 'LoadFailed', 'InterruptedTooOften', 'ToolIdle', 'TookTooLong'] as const

const Fault = z.object({
  reason: z.enum(faultReasons),
  safetyRunId: z.string().nullable().optional().describe('Of a load: the dump that was made before; null: none was'),
  isAtomic: z
    .boolean()
    .optional()
    .describe('Of a load: the database is as it was, unless the last step of the restore was done'),
  times: z.number().optional().describe('Of InterruptedTooOften: so often Berth ended during the run'),
  seconds: z.number().optional().describe('Of ToolIdle and TookTooLong: the deadline'),
})

export const Run = z.object({
  runId: z.string(),
  backupId: z.string().nullable(),
  databaseType: z.string(),
  databaseId: z.string().nullable().describe('The service that is dumped, or restored into'),
  database: z.string(),
  action: z.enum(['dump', 'verify', 'restore']),
  trigger: z.enum(['manual', 'schedule', 'safety']),
  status: z.enum(['running', 'done', 'error', 'skipped']),
  step: z.string().nullable().describe('Where it is; null once it has ended'),
  attempt: z.number(),
  reason: z.string().nullable().describe('Why it failed or was skipped, or what a drill found'),
  reasonCode: z
    .enum(runReasonNames)
    .nullable()
    .describe('The name of the reason. More may come. Legacy: stored by an older version of Berth'),
  fault: Fault.nullable().describe('The parameters of the reason, for those that Berth gives. More reasons may come'),
  key: z
    .string()
    .nullable()
    .describe(
      'Of the object; its manifest is beside it, with .json. Of a failed ' +
        'dump: of what it has sent, as long as that is not deleted',
    ),
  sizeBytes: z.number().nullable().describe('Of the object, as it is stored'),
  rawBytes: z.number().nullable().describe('Of the dump itself'),
  rowCount: z.number().nullable().describe('Of a good dump: in all its tables and collections'),
  shrunkFrom: z
    .string()
    .nullable()
    .describe(
      'Of a good dump with less than half of the rows or bytes: the run of the ' +
        'dump before that it was compared with',
    ),
  sha256: z.string().nullable().describe('Of the object'),
  progressBytes: z.number().describe('What has passed so far'),
  bytesPerSecond: z.number().nullable().describe('While it runs'),
  encrypted: z.boolean().describe('For the recipient that its manifest names'),
  sourceRunId: z.string().nullable().describe('Of a drill or a restore: the run whose object it reads'),
  safetyRunId: z.string().nullable().describe('Of a restore: the dump that was made before'),
  safety: z
    .enum(noSafetyReasons)
    .nullable()
    .describe(
      'Of a restore: why no dump is made before. NewService: it makes the ' +
        'service itself; NotWanted: skipSafetyDump was sent; TargetEmpty: the database is not there, or nothing in it',
    ),
  expiresAt: z.string().nullable().describe('Of a safety dump: when its object is deleted'),
  verifiedAt: z.string().nullable().describe('When a drill last restored it and found it equal'),
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

/** @param shrunk the shrink that is not yet accepted, from `shrinksOf` in retention/shrink-marks.ts */
export function toBackup({ id, kind, databaseId, ...row }: BackupTable, shrunk: Shrink | null) {
  const linked = Object.fromEntries(
    dumpedKinds.map(({ name, idField }) => [idField, name === kind ? databaseId : null]),
  )
  const promise = dumpedKinds.find(({ name }) => name === kind)?.backup?.promise ?? null
  return { ...row, ...linked, backupId: id, databaseType: kind, enabled: row.enabled === 1, shrunk, promise }
}

/** @param now the current time, for the throughput of an open run */
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

/** Throws NOT_FOUND if the backup does not exist or is of Berth's own state. */
export async function findBackup(db: Reader, backupId: string): Promise<BackupTable> {
  const row = await db
    .selectFrom('backup')
    .selectAll()
    .where('id', '=', backupId)
    .where('subjectKind', '=', 'database')
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'There is no such backup. backup.all lists those there are')
}

/** Throws NOT_FOUND if the run does not exist or belongs to another backup. */
export async function findRun(db: Reader, backupId: string, runId: string): Promise<BackupRunTable> {
  const row = await db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', runId)
    .where('backupId', '=', backupId)
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'This backup has no such run. backup.runs lists them')
}
