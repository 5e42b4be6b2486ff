/**
 * Operations on runs of backups: dump, verify, list, cancel. One more lists the objects in a bucket. The operations
 * only insert or mark runs; the loop (../loop.ts) does the work.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { folderOf } from '../../dumps/manifest.ts'
import { command, type CommandContext, inspect, type Operation, query, type QueryContext } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { findIdentity } from '../identity.ts'
import { insertRun, lastGoodOf, runColumnsOf, openRunOf, summaryColumns } from '../run-queries.ts'
import type { BackupRunTable, BackupTable } from '../table.ts'
import { openDestination } from '../destinations/open.ts'
import type { Writer } from '../../store/schema.ts'
import { dumpedKinds } from '../fields.ts'
import { Run, RunStatus, toRun } from '../run-fields.ts'
import { findBackup, findRun } from './find.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { afterCursor, cutPage, Id, idOf, Order, page, Since } from '../../api/fields.ts'
import { instantOf } from '../../api/instants.ts'

/** The operations that start a dump: one for each kind of database. */
export const manualBackups: readonly Operation[] = dumpedKinds.map((kind) =>
  command({
    name: `backup.${kind.manualBackup}`,
    summary: `Dump the ${kind.label} database of a backup now`,
    access: 'user:deploy',
    work: 'read',
    input: z.object({ backupId: idOf('backup') }),
    output: Run,
    refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    run: async (context, { backupId }) => {
      const backup = await findBackup(context.tx, backupId)
      if (backup.kind !== kind.name) {
        refuseField('backupId', `is a backup of a ${backup.kind} service. Call ${manualOf(backup)}`)
      }
      await checkService(context, backup)
      return startRun(context, backup, { action: 'dump', recipient: backup.recipient })
    },
    finalAnswer: (context, _input, [runId]) => readRun(context, runId!),
  }),
)

/** The name of the operation that starts a dump of this backup. */
function manualOf({ kind }: BackupTable) {
  return `backup.${dumpedKinds.find(({ name }) => name === kind)?.manualBackup}`
}

export const verify = command({
  name: 'backup.verify',
  summary: 'Verify a dump: restore it into a scratch server and compare the contents',
  description:
    'Verifies the last good dump of the backup, or the dump of `runId`. The scratch server is deleted at the end. ' +
    'No database is changed, so an API token needs only the scope deploy. `verification` of the answer is notVerifiable if ' +
    'a scratch server cannot have what the dump needs, such as another database.',
  access: 'user:deploy',
  input: z.object({
    backupId: idOf('backup'),
    runId: Id.optional().describe('The run of a good dump. Default: the last good dump of the backup'),
  }),
  output: Run,
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  async run(context, { backupId, runId }) {
    const backup = await findBackup(context.tx, backupId)
    const source =
      runId === undefined ? await lastGoodOf(context.tx, backupId) : await findRun(context.tx, backupId, runId)
    checkSource(source)
    const { id: sourceRunId, database, recipient } = source
    if (recipient !== null && recipient !== (await findIdentity(context.tx))?.recipient) {
      refuse(
        'PRECONDITION_FAILED',
        `This dump is encrypted for ${recipient}. Berth can verify an encrypted dump only if it is encrypted for ` +
          'this installation',
      )
    }
    return startRun(context, backup, { action: 'verify', sourceRunId, database, recipient })
  },
  finalAnswer: (context, _input, [runId]) => readRun(context, runId!),
})

export const runs = query({
  name: 'backup.runs',
  summary: 'List the runs of backups, also of one backup or service',
  description:
    'A safety dump (`trigger` is `safety`) belongs to no backup. It is listed with its service and with each ' +
    'backup of the service.',
  access: 'user:read',
  input: z.object({
    ...page,
    backupId: Id.optional().describe('Only runs of this backup, and safety dumps of its service'),
    serviceId: Id.optional().describe('Only runs of this service'),
    status: RunStatus.optional().describe('Only runs with this status'),
    order: Order,
    since: Since,
  }),
  output: z.array(Run),
  refusals: ['NOT_FOUND'],
  async run({ db, now, setNextCursor }, { backupId, serviceId, status, limit, cursor, order, since }) {
    let rows = db
      .selectFrom('backupRun')
      .select(summaryColumns)
      .where('subjectKind', '=', 'database')
      .orderBy('id', order)
    if (cursor !== undefined) rows = rows.where('id', afterCursor[order], cursor)
    if (since !== undefined) rows = rows.where('createdAt', '>=', instantOf(since, now())!)
    if (serviceId !== undefined) rows = rows.where('databaseId', '=', serviceId)
    if (status !== undefined) rows = rows.where(hasStatus(status))
    if (backupId !== undefined) {
      const { databaseId } = await findBackup(db, backupId)
      rows = rows.where((eb) =>
        eb.or([
          eb('backupId', '=', backupId),
          eb.and([eb('trigger', '=', 'safety'), eb('databaseId', '=', databaseId)]),
        ]),
      )
    }
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toRun(row, now()))
  },
})

/** Of open runs in the words of the index on them, which is faster than a walk through all runs. */
const hasStatus = (status: z.infer<typeof RunStatus>) =>
  status === 'running' ? sql<boolean>`"status" in ('waiting', 'running')` : sql<boolean>`"status" = ${status}`

export const files = inspect({
  name: 'backup.files',
  summary: 'List the objects in a bucket, under the prefix of a backup or any other prefix',
  description:
    'Reads the list from the storage. It contains the manifests of the dumps too, and dumps that Berth has no run of.',
  access: 'user:read',
  input: z.object({
    backupId: Id.optional().describe('The backup whose destination and prefix are the defaults'),
    destinationId: Id.optional().describe('Default: the destination of the backup'),
    prefix: z
      .string()
      .max(1024)
      .optional()
      .describe('The beginning of the keys. Default: the prefix of the backup. Without backupId: all keys'),
    limit: z.coerce
      .number('must be a whole number from 1 to 1000')
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(1000, 'must be at most 1000')
      .default(1000)
      .describe('Maximum number of objects on a page'),
    cursor: z.string().max(2000).optional().describe('The header Berth-Next-Cursor of the previous page'),
  }),
  output: z.array(
    z.object({
      key: z.string().describe('Key of the object in the bucket'),
      sizeBytes: z.number().describe('Size of the object in bytes'),
      modifiedAt: z.string().nullable().describe('When the object was written; null if the storage does not say'),
    }),
  ),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, signal, setNextCursor }, { backupId, destinationId, prefix, limit, cursor = null }) {
    if (backupId === undefined && destinationId === undefined) refuseField('backupId', 'give backupId or destinationId')
    const backup = backupId === undefined ? null : await findBackup(db, backupId)
    const row =
      (await db
        .selectFrom('destination')
        .selectAll()
        .where('id', '=', destinationId ?? backup!.destinationId)
        .executeTakeFirst()) ??
      refuse('NOT_FOUND', 'No destination with this id. destination.all lists all destinations')
    using storage = openDestination(vault, row, { attempts: 1, egress: config.egress })
    const listing = await storage
      .list(prefix ?? folderOf(backup?.prefix ?? ''), limit, cursor, signal)
      .catch(refuseStorage)
    if (listing.cursor !== null) setNextCursor(listing.cursor)
    return listing.objects.map((object) => ({ ...object, modifiedAt: object.modifiedAt?.toISOString() ?? null }))
  },
})

export const cancel = command({
  name: 'backup.cancel',
  summary: 'Cancel a run that is under way, and delete the data that it uploaded',
  description: 'The call can cancel restores too, so an API token needs the scope admin.',
  access: 'user:admin',
  input: z.object({ runId: idOf('run') }),
  output: Run,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run({ tx, now, wake }, { runId }) {
    const row =
      (await tx
        .selectFrom('backupRun')
        .selectAll()
        .where('id', '=', runId)
        .where('subjectKind', '=', 'database')
        .executeTakeFirst()) ?? refuse('NOT_FOUND', 'No run with this id. backup.runs lists the runs of a backup')
    await refuseSafety(tx, row)
    return toRun(await cancelRun(tx, row, wake), now())
  },
})

/** Refuses to cancel a safety dump alone: it ends with the restore that it is part of. */
async function refuseSafety(tx: Writer, { id, finishedAt }: BackupRunTable): Promise<void> {
  if (finishedAt !== null) return
  const restore = await tx
    .selectFrom('backupRun')
    .select('id')
    .where('safetyRunId', '=', id)
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  if (restore === undefined) return
  refuse('PRECONDITION_FAILED', `This is the safety dump of restore ${restore.id}. Call backup.cancel with that runId`)
}

/** Marks an open run as cancelled. The loop ends the run. Throws PRECONDITION_FAILED if the run has already ended. */
export async function cancelRun(tx: Writer, row: BackupRunTable, wake: CommandContext['wake']) {
  if (row.finishedAt !== null) refuse('PRECONDITION_FAILED', 'This run has already ended')
  await tx.updateTable('backupRun').set({ cancelled: 1 }).where('id', '=', row.id).execute()
  wake('backups')
  return { ...row, cancelled: 1 as const }
}

/**
 * Inserts a manual run of a backup.
 * @param columns the action, and columns that differ from the backup's
 * @throws CONFLICT if another run of the backup is open
 */
export async function startRun(
  context: CommandContext,
  backup: BackupTable,
  columns: Pick<BackupRunTable, 'action'> & Partial<BackupRunTable>,
) {
  const { tx, now, newId, wake, follow } = context
  const open = await openRunOf(tx, backup.id)
  const group = backup.subjectKind === 'installation' ? 'state' : 'backup'
  if (open !== undefined)
    refuse('CONFLICT', `Run ${open.id} of this backup is under way. Wait for its end, or call ${group}.cancel`)
  const row = await insertRun(tx, { ...runColumnsOf(backup), trigger: 'manual', ...columns, id: newId() }, now())
  wake('backups')
  follow(row.id)
  return toRun(row, now())
}

/** Throws PRECONDITION_FAILED unless the run is a good dump whose object exists. */
export function checkSource(source: BackupRunTable | undefined): asserts source is BackupRunTable {
  if (source === undefined) refuse('PRECONDITION_FAILED', 'This backup has no good dump yet')
  if (source.action !== 'dump' || source.status !== 'done') {
    refuse('PRECONDITION_FAILED', 'This run is not a good dump: its action must be dump, and its status done')
  }
  if (source.key === null) refuse('PRECONDITION_FAILED', 'The dump of this run was deleted, because it had expired')
}

async function checkService({ tx }: CommandContext, { databaseId, kind }: BackupTable) {
  const row = await tx.selectFrom('database').select('goal').where('id', '=', databaseId).executeTakeFirst()
  if (row === undefined || row.goal === 'gone') refuse('PRECONDITION_FAILED', 'The service of this backup was removed')
  if (row.goal === 'none')
    refuse('PRECONDITION_FAILED', `The service of this backup was never deployed. Call ${kind}.deploy`)
  if (row.goal !== 'up') refuse('PRECONDITION_FAILED', `The service of this backup is stopped. Call ${kind}.start`)
}

/** The current state of a run, for a call that waits for its end. */
export async function readRun({ db, now }: QueryContext, runId: string) {
  const row = await db.selectFrom('backupRun').select(summaryColumns).where('id', '=', runId).executeTakeFirst()
  return toRun(row ?? refuse('NOT_FOUND', 'The run does not exist any more'), now())
}
