/** The API's schemas of backups, and the conversion of their rows to answers. For runs, see run-fields.ts. */
import { z } from 'zod'
import { kinds } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { cronFault, zoneFault } from '../lib/text/cron.ts'
import { isRecipient } from '../lib/crypto/encryption.ts'
import { type BackupTable, installationRecipient } from './table.ts'
import type { Shrink } from './retention/shrink-marks.ts'
import { answeredIdOf, CreatedAt, Id } from '../api/fields.ts'

/** The kinds of databases that can be backed up. */
export const dumpedKinds: readonly Kind[] = kinds.filter(({ backup }) => backup !== undefined)

export const Schedule = z
  .string()
  .max(255, 'must have at most 255 characters')
  .superRefine((text, context) => {
    const fault = cronFault(text)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })

/** The kinds that `backup.create` accepts. The contract fixes them; the others have an operation each. */
export const createdKinds: readonly Kind[] = dumpedKinds.filter(({ createBackup }) => createBackup === undefined)

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

/** The input fields that all operations have which create or change a backup. */
export const scheduleFields = {
  schedule: Schedule.describe(
    'When to dump: a cron expression with five fields, such as `0 3 * * *` for every day at three, or a name such as ' +
      '@daily',
  ),
  enabled: z
    .boolean()
    .nullable()
    .optional()
    .describe('Whether the schedules are active. Left out or null: true on create, unchanged on update'),
  prefix: Prefix.describe('The beginning of the keys of the dumps in the bucket, such as nightly or team/nightly'),
  destinationId: Id.describe('The destination that dumps are uploaded to'),
}

/** The input fields that backup.create and backup.update have in common. */
export const commonFields = {
  ...scheduleFields,
  database: Database.describe(
    'The name of the database within the server. In a backup of Redis, which has all of them: `all`',
  ),
}

/**
 * Further input fields of backup.create and backup.update. A field that is left out gets its default in backup.create,
 * and keeps its value in backup.update.
 */
export const optionalFields = {
  timezone: Timezone.optional().describe(
    'The time zone of the schedules, such as Europe/Berlin. Default on create: UTC',
  ),
  verifySchedule: Schedule.nullable()
    .optional()
    .describe('When to verify the last good dump, in the format of schedule. See backup.verify. null: never'),
  keepLatest: Count.nullable()
    .optional()
    .describe('Keep this number of the newest good dumps. null: no such rule. If no rule is set, all dumps are kept'),
  keepDays: Count.nullable()
    .optional()
    .describe('Keep good dumps for this number of days. The newest good dump is always kept. null: no such rule'),
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
        'decrypt the dumps itself; export its identity first (`berth key export-backup-identity`). `age1…`: only ' +
        'the owner of that identity can decrypt the dumps, and backup.verify refuses them',
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
    .describe(
      'A URL that Berth calls with GET after each good dump, so that a monitor notices missing calls. null: none',
    ),
}

/**
 * The input fields for the id of the service: one per kind, such as `postgresId`. A caller sends only the field of the
 * service's kind.
 */
export const linksOf = (kinds: readonly Kind[]) =>
  Object.fromEntries(
    kinds.map(({ idField, label }) => [
      idField,
      Id.nullable().optional().describe(`The ${label} service. Leave out the ids of other kinds`),
    ]),
  )
const answeredLinks = Object.fromEntries(
  dumpedKinds.map(({ idField, label }) => [
    idField,
    z.string().nullable().describe(`Id of the ${label} service; null for a backup of another kind`),
  ]),
)
export const DatabaseType = z
  .enum(createdKinds.map(({ name }) => name) as [string, ...string[]])
  .describe('Kind of the service. Send the id of the service in the field of this kind')

export const Backup = z.object({
  backupId: answeredIdOf('backup'),
  databaseType: z.string().describe('Kind of the service, such as postgres'),
  ...answeredLinks,
  destinationId: answeredIdOf('destination of the dumps'),
  database: z.string().describe('The name of the database within the server; `all` for a backup of Redis'),
  prefix: z.string().describe('The beginning of the keys of the dumps in the bucket'),
  schedule: z.string().describe('When to dump: a cron expression with five fields, or a name such as @daily'),
  timezone: z.string().describe('The time zone of the schedules'),
  enabled: z.boolean().describe('Whether the schedules are active'),
  verifySchedule: z.string().nullable().describe('When the last good dump is verified; null: never'),
  keepLatest: z.number().nullable().describe('How many of the newest good dumps are kept; null: no such rule'),
  keepDays: z.number().nullable().describe('For how many days good dumps are kept; null: no such rule'),
  recipient: z.string().nullable().describe('The age recipient, or `installation`; null: dumps are not encrypted'),
  signalUrl: z.string().nullable().describe('The URL that Berth calls after each good dump; null: none'),
  createdAt: CreatedAt,
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
        'older than runId, until a dump has at least half of the rows and bytes of shrunkFrom or ' +
        'backup.acceptShrink is called',
    ),
  promise: z.string().nullable().describe('What a dump of this product contains and what it does not'),
})

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
