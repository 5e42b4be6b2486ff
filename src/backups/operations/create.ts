/** The operations that create a backup: one for most kinds, and one for each kind whose dumps have a whole server. */
import { z } from 'zod'
import { idOf } from '../../api/fields.ts'
import { command, type CommandContext, type Operation } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { checkDestination, checkRecipient, checkSignalUrl, withDueTimes } from '../check-backup.ts'
import {
  Backup,
  commonFields,
  createdKinds,
  DatabaseType,
  dumpedKinds,
  linksOf,
  optionalFields,
  scheduleFields,
  toBackup,
} from '../fields.ts'
import { insertBackup } from '../queries.ts'
import type { BackupTable } from '../table.ts'

type OptionalFields = z.output<z.ZodObject<typeof optionalFields>>

export const create = command({
  name: 'backup.create',
  summary: 'Create a backup, which dumps a database on a schedule',
  access: 'user:admin',
  input: z.object({ ...commonFields, databaseType: DatabaseType, ...linksOf(createdKinds), ...optionalFields }),
  output: Backup,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run(context, input) {
    const { databaseType: kind, database } = input
    return insertNew(context, { kind, database, databaseId: linkedId(kind, input) }, input)
  },
})

/** The operations that create a backup of all databases of a server: one for each kind that needs one. */
export const creations: readonly Operation[] = dumpedKinds.flatMap((kind) => {
  const { name, label, idField, createBackup, backup } = kind
  return createBackup === undefined
    ? []
    : command({
        name: `backup.${createBackup}`,
        summary: `Create a backup of ${label}, which dumps all databases of a server on a schedule`,
        description:
          `A dump has all databases of the server, so this operation has no field for a name. \`database\` of the ` +
          `answer is ${backup!.database}. backup.update changes the backup, with the same value.`,
        access: 'user:admin',
        input: z.object({ ...scheduleFields, [idField]: idOf(`${label} service`), ...optionalFields }),
        output: Backup,
        refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        run: async (context, input) => {
          const databaseId = (input as Record<string, unknown>)[idField] as string
          return insertNew(context, { kind: name, database: backup!.database!, databaseId }, input)
        },
      })
})

type Schedule = z.output<z.ZodObject<typeof scheduleFields>>

/** Inserts a backup of a service, which must exist. */
async function insertNew(
  context: CommandContext,
  subject: Pick<BackupTable, 'kind' | 'databaseId' | 'database'>,
  input: Schedule & OptionalFields,
) {
  const { tx, newId, now } = context
  const { schedule, prefix, destinationId, enabled } = input
  await checkService(context, subject.kind, subject.databaseId)
  await checkDestination(context, destinationId)
  await checkRecipient(context, input.recipient)
  checkSignalUrl(context, input.signalUrl)
  const row: BackupTable = withDueTimes(
    {
      ...subject,
      id: newId(),
      subjectKind: 'database',
      destinationId,
      schedule,
      timezone: 'UTC',
      enabled: enabled === false ? 0 : 1,
      prefix,
      verifySchedule: null,
      keepLatest: null,
      keepDays: null,
      recipient: null,
      signalUrl: null,
      createdAt: now().toISOString(),
      nextAt: null,
      nextVerifyAt: null,
      ...sentOptionalFields(input),
    },
    now(),
  )
  await insertBackup(tx, row)
  context.wake('backups')
  return toBackup(row, null)
}

/** The optional fields that the caller sent. */
export function sentOptionalFields({
  timezone,
  verifySchedule,
  keepLatest,
  keepDays,
  recipient,
  signalUrl,
}: OptionalFields) {
  const all = { timezone, verifySchedule, keepLatest, keepDays, recipient, signalUrl }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<BackupTable>
}

/** Returns the id of the service to back up. Refuses the id field of another kind. */
function linkedId(kind: string, input: Record<string, unknown>): string {
  const { idField } = createdKinds.find(({ name }) => name === kind)!
  for (const other of createdKinds) {
    if (other.idField !== idField && input[other.idField] != null) {
      refuseField(other.idField, `must be left out, because databaseType is ${kind}`)
    }
  }
  const databaseId = input[idField]
  if (typeof databaseId !== 'string') refuseField(idField, `is required, because databaseType is ${kind}`)
  return databaseId
}

/** Refuses an unknown service. */
export async function checkService({ tx }: CommandContext, kind: string, databaseId: string) {
  const row = await tx
    .selectFrom('database')
    .select('id')
    .where('id', '=', databaseId)
    .where('kind', '=', kind)
    .where('goal', '!=', 'gone')
    .executeTakeFirst()
  if (row === undefined) refuse('NOT_FOUND', `No ${kind} service with this id. project.all lists every service`)
}
