/** The operation that restores a dump into an existing or a new service. It inserts a run; the loop does the work. */
import { type Manifest, readManifest, rowsIn } from '../../dumps/manifest.ts'
import type { PrivateProfile } from '../../dumps/server-profile.ts'
import { action, type ActionContext } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/kind.ts'
import { isIdentity, recipientOf } from '../../lib/crypto/encryption.ts'
import { findIdentity } from '../identity.ts'
import type { Reader } from '../../store/schema.ts'
import { insertRun } from '../run-queries.ts'
import { openPrivateProfile, sealPrivateProfile } from '../private-profile.ts'
import type { BackupRunTable } from '../table.ts'
import { dumpedKinds } from '../fields.ts'
import { Run, toRun } from '../run-fields.ts'
import { checkName, checkNeeds, checkServer, checkSpace } from './restore-limits.ts'
import { type Source, sourceOf } from './restore-source.ts'
import type { Row } from '../../databases/operations/records.ts'
import { begin } from '../../databases/begin-work.ts'
import { dumpedPrivateProfile, findRestored, newService, notCarriedOver } from './new-service.ts'
import { type RestoreContext, type RestoreInput, restoreInput } from './restore-fields.ts'

export const restore = action({
  name: 'backup.restore',
  summary: 'Restore a dump into a new service, or into an existing one after a safety dump of it',
  description:
    'Give the dump by `runId`, or by `key` with `backupId` or `destinationId`. To restore into an existing service, ' +
    'give its id, and its appName as `confirm`: its data is replaced, and a stopped service is started. To restore ' +
    'into a new service, give `appName` only; the service gets a new password, and the command, variables and limits ' +
    'of the dumped one. `notCarriedOver` of the answer lists what it does not get. The answer is the run of the ' +
    'restore. ' +
    'Whatever fails, a database has its previous data or that of the dump afterwards, and `data` of the run says which. ' +
    'The call is refused if the node has no room for both. ' +
    '`dump` of the answer says which dump is loaded: what changed after its `startedAt` is lost. To undo the restore, ' +
    'restore the dump of its `safetyRunId`, which `backup.restorable` answers as `undo`.',
  access: 'user:admin',
  input: restoreInput,
  output: Run,
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run(context, request) {
    const source = await sourceOf(context, request)
    const kind = kindNamed(source.manifest.kind)
    await checkIdentity(context, source.manifest, request.identity)
    const profile = await dumpedPrivateProfile(context, source, request.identity)
    checkName(source.manifest, kind, request.database)
    const replaced = targetOf(request, kind)
    if (replaced !== null) await checkSpace(context, kind, replaced, source.manifest)
    return context.conclude(async (tx, wake, follow) => {
      const within = { ...context, tx, wake, follow }
      const target = targetOf(request, kind)
      if (target === null) checkNeeds(source.manifest, request)
      const service =
        target === null
          ? await newService(within, source, profile, kind, request)
          : await existingService(within, kind, target, request, source.manifest)
      const row = await insertRestore(within, source, profile, service, request, target === null)
      return {
        ...toRun(row, context.now()),
        dump: loadedDump(source.manifest, source.trigger),
        ...(target === null ? notCarriedOver(context.vault, source.manifest, service, profile) : {}),
      }
    })
  },
  finalAnswer: async ({ db, vault, now }, _input, workIds) => {
    const row = await db.selectFrom('backupRun').selectAll().where('id', 'in', workIds).executeTakeFirst()
    if (row === undefined) return refuse('NOT_FOUND', 'The run does not exist any more')
    const answer = toRun(row, now())
    const source = row.sourceRunId === null ? undefined : await findRunOfDump(db, row.sourceRunId)
    const manifest = source?.manifest == null ? null : readManifest(source.manifest)
    if (manifest === null) return answer
    const service = row.safety === 'NewService' ? await findRestored(db, row.databaseId) : undefined
    const profile = openPrivateProfile(vault, source!)
    return {
      ...answer,
      dump: loadedDump(manifest, source!.trigger),
      ...(service === undefined ? {} : notCarriedOver(vault, manifest, service, profile)),
    }
  },
})

const loadedDump = ({ startedAt, contents }: Manifest, trigger: Source['trigger']) => ({
  trigger,
  startedAt,
  rowCount: rowsIn(contents),
})

const findRunOfDump = (db: Reader, id: string) =>
  db
    .selectFrom('backupRun')
    .select(['id', 'manifest', 'privateProfile', 'trigger'])
    .where('id', '=', id)
    .executeTakeFirst()

async function checkIdentity({ db }: ActionContext, { encryptedFor }: Manifest, identity: string | undefined) {
  if (encryptedFor !== null && identity === undefined && encryptedFor !== (await findIdentity(db))?.recipient) {
    refuseField('identity', `is required: the dump is encrypted for ${encryptedFor}`)
  }
  if (encryptedFor === null && identity !== undefined)
    refuseField('identity', 'must be left out: the dump is not encrypted')
  if (identity === undefined) return
  if (!isIdentity(identity)) refuseField('identity', 'must be an age identity, such as AGE-SECRET-KEY-1…')
  const recipient = await recipientOf(identity)
  if (recipient === encryptedFor) return
  refuseField('identity', `is the identity of ${recipient}, but the dump is encrypted for ${encryptedFor}`)
}

/** The id of the service to restore into; null to create a new one. */
function targetOf(request: RestoreInput, kind: Kind): string | null {
  const services = dumpedKinds.filter(({ idField }) => (request as Record<string, unknown>)[idField] != null)
  const other = services.find(({ name }) => name !== kind.name)
  if (other !== undefined) refuseField(other.idField, `must be left out: the dump is of a ${kind.label} database`)
  if (services.length === 0) {
    if (request.appName === undefined) {
      refuseField('appName', `is required for a new service. For an existing service, give ${kind.idField}`)
    }
    return null
  }
  if (request.appName !== undefined) refuseField('appName', `must be left out, because ${kind.idField} is given`)
  return (request as Record<string, string>)[kind.idField]!
}

/** Checks the service to restore into, and starts it if it is stopped. */
async function existingService(
  context: RestoreContext,
  kind: Kind,
  id: string,
  { confirm }: RestoreInput,
  dump: Manifest,
): Promise<Row> {
  const row =
    (await context.tx
      .selectFrom('database')
      .selectAll()
      .where('id', '=', id)
      .where('kind', '=', kind.name)
      .where('goal', '!=', 'gone')
      .executeTakeFirst()) ??
    refuse('NOT_FOUND', `No ${kind.label} service with this id. project.all lists every service`)
  if (confirm !== row.appName) {
    refuseField('confirm', `must be ${row.appName}, the appName of the service whose data is replaced`)
  }
  if (row.target === null) refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${kind.name}.deploy`)
  await checkServer(context, kind, row, dump)
  const open = await context.tx
    .selectFrom('backupRun')
    .select('id')
    .where('databaseId', '=', id)
    .where('action', '=', 'restore')
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  if (open !== undefined)
    refuse('CONFLICT', `Restore ${open.id} into this service is under way. Wait for its end, or call backup.cancel`)
  return row.goal === 'up' ? row : begin({ ...context, follow: () => undefined }, row, 'start', { goal: 'up' })
}

/** Inserts the run of the restore. @param isNew whether this call creates the service */
async function insertRestore(
  { tx, vault, now, newId, wake, follow }: RestoreContext,
  { manifest, key, destinationId, backupId, sourceRunId }: Source,
  profile: PrivateProfile,
  service: Row,
  { identity, skipSafetyDump, withoutNeeds, database = manifest.database }: RestoreInput,
  isNew: boolean,
): Promise<BackupRunTable> {
  const id = newId()
  const sealed =
    identity === undefined ? null : vault.seal({ table: 'backupRun', column: 'identity', row: id }, identity)
  const { sizeBytes, sha256, rawBytes, serverVersion, encryptedFor } = manifest
  const row = await insertRun(
    tx,
    {
      key,
      destinationId,
      backupId,
      sourceRunId,
      id,
      action: 'restore',
      trigger: 'manual',
      kind: manifest.kind,
      databaseId: service.id,
      database,
      sizeBytes,
      sha256,
      rawBytes,
      serverVersion,
      manifest: JSON.stringify(manifest),
      privateProfile: sealPrivateProfile(vault, id, profile),
      recipient: encryptedFor,
      identity: sealed,
      withoutNeeds: withoutNeeds === true ? 1 : 0,
      appName: service.appName,
      safety: isNew ? 'NewService' : skipSafetyDump === true ? 'NotWanted' : null,
    },
    now(),
  )
  wake('backups')
  follow(id)
  return row
}
