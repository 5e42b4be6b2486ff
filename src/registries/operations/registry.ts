/** Operations on registries, which hold the credentials for private images. Passwords can be written but never read. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { action, command, type CommandContext, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { hostOf, passwordFault, registryOf } from '../../lib/registry-client/registry.ts'
import { recordChangedCredentials, sealRegistry, serverOf } from '../queries.ts'
import type { Reader, RegistryTable } from '../../store/schema.ts'
import { openTarget } from '../../databases/targets.ts'
import type { Vault } from '../../store/vault.ts'
import { cutPage, Id, Name, page } from '../../api/fields.ts'
import {
  checked,
  checkNoMask,
  find,
  Insecure,
  Registry,
  RegistryUrl,
  findServerWithVolume,
  toRegistry,
  toRegistryWith,
  Username,
} from '../records.ts'
import { inherited, type Login, signIn } from '../sign-in.ts'
import { beginRemoval } from '../begin-work.ts'

const ImagePrefix = z
  .string()
  .max(200, 'must have at most 200 characters')
  .regex(
    /^(?:[a-z0-9]+(?:(?:[._-]|__)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._-]|__)[a-z0-9]+)*)*)?$/,
    'must be parts of small letters and digits, separated by /, like team/project (or empty)',
  )

const fields = {
  registryName: Name,
  username: Username,
  password: checked(passwordFault, 10_000),
  registryUrl: RegistryUrl.describe('Empty: Docker Hub'),
  registryType: z.enum(['selfHosted', 'cloud'], 'must be selfHosted or cloud'),
}

const loginText = 'Logs in to the registry, which takes 10 seconds at most, and says what is wrong.'
const sameHostText =
  'The stored password is sent to no other host than the one that it is for: with another ' +
  '`registryUrl` it has to be given again.'

export const create = action({
  name: 'registry.create',
  summary: 'Make a registry: log in to it, and keep the credentials for its images',
  description: `${loginText} From then on they go with every image of that host.`,
  access: 'admin:admin',
  input: z.object({ ...fields, imagePrefix: ImagePrefix.nullable(), insecure: Insecure.default(false) }),
  output: Registry,
  refusals: ['BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ actor, config, vault, conclude, now, newId }, { password, insecure, ...rest }) {
    checkNoMask(password)
    checkHub(rest)
    await signIn({ ...rest, password, insecure }, config.egress)
    const id = newId()
    const row: RegistryTable = {
      ...rest,
      id,
      secrets: sealRegistry(vault, id, password),
      insecure: insecure ? 1 : 0,
      adminId: actor.accountId,
      createdAt: now().toISOString(),
    }
    return conclude(async (tx, wake) => {
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
  input: z.object({ registryId: Id }),
  output: Registry,
  refusals: ['NOT_FOUND'],
  run: async ({ db }, { registryId }) => toRegistry(db, await find(db, registryId)),
})

export const all = query({
  name: 'registry.all',
  summary: 'List the registries, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Registry),
  async run({ db, more }, { limit, cursor = '' }) {
    let rows = db.selectFrom('registry').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const server = await findServerWithVolume(db)
    return cutPage(await rows.execute(), limit, more).map((row) => toRegistryWith(row, server))
  },
})

const changes = z.object({
  ...z.object(fields).partial().shape,
  registryUrl: RegistryUrl.min(1, 'must not be empty').optional(),
  imagePrefix: ImagePrefix.nullable().optional(),
  insecure: Insecure.optional(),
  adminId: Id.optional(),
})

export const update = action({
  name: 'registry.update',
  summary: 'Change a registry; what is left out stays, and so does a masked password',
  description: `${loginText} Containers that run go on; the next pull is with what was given. ${sameHostText}`,
  access: 'admin:admin',
  input: changes.extend({
    registryId: Id,
    createdAt: z.string().optional().describe('Cannot be changed: the stored value alone is taken'),
  }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, newId, conclude }, { registryId, createdAt, ...requested }) {
    const before = await find(db, registryId)
    if (createdAt !== undefined && createdAt !== before.createdAt) {
      refuseField('createdAt', `cannot be changed: leave it out or send ${before.createdAt}`)
    }
    const isOwn = (await serverOf(db))?.registryId === registryId
    if (isOwn) checkUnchanged(before, requested)
    const { login } = changed(vault, before, requested)
    if (!isOwn) await signIn(login, config.egress)
    return conclude(async (tx, wake) => {
      // Keep what another call has changed meanwhile.
      const after = changed(vault, await find(tx, registryId), requested)
      if (!isDeepStrictEqual(after.login, login)) {
        refuse('CONFLICT', 'Its address or credentials were changed by another call meanwhile. Read it, and try again')
      }
      if (requested.adminId !== undefined) await checkAdmin(tx, requested.adminId)
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
  summary: 'Remove a registry: its credentials are forgotten',
  description:
    'Refused while databases have images of it, which could not be pulled again; `force` does it all the ' + 'same.',
  access: 'admin:admin',
  input: z.object({ registryId: Id, force: z.boolean().default(false).describe('Also while images of it are used') }),
  output: Registry.extend({ note: z.string().nullable().describe('What becomes of the images of one that Berth ran') }),
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { registryId, force }) {
    const { tx, vault, newId, wake } = context
    const row = await find(tx, registryId)
    const users = force ? [] : await usersOf(tx, vault, row)
    if (users.length > 0) {
      refuse(
        'CONFLICT',
        `Images of it are used by ${users.join(', ')}: they could not be pulled again. Deploy these ` +
          'with another image first, or remove it with force',
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
          ? 'It is stopped before it held anything'
          : `It is stopped, and its images are kept in the volume ${volume}: ` +
            'registry.enableSelfHostedRegistry takes them up again, volume.remove deletes them',
    }
  },
})

export const testRegistry = action({
  name: 'registry.testRegistry',
  summary: 'Log in to a registry with exactly these values',
  description:
    `${loginText} Nothing is stored. With \`registryId\` a masked password means the one that is stored ` +
    `there. ${sameHostText}`,
  access: 'admin:admin',
  input: z.object({
    ...fields,
    imagePrefix: ImagePrefix.nullable().optional(),
    insecure: Insecure.default(false),
    registryId: Id.optional().describe('Whose stored password a mask stands for'),
  }),
  output: z.object({
    message: z.string(),
    host: z.string().describe('As images of it are named'),
    isChecked: z.boolean().describe('False: it lets anybody in, and looked at no password'),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault }, { registryId, password, ...settings }) {
    const stored = registryId === undefined ? null : await find(db, registryId)
    if (stored === null) checkNoMask(password)
    checkHub(settings)
    const { host, isChecked } = await signIn(
      stored !== null && password === mask ? inherited(vault, stored, settings) : { ...settings, password },
      config.egress,
    )
    const message = isChecked
      ? `Logged in to ${host} as ${settings.username}`
      : `${host} lets anybody in: whether the password is right, nobody can tell`
    return { message, host, isChecked }
  },
})

/** Returns the row after the changes, and the login that must work with it. */
function changed(
  vault: Vault,
  before: RegistryTable,
  { password = mask, insecure, ...rest }: z.output<typeof changes>,
) {
  const row: RegistryTable = {
    ...before,
    ...defined(rest),
    ...(insecure !== undefined && { insecure: insecure ? 1 : 0 }),
    ...(password !== mask && { secrets: sealRegistry(vault, before.id, password) }),
  }
  checkHub(row)
  const settings = { registryUrl: row.registryUrl, username: row.username, insecure: row.insecure === 1 }
  const login: Login = password === mask ? inherited(vault, before, settings) : { ...settings, password }
  return { row, login }
}

/** Refuses changes to the address and credentials of the registry that Berth runs. */
function checkUnchanged(before: RegistryTable, { password = mask, ...rest }: z.output<typeof changes>): void {
  const stored = { ...before, insecure: before.insecure === 1 }
  const isChanged = (name: 'registryUrl' | 'username' | 'registryType' | 'insecure') =>
    rest[name] !== undefined && rest[name] !== stored[name]
  const field =
    (['registryUrl', 'username', 'registryType', 'insecure'] as const).find(isChanged) ??
    (password === mask ? null : 'password')
  if (field === null) return
  refuseField(field, 'is changed by registry.enableSelfHostedRegistry for the registry that Berth runs')
}

/** Refuses an empty URL for a self-hosted registry: empty stands for Docker Hub. */
function checkHub({ registryUrl, registryType }: Pick<RegistryTable, 'registryUrl' | 'registryType'>): void {
  if (registryUrl.trim() === '' && registryType !== 'cloud') {
    refuseField('registryUrl', "must not be empty for a registry of one's own: empty is Docker Hub")
  }
}

async function checkAdmin(db: Reader, adminId: string): Promise<void> {
  const admin = await db
    .selectFrom('account')
    .select('id')
    .where('id', '=', adminId)
    .where('rol', '=', 'admin')
    .executeTakeFirst()
  if (admin === undefined) refuseField('adminId', 'There is no such administrator', 'NOT_FOUND')
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<RegistryTable>

/** Returns the names of services whose image is on the registry's host. None if another registry has the same host. */
async function usersOf(tx: CommandContext['tx'], vault: Vault, row: RegistryTable): Promise<string[]> {
  const host = hostOf(row.registryUrl)
  const others = await tx.selectFrom('registry').select('registryUrl').where('id', '!=', row.id).execute()
  // Most images of Docker Hub can be pulled without credentials.
  if (host === 'docker.io' || others.some(({ registryUrl }) => hostOf(registryUrl) === host)) return []
  const databases = await tx
    .selectFrom('database')
    .select(['id', 'appName', 'dockerImage', 'target'])
    .where('goal', '!=', 'gone')
    .orderBy('id')
    .execute()
  return databases
    .filter((it) =>
      [it.dockerImage, openTarget(vault, 'target', it)?.dockerImage].some(
        (image) => image !== undefined && registryOf(image) === host,
      ),
    )
    .map(({ appName }) => appName)
}
