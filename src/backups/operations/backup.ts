/**
 * Operations on backups: create, read, list, update, remove, and read the age recipient of this installation. The
 * operations on runs are in runs.ts.
 */
import { z } from 'zod'
import { command, type CommandContext, query } from '../../api/contract.ts'
import { databaseInReach } from '../../api/reach/filter.ts'
import { refuse, refuseField } from '../../errors.ts'
import { findIdentity } from '../identity.ts'
import type { BackupTable } from '../table.ts'
import { shrinksOf } from '../retention/shrink-marks.ts'
import { deleteBackup, insertBackup, updateBackup } from '../queries.ts'
import type { Reader } from '../../store/schema.ts'
import { Backup, commonFields, DatabaseType, dumpedKinds, links, optionalFields, toBackup } from '../fields.ts'
import { findBackup } from './find.ts'
import { checkDestination, checkRecipient, checkSignalUrl, withDueTimes } from '../check-backup.ts'
import { cutPage, Id, idOf, page } from '../../api/fields.ts'

type OptionalFields = z.output<z.ZodObject<typeof optionalFields>>

export const create = command({
  name: 'backup.create',
  summary: 'Create a backup, which dumps a database on a schedule',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ ...commonFields, databaseType: DatabaseType, ...links, ...optionalFields }),
  output: Backup,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run(context, input) {
    const { tx, newId, now } = context
    const { schedule, prefix, destinationId, database, databaseType, enabled } = input
    const databaseId = await linkedService(context, databaseType, input)
    await checkDestination(context, destinationId)
    await checkRecipient(context, input.recipient)
    checkSignalUrl(context, input.signalUrl)
    const row: BackupTable = withDueTimes(
      {
        id: newId(),
        subjectKind: 'database',
        kind: databaseType,
        databaseId,
        destinationId,
        schedule,
        timezone: 'UTC',
        enabled: enabled === false ? 0 : 1,
        prefix,
        database,
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
  },
})

export const one = query({
  name: 'backup.one',
  summary: 'Read a backup',
  access: 'user:read',
  reach: 'project',
  input: z.object({ backupId: idOf('backup') }),
  output: Backup,
  refusals: ['NOT_FOUND'],
  tag: { observed: ['nextAt', 'nextVerifyAt', 'shrunk', 'promise'] },
  run: async ({ db }, { backupId }) => withShrink(db, await findBackup(db, backupId)),
})

export const all = query({
  name: 'backup.all',
  summary: 'List the backups, oldest first',
  access: 'user:read',
  reach: 'filtered',
  input: z.object({ ...page, serviceId: Id.optional().describe('Only the backups of this service') }),
  output: z.array(Backup),
  async run({ db, actor, setNextCursor }, { limit, cursor = '', serviceId }) {
    let rows = db
      .selectFrom('backup')
      .selectAll()
      .where('subjectKind', '=', 'database')
      .where('id', '>', cursor)
      .orderBy('id')
    if (actor.reach !== 'all') rows = rows.where(databaseInReach(actor.reach, 'backup.databaseId'))
    if (serviceId !== undefined) rows = rows.where('databaseId', '=', serviceId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const shrinks = await shrinksOf(db)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toBackup(row, shrinks.get(row.id) ?? null))
  },
})

export const readRecipient = query({
  name: 'backup.installationRecipient',
  summary: 'Read the age recipient of this installation, and when its identity was exported',
  description:
    'Dumps with the recipient `installation` are encrypted for this recipient. Both fields are null until ' +
    '`berth key export-backup-identity` was run on the machine of Berth. Only this command outputs the identity. ' +
    '`age -d -i FILE` decrypts the dumps with the exported file, without Berth.',
  access: 'user:read',
  reach: 'own',
  input: z.object({}),
  output: z.object({
    recipient: z.string().nullable().describe('The public age recipient, age1…; null before the first export'),
    exportedAt: z.string().nullable().describe('When the identity was last exported; null: never'),
  }),
  run: async ({ db }) => (await findIdentity(db)) ?? { recipient: null, exportedAt: null },
})

export const update = command({
  name: 'backup.update',
  summary: 'Change a backup',
  description:
    'Optional fields that are left out keep their value. Runs under way keep the database, the destination and the ' +
    'recipient that they began with.',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ backupId: idOf('backup'), ...commonFields, ...optionalFields }),
  output: Backup,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run(context, input) {
    const { tx, now } = context
    const { schedule, prefix, destinationId, database, enabled } = input
    const before = await findBackup(tx, input.backupId)
    if (destinationId !== before.destinationId) await checkDestination(context, destinationId)
    await checkRecipient(context, input.recipient)
    checkSignalUrl(context, input.signalUrl)
    if (enabled === true && before.enabled === 0) await checkService(context, before.kind, before.databaseId)
    const isEnabled = enabled == null ? before.enabled : enabled ? 1 : 0
    const row = withDueTimes(
      { ...before, schedule, prefix, destinationId, database, enabled: isEnabled, ...sentOptionalFields(input) },
      now(),
      before,
    )
    await updateBackup(tx, row)
    context.wake('backups')
    return withShrink(tx, row)
  },
})

export const remove = command({
  name: 'backup.remove',
  summary: 'Remove a backup and the list of its runs; its dumps stay in the bucket',
  description:
    'The call is refused while a run of the backup is under way. backup.restore can restore the dumps by ' +
    '`destinationId` and `key`.',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ backupId: idOf('backup') }),
  output: Backup,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx }, { backupId }) {
    const row = await findBackup(tx, backupId)
    const open = await tx
      .selectFrom('backupRun')
      .select('id')
      .where('backupId', '=', backupId)
      .where('finishedAt', 'is', null)
      .executeTakeFirst()
    if (open !== undefined) {
      refuse('CONFLICT', `Run ${open.id} of this backup is under way. Wait for its end, or call backup.cancel`)
    }
    await deleteBackup(tx, backupId)
    return toBackup(row, null)
  },
})

const withShrink = async (db: Reader, row: BackupTable) =>
  toBackup(row, (await shrinksOf(db, row.id)).get(row.id) ?? null)

/** The optional fields that the caller sent. */
function sentOptionalFields({ timezone, verifySchedule, keepLatest, keepDays, recipient, signalUrl }: OptionalFields) {
  const all = { timezone, verifySchedule, keepLatest, keepDays, recipient, signalUrl }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<BackupTable>
}

/** Returns the id of the service to back up. Refuses the id field of another kind, and an unknown service. */
async function linkedService(context: CommandContext, kind: string, input: Record<string, unknown>): Promise<string> {
  const { idField } = dumpedKinds.find(({ name }) => name === kind)!
  for (const other of dumpedKinds) {
    if (other.idField !== idField && input[other.idField] != null) {
      refuseField(other.idField, `must be left out, because databaseType is ${kind}`)
    }
  }
  const databaseId = input[idField]
  if (typeof databaseId !== 'string') refuseField(idField, `is required, because databaseType is ${kind}`)
  await checkService(context, kind, databaseId)
  return databaseId
}

async function checkService({ tx }: CommandContext, kind: string, databaseId: string) {
  const row = await tx
    .selectFrom('database')
    .select('id')
    .where('id', '=', databaseId)
    .where('kind', '=', kind)
    .where('goal', '!=', 'gone')
    .executeTakeFirst()
  if (row === undefined) refuse('NOT_FOUND', `No ${kind} service with this id. project.all lists every service`)
}
