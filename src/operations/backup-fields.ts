/** What backups and their runs are in calls and answers. */
import { z } from 'zod'
import { refuse } from '../errors.ts'
import { kinds } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { cronFault, zoneFault } from '../lib/cron.ts'
import { isRecipient } from '../lib/encryption.ts'
import { type BackupRunTable, type BackupTable, stateKind } from '../store/backup-schema.ts'
import type { Reader } from '../store/schema.ts'
import { Id } from './fields.ts'

/** Those that can be backed up. */
export const dumpedKinds: readonly Kind[] = kinds.filter(({ backup }) => backup !== undefined)

export const Schedule = z.string().max(255, 'must have at most 255 characters').superRefine((text, context) => {
  const fault = cronFault(text)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})

const Timezone = z.string().max(64, 'must have at most 64 characters').superRefine((text, context) => {
  const fault = zoneFault(text)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})

/** A label within the bucket: parts of keys, joined by slashes. */
export const Prefix = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters')
  .regex(/^[A-Za-z0-9!_.*'()/ -]*$/, 'must be letters, digits, spaces and !-_.*\'()/')
  .refine((text) => !text.split('/').some((part) => part === '.' || part === '..'), 'must not have a part . or ..')

const Database = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters')
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must not contain control characters')

const Count = z.number().int('must be a whole number').min(1, 'must be at least 1')
  .max(10_000, 'must be at most 10,000')

/** What create and update take alike. */
export const shape = {
  schedule: Schedule.describe('Cron, five fields, or @daily and the like'),
  enabled: z.boolean().nullable().optional().describe('On create true, where it is left out; on update it stays'),
  prefix: Prefix,
  destinationId: Id,
  database: Database.describe('The name of the database within the server'),
}

/** Extensions of the contract. */
export const extensions = {
  timezone: Timezone.optional().describe('Of the schedules; UTC without it'),
  verifySchedule: Schedule.nullable().optional().describe('When the last good dump is restored and compared'),
  keepLatest: Count.nullable().optional().describe('So many good dumps stay; null: all'),
  keepDays: Count.nullable().optional().describe('Good dumps stay so many days; the newest stays in any case'),
  recipient: z.string().max(255).refine((text) => isRecipient(text), 'must be an age recipient, like age1…')
    .nullable().optional().describe('Dumps are encrypted for it (age); Berth does not hold the identity'),
  signalUrl: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).max(2000).nullable().optional()
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
  promise: z.string().nullable().describe('What a dump of this product cannot promise'),
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
  key: z.string().nullable().describe('Of the object; its manifest is beside it, with .json'),
  sizeBytes: z.number().nullable().describe('Of the object, as it is stored'),
  rawBytes: z.number().nullable().describe('Of the dump itself'),
  sha256: z.string().nullable().describe('Of the object'),
  progressBytes: z.number().describe('What has passed so far'),
  bytesPerSecond: z.number().nullable().describe('While it runs'),
  encrypted: z.boolean(),
  sourceRunId: z.string().nullable().describe('Of a drill or a restore: the run whose object it reads'),
  safetyRunId: z.string().nullable().describe('Of a restore: the dump that was made before'),
  verifiedAt: z.string().nullable().describe('When a drill last restored it and found it equal'),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
})

export function toBackup({ id, kind, databaseId, ...row }: BackupTable) {
  const linked = Object.fromEntries(
    dumpedKinds.map(({ name, idField }) => [idField, name === kind ? databaseId : null]))
  const promise = dumpedKinds.find(({ name }) => name === kind)?.backup?.promise ?? null
  return { ...row, ...linked, backupId: id, databaseType: kind, enabled: row.enabled === 1, promise }
}

export function toRun(row: BackupRunTable, now: Date) {
  const isOpen = row.status === 'waiting' || row.status === 'running'
  const seconds = row.startedAt === null ? 0 : (now.getTime() - Date.parse(row.startedAt)) / 1000
  return {
    ...row, runId: row.id, databaseType: row.kind, status: row.status === 'waiting' ? 'running' as const : row.status,
    step: isOpen ? row.step : null, encrypted: row.recipient !== null,
    bytesPerSecond: isOpen && seconds > 0 ? Math.round(row.progressBytes / seconds) : null,
  }
}

export async function findBackup(db: Reader, backupId: string): Promise<BackupTable> {
  const row = await db.selectFrom('backup').selectAll().where('id', '=', backupId).where('kind', '!=', stateKind)
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'There is no such backup. backup.all lists those there are')
}

/** Refuses a run of another backup as one that is not there. */
export async function findRun(db: Reader, backupId: string, runId: string): Promise<BackupRunTable> {
  const row = await db.selectFrom('backupRun').selectAll().where('id', '=', runId).where('backupId', '=', backupId)
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'This backup has no such run. backup.runs lists them')
}
