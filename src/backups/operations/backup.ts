/**
 * Operations on backups: read, list, update, remove, and read the age recipient of this installation. See create.ts, and
 * runs.ts for the operations on runs.
 */
import { z } from 'zod'
import { command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { findIdentity } from '../identity.ts'
import type { BackupTable } from '../table.ts'
import { shrinksOf } from '../retention/shrink-marks.ts'
import { deleteBackup, updateBackup } from '../queries.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Reader } from '../../store/schema.ts'
import { Backup, commonFields, optionalFields, toBackup } from '../fields.ts'
import { checkService, sentOptionalFields } from './create.ts'
import { findBackup } from './find.ts'
import { checkDestination, checkRecipient, checkSignalUrl, withDueTimes } from '../check-backup.ts'
import { cutPage, Id, idOf, page } from '../../api/fields.ts'

export const one = query({
  name: 'backup.one',
  summary: 'Read a backup',
  access: 'user:read',
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
  input: z.object({ ...page, serviceId: Id.optional().describe('Only the backups of this service') }),
  output: z.array(Backup),
  async run({ db, setNextCursor }, { limit, cursor = '', serviceId }) {
    let rows = db
      .selectFrom('backup')
      .selectAll()
      .where('subjectKind', '=', 'database')
      .where('id', '>', cursor)
      .orderBy('id')
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
  input: z.object({ backupId: idOf('backup'), ...commonFields, ...optionalFields }),
  output: Backup,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run(context, input) {
    const { tx, now } = context
    const { schedule, prefix, destinationId, database, enabled } = input
    const before = await findBackup(tx, input.backupId)
    checkDatabase(before.kind, database)
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

/** Refuses a name in a backup of all databases of a server. */
function checkDatabase(kind: string, database: string) {
  const only = kindNamed(kind).backup?.database
  if (only === undefined || database === only) return
  refuseField('database', `must be ${only}, because this backup has all databases of the server`)
}
