/** Operations on registries, which store the credentials for private images. The API never returns a password. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { action, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { passwordFault } from '../../lib/registry-client/registry.ts'
import { openRegistryPassword, recordChangedCredentials, sealRegistryPassword, serverOf } from '../queries.ts'
import type { Reader, RegistryTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { cutPage, Id, idOf, Name, page, UnchangedCreatedAt } from '../../api/fields.ts'
import {
  textField,
  checkAlone,
  checkNoMask,
  findRegistry,
  ImagePrefix,
  Insecure,
  Registry,
  RegistryType,
  RegistryUrl,
  registryUrlText,
  findServerWithVolume,
  toRegistry,
  toRegistryWith,
  Username,
} from '../records.ts'
import { loginWithStoredPassword, type Login, signIn } from '../sign-in.ts'
import { beginRemoval } from '../begin-work.ts'
import { servicesUsing } from '../using-services.ts'

const fields = {
  registryName: Name.describe('Display name of the registry'),
  username: Username,
  password: textField(passwordFault, 10_000).describe('Password or access token of that user'),
  registryUrl: RegistryUrl.describe(`${registryUrlText}. Empty: Docker Hub`),
  registryType: RegistryType,
}

const loginText =
  'Berth logs in to the registry to test the values. If the login fails or takes more than 10 seconds, the call is ' +
  'refused with the cause.'
const sameHostText =
  'Berth sends the stored password only to the host that it was stored for. If `registryUrl` names another host, ' +
  'send the password again.'

export const create = action({
  name: 'registry.create',
  summary: 'Create a registry with the credentials for its images',
  description: `${loginText} Berth then pulls the images of this host and prefix with these credentials.`,
  access: 'admin:admin',
  input: z.object({ ...fields, imagePrefix: ImagePrefix, insecure: Insecure.default(false) }),
  output: Registry,
  refusals: ['CONFLICT', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ actor, config, vault, conclude, now, newId }, { password, insecure, ...rest }) {
    checkNoMask(password)
    checkHub(rest)
    await signIn({ ...rest, password, insecure }, config.egress)
    const id = newId()
    const row: RegistryTable = {
      ...rest,
      id,
      secrets: sealRegistryPassword(vault, id, password),
      insecure: insecure ? 1 : 0,
      adminId: actor.accountId,
      createdAt: now().toISOString(),
    }
    return conclude(async (tx, wake) => {
      await checkAlone(tx, row)
      await tx.insertInto('registry').values(row).execute()
      await recordChangedCredentials(tx, newId(), [row.registryUrl])
      wake('registry')
      return toRegistry(tx, row)
    })
  },
})

export const one = query({
  name: 'registry.one',
  summary: 'Read a registry',
  access: 'user:read',
  input: z.object({ registryId: idOf('registry') }),
  output: Registry,
  refusals: ['NOT_FOUND'],
  tag: {
    observed: ['status', 'statusReason', 'statusCode', 'node', 'volume', 'readOnly'].map(
      (name) => `server.${name}` as const,
    ),
  },
  async run({ db, vault, addToTag }, { registryId }) {
    const row = await findRegistry(db, registryId)
    addToTag(openRegistryPassword(vault, row))
    return toRegistry(db, row)
  },
})

export const all = query({
  name: 'registry.all',
  summary: 'List the registries, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Registry),
  async run({ db, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('registry').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const server = await findServerWithVolume(db)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toRegistryWith(row, server))
  },
})

const changes = z.object({
  ...z.object(fields).partial().shape,
  password: fields.password
    .optional()
    .describe('Password or access token of that user. The mask ******** keeps the stored one'),
  registryUrl: RegistryUrl.min(1, 'must not be empty').optional().describe(registryUrlText),
  imagePrefix: ImagePrefix.optional(),
  insecure: Insecure.optional(),
  adminId: Id.optional().describe('Id of the account of the administrator who is responsible for the registry'),
})

export const update = action({
  name: 'registry.update',
  summary: 'Change a registry',
  description:
    'Fields that are left out and a masked password keep their stored values. ' +
    `${loginText} Running containers are not restarted. The next pull uses the new values. ${sameHostText}`,
  access: 'admin:admin',
  input: changes.extend({ registryId: idOf('registry'), createdAt: UnchangedCreatedAt }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, newId, conclude }, { registryId, createdAt, ...requested }) {
    const before = await findRegistry(db, registryId)
    if (createdAt !== undefined && createdAt !== before.createdAt) {
      refuseField('createdAt', `cannot be changed. Leave it out or send ${before.createdAt}`)
    }
    const isOwn = (await serverOf(db))?.registryId === registryId
    if (isOwn) checkUnchanged(before, requested)
    const { login } = applyChanges(vault, before, requested)
    if (!isOwn) await signIn(login, config.egress)
    return conclude(async (tx, wake) => {
      // Another call may have changed other fields during the login: keep its changes.
      const after = applyChanges(vault, await findRegistry(tx, registryId), requested)
      if (!isDeepStrictEqual(after.login, login)) {
        refuse(
          'CONFLICT',
          'Another call has changed the address or credentials of this registry. Read the registry and try again',
        )
      }
      if (requested.adminId !== undefined) await checkAdmin(tx, requested.adminId)
      await checkAlone(tx, after.row)
      const { id, ...columns } = after.row
      await tx.updateTable('registry').set(columns).where('id', '=', id).execute()
      await recordChangedCredentials(tx, newId(), [before.registryUrl, after.row.registryUrl])
      wake('registry')
      return toRegistry(tx, after.row)
    })
  },
})

export const remove = command({
  name: 'registry.remove',
  summary: 'Remove a registry and its credentials',
  description:
    'The call is refused while databases use images of this registry, because Docker could not pull these images ' +
    'again. Send `force` to remove the registry anyway. If Berth runs the registry, Berth stops the service and ' +
    'keeps the volume.',
  access: 'admin:admin',
  input: z.object({
    registryId: idOf('registry'),
    force: z.boolean().default(false).describe('Removes the registry even if databases use its images'),
  }),
  output: Registry.extend({
    note: z
      .string()
      .nullable()
      .describe('Where the images of a registry that Berth ran are kept. Null for all other registries'),
  }),
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { registryId, force }) {
    const { tx, vault, newId, wake } = context
    const row = await findRegistry(tx, registryId)
    const users = force ? [] : await servicesUsing(tx, vault, row)
    if (users.length > 0) {
      refuse(
        'CONFLICT',
        `These services use images of this registry: ${users.join(', ')}. Docker could not pull the images again. ` +
          'Deploy the services with other images first, or send force: true',
      )
    }
    const answer = await toRegistry(tx, row)
    await tx.deleteFrom('registry').where('id', '=', row.id).execute()
    await recordChangedCredentials(tx, newId(), [row.registryUrl])
    wake('registry')
    if (answer.server === null) return { ...answer, note: null }
    await beginRemoval(context, row)
    const { volume } = answer.server
    return {
      ...answer,
      note:
        volume === null
          ? 'Berth stops the registry. The registry has no volume yet, so there are no images to keep'
          : `Berth stops the registry and keeps its images in the volume ${volume}. ` +
            'registry.enableSelfHostedRegistry uses this volume again; volume.remove deletes it',
    }
  },
})

export const testRegistry = action({
  name: 'registry.testRegistry',
  summary: 'Test a login to a registry with these values',
  description:
    `${loginText} Nothing is stored. A masked password stands for the stored password of the registry ` +
    `\`registryId\`. ${sameHostText}`,
  access: 'admin:admin',
  worksWhileClosed: true,
  input: z.object({
    ...fields,
    imagePrefix: ImagePrefix.optional(),
    insecure: Insecure.default(false),
    registryId: Id.optional().describe('A registry. A masked password stands for the stored password of this registry'),
  }),
  output: z.object({
    message: z.string().describe('Result of the test, as a message for people'),
    host: z.string().describe('The host in the names of the images of this registry'),
    isChecked: z.boolean().describe('False if the registry accepts every client and did not check the password'),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault }, { registryId, password, ...settings }) {
    const stored = registryId === undefined ? null : await findRegistry(db, registryId)
    if (stored === null) checkNoMask(password)
    checkHub(settings)
    const { host, isChecked } = await signIn(
      stored !== null && password === mask
        ? loginWithStoredPassword(vault, stored, settings)
        : { ...settings, password },
      config.egress,
    )
    const message = isChecked
      ? `Logged in to ${host} as ${settings.username}`
      : `${host} accepts every client without a password, so Berth could not check the password`
    return { message, host, isChecked }
  },
})

/** Returns the changed row, and the login to test before the row is stored. */
function applyChanges(
  vault: Vault,
  before: RegistryTable,
  { password = mask, insecure, ...rest }: z.output<typeof changes>,
) {
  const row: RegistryTable = {
    ...before,
    ...defined(rest),
    ...(insecure !== undefined && { insecure: insecure ? 1 : 0 }),
    ...(password !== mask && { secrets: sealRegistryPassword(vault, before.id, password) }),
  }
  checkHub(row)
  const settings = { registryUrl: row.registryUrl, username: row.username, insecure: row.insecure === 1 }
  const login: Login = password === mask ? loginWithStoredPassword(vault, before, settings) : { ...settings, password }
  return { row, login }
}

/** Refuses changes to the address, the type, the credentials and `insecure` of the registry that Berth runs. */
function checkUnchanged(before: RegistryTable, { password = mask, ...rest }: z.output<typeof changes>): void {
  const stored = { ...before, insecure: before.insecure === 1 }
  const isChanged = (name: 'registryUrl' | 'username' | 'registryType' | 'insecure') =>
    rest[name] !== undefined && rest[name] !== stored[name]
  const field =
    (['registryUrl', 'username', 'registryType', 'insecure'] as const).find(isChanged) ??
    (password === mask ? null : 'password')
  if (field === null) return
  refuseField(
    field,
    'cannot be changed here for the registry that Berth runs. Change it with registry.enableSelfHostedRegistry',
  )
}

/** Refuses an empty URL for a self-hosted registry, because an empty URL means Docker Hub. */
function checkHub({ registryUrl, registryType }: Pick<RegistryTable, 'registryUrl' | 'registryType'>): void {
  if (registryUrl.trim() === '' && registryType !== 'cloud') {
    refuseField('registryUrl', 'must not be empty for a selfHosted registry: an empty URL means Docker Hub')
  }
}

async function checkAdmin(db: Reader, adminId: string): Promise<void> {
  const admin = await db
    .selectFrom('account')
    .select('id')
    .where('id', '=', adminId)
    .where('rol', '=', 'admin')
    .executeTakeFirst()
  if (admin === undefined) refuseField('adminId', 'must be the id of an administrator', 'NOT_FOUND')
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<RegistryTable>
