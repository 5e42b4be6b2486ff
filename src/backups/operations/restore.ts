/** The operation that restores a dump into an existing or a new service. It inserts a run; the loop does the work. */
import { z } from 'zod'
import type { Manifest } from '../../dumps/manifest.ts'
import { action, type ActionContext, type CommandContext } from '../../api/contract.ts'
import { AppName } from '../../databases/columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/kind.ts'
import { isIdentity } from '../../lib/crypto/encryption.ts'
import { findIdentity } from '../identity.ts'
import { insertRun } from '../run-queries.ts'
import type { BackupRunTable } from '../table.ts'
import { dumpedKinds, links, Run, toRun } from '../fields.ts'
import { type Source, sourceOf } from './restore-source.ts'
import { type CreateInput, createInput } from '../../databases/operations/fields.ts'
import type { Row } from '../../databases/operations/records.ts'
import { begin, beginFromRecord } from '../../databases/begin-work.ts'
import { createService } from '../../databases/operations/databases.ts'
import { Id } from '../../api/fields.ts'

const input = z.object({
  backupId: Id.optional(),
  runId: Id.optional().describe('A good dump: of that backup, or without backupId any, safety dumps too'),
  destinationId: Id.optional().describe('With key, and without backupId: a dump that no record knows'),
  key: z.string().min(1, 'must not be empty').max(1024).optional().describe('Of the object'),
  ...links,
  confirm: z.string().max(255).optional().describe("The service's appName: what it holds is replaced"),
  appName: AppName.optional().describe('Without a service: the name of a new one'),
  projectId: Id.optional().describe('Of the new service; without, that of the service that was dumped'),
  database: z.string().min(1, 'must not be empty').max(255).optional().describe('Without, the one that was dumped'),
  identity: z
    .string()
    .max(255)
    .optional()
    .describe(
      'Of an encrypted dump: its age identity, ' +
        'sealed until the end. Not needed where the dump is for the recipient of this installation',
    ),
  skipSafetyDump: z.boolean().optional().describe('Only where the database cannot be read any more'),
})

type Input = z.output<typeof input>
type Tx = Pick<CommandContext, 'tx' | 'vault' | 'config' | 'now' | 'newId' | 'wake' | 'follow' | 'backups'>

export const restore = action({
  name: 'backup.restore',
  summary: 'Restore a dump into a service, which is dumped itself before, or into a new one',
  description:
    'From a run (`runId`) or an object (`key`, with `backupId` or `destinationId`). With the ' +
    'id of a service and its name as `confirm` what it holds is replaced; a stopped one is started. With `appName` ' +
    'and no service a new one is made, with a new password. Answers the run of the restore; `safetyRunId` is the way ' +
    'back.',
  access: 'user:admin',
  input,
  output: Run,
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run(context, request) {
    const source = await sourceOf(context, request)
    const kind = kindNamed(source.manifest.kind)
    await checkIdentity(context, source.manifest, request.identity)
    checkDatabase(source.manifest, kind, request.database)
    return context.conclude(async (tx, wake, follow) => {
      const within = { ...context, tx, wake, follow }
      const target = targetOf(request, kind)
      const service =
        target === null
          ? await makeService(within, source, kind, request)
          : await existingService(within, kind, target, request)
      return toRun(await insertRestore(within, source, service, request, target === null), context.now())
    })
  },
  settled: async ({ db, now }, _input, workIds) => {
    const row = await db.selectFrom('backupRun').selectAll().where('id', 'in', workIds).executeTakeFirst()
    return toRun(row ?? refuse('NOT_FOUND', 'The run is no longer there'), now())
  },
})

async function checkIdentity({ db }: ActionContext, { encryptedFor }: Manifest, identity: string | undefined) {
  if (encryptedFor !== null && identity === undefined && encryptedFor !== (await findIdentity(db))?.recipient) {
    refuseField('identity', `is needed: the dump is encrypted for ${encryptedFor}`)
  }
  if (encryptedFor === null && identity !== undefined) refuseField('identity', 'must be left out: it is not encrypted')
  if (identity !== undefined && !isIdentity(identity)) {
    refuseField('identity', 'must be an age identity, like AGE-SECRET-KEY-1…')
  }
}

/** Refuses another database name if the dump can only keep its own: the tool would restore nothing without an error. */
function checkDatabase({ contents: { database } }: Manifest, { label }: Kind, name: string | undefined) {
  if (database == null || name === undefined || name === database) return
  refuseField('database', `must be ${database}, or left out: ${label} restores a dump under its own name only`)
}

/** The id of the service to restore into; null to create a new one. */
function targetOf(request: Input, kind: Kind): string | null {
  const given = dumpedKinds.filter(({ idField }) => (request as Record<string, unknown>)[idField] != null)
  const other = given.find(({ name }) => name !== kind.name)
  if (other !== undefined) refuseField(other.idField, `must be left out: the dump is one of ${kind.label}`)
  if (given.length === 0) {
    if (request.appName === undefined) refuseField('appName', `is needed for a new service, or ${kind.idField} of one`)
    return null
  }
  if (request.appName !== undefined) refuseField('appName', `must be left out where ${kind.idField} is given`)
  return (request as Record<string, string>)[kind.idField]!
}

/** Checks the service to restore into, and starts it if it is stopped. */
async function existingService(context: Tx, kind: Kind, id: string, { confirm }: Input): Promise<Row> {
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
    refuseField('confirm', `must be ${row.appName}, the name of the service whose data is replaced`)
  }
  if (row.target === null) refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${kind.name}.deploy`)
  const open = await context.tx
    .selectFrom('backupRun')
    .select('id')
    .where('databaseId', '=', id)
    .where('action', '=', 'restore')
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  if (open !== undefined) refuse('CONFLICT', `The restore ${open.id} into this service is under way`)
  return row.goal === 'up' ? row : begin({ ...context, follow: () => undefined }, row, 'start', { goal: 'up' })
}

/** Creates a service with the image and settings of the dumped one, and with new passwords, and deploys it. */
async function makeService(context: Tx, { manifest }: Source, kind: Kind, request: Input): Promise<Row> {
  const dumped = await context.tx
    .selectFrom('database')
    .select('projectId')
    .where('appName', '=', manifest.appName)
    .where('kind', '=', kind.name)
    .executeTakeFirst()
  const projectId =
    request.projectId ??
    dumped?.projectId ??
    refuseField('projectId', 'is needed: the service that was dumped is no longer there')
  const row = await createService(context, serviceInput(manifest, kind, request, projectId), kind)
  return beginFromRecord({ ...context, follow: () => undefined }, row, kind, 'deploy')
}

/**
 * The input of `create` for a service like the dumped one. The manifest is untrusted text, so it is validated by the
 * rules of `create`.
 */
function serviceInput(
  { image, settings }: Manifest,
  kind: Kind,
  { appName = '', key }: Input,
  projectId: string,
): CreateInput {
  const secrets = Object.fromEntries(kind.secrets.map((name) => [name, '']))
  const known = Object.keys(kind.settings.shape).filter((name) => !kind.secrets.includes(name))
  const parsed = createInput(kind).safeParse({
    ...settings,
    ...secrets,
    name: appName === '' ? kind.name : appName,
    appName,
    projectId,
    dockerImage: image,
  })
  const wrong = (parsed.error?.issues ?? []).map(({ path, message }) => ({ name: path.join('.'), message }))
  const ofName = wrong.find(({ name }) => name === 'appName')
  if (ofName !== undefined) refuseField('appName', ofName.message)
  const faults = [
    ...Object.keys(settings)
      .filter((name) => !known.includes(name))
      .map((name) => `settings.${name} is no setting of a ${kind.label} service`),
    ...wrong.map(({ name, message }) => `${name === 'dockerImage' ? 'image' : `settings.${name}`} ${message}`),
  ]
  if (parsed.success && faults.length === 0) return parsed.data
  refuseField(
    key === undefined ? 'runId' : 'key',
    `No service can be made as the manifest of this dump says: ${faults.join(
      '; ',
    )}. Make one with ${kind.name}.create, and restore into that`,
    'UNPROCESSABLE_CONTENT',
  )
}

/** Inserts the run of the restore. */
async function insertRestore(
  { tx, vault, now, newId, wake, follow }: Tx,
  { manifest, ...source }: Source,
  service: Row,
  { identity, skipSafetyDump, database = manifest.database }: Input,
  isNew: boolean,
): Promise<BackupRunTable> {
  const id = newId()
  const sealed =
    identity === undefined ? null : vault.seal({ table: 'backupRun', column: 'identity', row: id }, identity)
  const { sizeBytes, sha256, rawBytes, serverVersion, encryptedFor } = manifest
  const row = await insertRun(
    tx,
    {
      ...source,
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
      recipient: encryptedFor,
      identity: sealed,
      appName: service.appName,
      safety: isNew ? 'NewService' : skipSafetyDump === true ? 'NotWanted' : null,
    },
    now(),
  )
  wake('backups')
  follow(id)
  return row
}
