/** The operation that restores a dump into an existing or a new service. It inserts a run; the loop does the work. */
import { z } from 'zod'
import type { Manifest } from '../../dumps/manifest.ts'
import { action, type ActionContext, type CommandContext } from '../../api/contract.ts'
import { AppName } from '../../databases/columns.ts'
import { checkAllProjects, includesRole } from '../../api/reach/reach.ts'
import { refuse, refuseField } from '../../errors.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/kind.ts'
import { isIdentity } from '../../lib/crypto/encryption.ts'
import { findIdentity } from '../identity.ts'
import { insertRun } from '../run-queries.ts'
import type { BackupRunTable } from '../table.ts'
import { dumpedKinds, links } from '../fields.ts'
import { Run, toRun } from '../run-fields.ts'
import { type Source, sourceOf } from './restore-source.ts'
import { type CreateInput, createInput } from '../../databases/operations/fields.ts'
import type { Row } from '../../databases/operations/records.ts'
import { begin, beginFromRecord } from '../../databases/begin-work.ts'
import { createService } from '../../databases/operations/databases.ts'
import { Id } from '../../api/fields.ts'

const input = z.object({
  backupId: Id.optional().describe('The backup of the dump. With key: its destination contains the object'),
  runId: Id.optional().describe('The run of a good dump. With backupId: a run of that backup, or a safety dump'),
  destinationId: Id.optional().describe('With key and without backupId: the destination that contains the object'),
  key: z.string().min(1, 'must not be empty').max(1024).optional().describe('The key of the object in the bucket'),
  ...links,
  confirm: z
    .string()
    .max(255)
    .optional()
    .describe('The appName of the existing service, to confirm that its data will be replaced'),
  appName: AppName.optional().describe('The appName of a new service. Leave out if you give an existing service'),
  projectId: Id.optional().describe('The project of the new service. Default: the project of the dumped service'),
  database: z
    .string()
    .min(1, 'must not be empty')
    .max(255)
    .optional()
    .describe('The name of the database to restore into. Default: the name of the dumped database'),
  identity: z
    .string()
    .max(255)
    .optional()
    .describe(
      'The age identity that decrypts the dump. Required if the dump is encrypted for a recipient other than this ' +
        'installation. Berth stores the identity sealed until the run ends',
    ),
  skipSafetyDump: z
    .boolean()
    .optional()
    .describe('Make no safety dump. Use this only if the database cannot be read any more'),
})

type Input = z.output<typeof input>
type RestoreContext = Pick<
  CommandContext,
  'tx' | 'vault' | 'config' | 'actor' | 'now' | 'newId' | 'wake' | 'follow' | 'backups'
>

export const restore = action({
  name: 'backup.restore',
  summary: 'Restore a dump into a new service, or into an existing one after a safety dump of it',
  description:
    'Give the dump by `runId`, or by `key` with `backupId` or `destinationId`. To restore into an existing service, ' +
    'give its id, and its appName as `confirm`: its data is replaced, and a stopped service is started. To restore ' +
    'into a new service, give `appName` only; the service gets a new password. The answer is the run of the restore. ' +
    'To undo the restore, restore the dump of its `safetyRunId`.',
  access: 'user:admin',
  reach: 'project',
  input,
  confirmation: { calls: 'A restore into an existing service', isNeeded: (request) => servicesIn(request).length > 0 },
  output: Run,
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run(context, request) {
    // A bucket has the dumps of all projects.
    if (request.key !== undefined) checkAllProjects(context.actor.reach, 'key: a restore by the key of an object')
    const source = await sourceOf(context, request)
    const kind = kindNamed(source.manifest.kind)
    await checkIdentity(context, source.manifest, request.identity)
    checkDatabase(source.manifest, kind, request.database)
    return context.conclude(async (tx, wake, follow) => {
      const within = { ...context, tx, wake, follow }
      const target = targetOf(request, kind)
      const service =
        target === null
          ? await newService(within, source, kind, request)
          : await existingService(within, kind, target, request)
      return toRun(await insertRestore(within, source, service, request, target === null), context)
    })
  },
  finalAnswer: async (context, _input, workIds) => {
    const row = await context.db.selectFrom('backupRun').selectAll().where('id', 'in', workIds).executeTakeFirst()
    return toRun(row ?? refuse('NOT_FOUND', 'The run does not exist any more'), context)
  },
})

async function checkIdentity({ db }: ActionContext, { encryptedFor }: Manifest, identity: string | undefined) {
  if (encryptedFor !== null && identity === undefined && encryptedFor !== (await findIdentity(db))?.recipient) {
    refuseField('identity', `is required: the dump is encrypted for ${encryptedFor}`)
  }
  if (encryptedFor === null && identity !== undefined)
    refuseField('identity', 'must be left out: the dump is not encrypted')
  if (identity !== undefined && !isIdentity(identity)) {
    refuseField('identity', 'must be an age identity, such as AGE-SECRET-KEY-1…')
  }
}

/**
 * Refuses a database name other than the dumped one if the tool of the kind cannot rename the database. Otherwise the
 * tool would restore nothing and report no error.
 */
function checkDatabase({ contents: { database } }: Manifest, { label }: Kind, name: string | undefined) {
  if (database == null || name === undefined || name === database) return
  refuseField(
    'database',
    `must be ${database} or left out: a ${label} dump can be restored only into a database of the same name`,
  )
}

/** The kinds of the existing services that the request names: their data is replaced. */
const servicesIn = (request: Input) =>
  dumpedKinds.filter(({ idField }) => (request as Record<string, unknown>)[idField] != null)

/** The id of the service to restore into; null to create a new one. */
function targetOf(request: Input, kind: Kind): string | null {
  const services = servicesIn(request)
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
async function existingService(context: RestoreContext, kind: Kind, id: string, { confirm }: Input): Promise<Row> {
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

/** Creates a service with the image and settings of the dumped one, and with new passwords, and deploys it. */
async function newService(context: RestoreContext, { manifest }: Source, kind: Kind, request: Input): Promise<Row> {
  const dumped = await context.tx
    .selectFrom('database')
    .select('projectId')
    .where('appName', '=', manifest.appName)
    .where('kind', '=', kind.name)
    .executeTakeFirst()
  // Another project may have a service of this name by now.
  const { reach } = context.actor
  const role = reach === 'all' ? 'owner' : reach.get(dumped?.projectId ?? '')
  const projectId =
    request.projectId ??
    (role !== undefined && includesRole(role, 'owner') ? dumped?.projectId : undefined) ??
    refuseField(
      'projectId',
      'is required, because the dumped service does not exist any more, or you are not an owner of its project',
    )
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
  const invalid = (parsed.error?.issues ?? []).map(({ path, message }) => ({ name: path.join('.'), message }))
  const appNameFault = invalid.find(({ name }) => name === 'appName')
  if (appNameFault !== undefined) refuseField('appName', appNameFault.message)
  const faults = [
    ...Object.keys(settings)
      .filter((name) => !known.includes(name))
      .map((name) => `settings.${name} is not a setting of a ${kind.label} service`),
    ...invalid.map(({ name, message }) => `${name === 'dockerImage' ? 'image' : `settings.${name}`} ${message}`),
  ]
  if (parsed.success && faults.length === 0) return parsed.data
  refuseField(
    key === undefined ? 'runId' : 'key',
    `Cannot create a service from the manifest of this dump: ${faults.join('; ')}. Create a service with ` +
      `${kind.name}.create, and restore into it`,
    'UNPROCESSABLE_CONTENT',
  )
}

/** Inserts the run of the restore. @param isNew whether this call creates the service */
async function insertRestore(
  { tx, vault, now, newId, wake, follow }: RestoreContext,
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
