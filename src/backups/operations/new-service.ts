/** The new service of a restore: like the dumped one, with new passwords. */
import type { ActionContext } from '../../api/contract.ts'
import { beginFromRecord } from '../../databases/begin-work.ts'
import { createService } from '../../databases/operations/databases.ts'
import { type CreateInput, createInput } from '../../databases/operations/fields.ts'
import type { Row } from '../../databases/operations/records.ts'
import { envNamesOf, settingNamesOf } from '../../databases/server-profile.ts'
import { openEnv } from '../../databases/targets.ts'
import type { Manifest } from '../../dumps/manifest.ts'
import {
  type carriedNames,
  noPrivateProfile,
  type PrivateProfile,
  readPrivateProfile,
  type ServerProfile,
  type Uncarried,
  uncarriedOf,
} from '../../dumps/server-profile.ts'
import { single } from '../../dumps/streams.ts'
import { refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { decryptWith } from '../../lib/crypto/encryption.ts'
import type { DatabaseTable, Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { findIdentity, openIdentity } from '../identity.ts'
import { openPrivateProfile } from '../private-profile.ts'
import type { RestoreContext, RestoreInput } from './restore-fields.ts'
import type { Source } from './restore-source.ts'

/**
 * The private part of the profile of the dumped server: from the store if Berth has the run of the dump, or from the
 * manifest if the dump is encrypted. Empty if nobody here can know it: the answer then lists what is missing.
 * @param identity the age identity of the caller, which opens the dump; if absent, the installation's
 */
export async function dumpedPrivateProfile(
  { db, vault }: ActionContext,
  { manifest: { runId, server, encryptedFor }, privateProfile, key }: Source,
  identity: string | undefined,
): Promise<PrivateProfile> {
  if (privateProfile !== null) return privateProfile
  const run = await db
    .selectFrom('backupRun')
    .select(['id', 'privateProfile'])
    .where('id', '=', runId)
    .where('key', '=', key)
    .executeTakeFirst()
  if (run !== undefined) return openPrivateProfile(vault, run)
  const own = identity === undefined && encryptedFor !== null ? await findIdentity(db) : undefined
  const opening = identity ?? (own === undefined ? null : openIdentity(vault, own))
  const isReadable = opening !== null && server !== null && server.encrypted !== null
  return (isReadable ? await decrypted(opening, server.encrypted!) : null) ?? noPrivateProfile
}

/** Null if the text was not encrypted for the identity, or was changed. */
async function decrypted(identity: string, base64: string): Promise<PrivateProfile | null> {
  try {
    const bytes = single(Buffer.from(base64, 'base64'))
    return readPrivateProfile(Buffer.concat(await Array.fromAsync(decryptWith(identity, bytes))).toString())
  } catch {
    return null
  }
}

/** Creates a service with the image and configuration of the dumped one, and with new passwords, and deploys it. */
export async function newService(
  context: RestoreContext,
  { manifest }: Source,
  { env }: PrivateProfile,
  kind: Kind,
  request: RestoreInput,
): Promise<Row> {
  const dumped = await context.tx
    .selectFrom('database')
    .select('projectId')
    .where('appName', '=', manifest.appName)
    .where('kind', '=', kind.name)
    .executeTakeFirst()
  const projectId =
    request.projectId ??
    dumped?.projectId ??
    refuseField('projectId', 'is required, because the dumped service does not exist any more')
  const configuration = configurationOf(manifest.server, env, request)
  const input = serviceInput(manifest, kind, { ...request, projectId }, configuration)
  const row = await createService(context, input, kind)
  return beginFromRecord({ ...context, follow: () => undefined }, row, kind, 'deploy')
}

type Configuration = Partial<Pick<CreateInput, (typeof carriedNames)[number] | 'env'>>

/** The fields that the new service takes over from the dumped one. */
function configurationOf(
  server: ServerProfile | null,
  env: string | null,
  { configuration = 'dumped' }: RestoreInput,
): Configuration {
  if (server === null || configuration === 'default') return {}
  const carried: Configuration = { env }
  const { command, memoryReservation, memoryLimit, cpuReservation, cpuLimit } = server
  return { ...carried, command, memoryReservation, memoryLimit, cpuReservation, cpuLimit }
}

/**
 * The input of `create` for a service like the dumped one. The manifest is untrusted text, so it is validated by the
 * rules of `create`.
 */
function serviceInput(
  { image, settings }: Manifest,
  kind: Kind,
  { appName = '', key, projectId }: RestoreInput,
  configuration: Configuration,
): CreateInput {
  const secrets = Object.fromEntries(kind.secrets.map((name) => [name, '']))
  const known = Object.keys(kind.settings.shape).filter((name) => !kind.secrets.includes(name))
  const parsed = createInput(kind).safeParse({
    ...settings,
    ...secrets,
    ...configuration,
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
    ...invalid.map(({ name, message }) => `${pathInManifest(name, configuration)} ${message}`),
  ]
  if (parsed.success && faults.length === 0) return parsed.data
  refuseField(
    key === undefined ? 'runId' : 'key',
    `Cannot create a service from the manifest of this dump: ${faults.join('; ')}. Create a service with ` +
      `${kind.name}.create, and restore into it`,
    'UNPROCESSABLE_CONTENT',
  )
}

/** The path in the manifest of a field of `create`. */
function pathInManifest(name: string, configuration: Configuration): string {
  if (name === 'dockerImage') return 'image'
  return `${Object.hasOwn(configuration, name) ? 'server' : 'settings'}.${name}`
}

/** The service that a restore has created; undefined if it was removed. */
export const findRestored = (db: Reader, id: string | null): Promise<DatabaseTable | undefined> =>
  db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', id ?? '')
    .executeTakeFirst()

/**
 * The field `notCarriedOver` of the answer, for a restore that creates a service.
 * @param databaseSettings the settings that the restore gives to the database
 */
export function notCarriedOver(
  vault: Vault,
  { server }: Manifest,
  service: DatabaseTable,
  { databaseSettings }: PrivateProfile,
): { notCarriedOver: Uncarried[] } {
  if (server === null) return { notCarriedOver: [] }
  const envNames = envNamesOf(openEnv(vault, service))
  const databaseSettingNames = settingNamesOf(databaseSettings)
  return { notCarriedOver: uncarriedOf(server, { ...service, envNames, databaseSettingNames }) }
}
