/** Registries: where images come from that not everybody may pull. Their passwords are written, never read. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { action, command, type CommandContext, query } from '../contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { mask } from '../lib/mask.ts'
import { hostOf, parseRegistry, passwordFault, registryOf, usernameFault } from '../lib/registry.ts'
import { sealRegistry } from '../store/registries.ts'
import type { Reader, RegistryTable } from '../store/schema.ts'
import { openTarget } from '../store/targets.ts'
import type { Vault } from '../store/vault.ts'
import { cutPage, Id, Name, page } from './fields.ts'
import { inherited, type Login, signIn } from './registry-sign-in.ts'

const checked = (fault: (text: string) => string | null, most: number) =>
  z.string().min(1, 'must not be empty').max(most, `must have at most ${most} characters`)
    .superRefine((text, context) => {
      const message = fault(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })

const RegistryUrl = z.string().refine((text) => parseRegistry(text) !== null,
  'must be a host like registry.example.com or registry.example.com:5000, with or without https:// or http://')

const ImagePrefix = z.string().max(200, 'must have at most 200 characters')
  .regex(/^(?:[a-z0-9]+(?:(?:[._-]|__)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._-]|__)[a-z0-9]+)*)*)?$/,
    'must be parts of small letters and digits, separated by /, like team/project (or empty)')

const Insecure = z.boolean().describe('Any certificate of it is taken, one that it signed itself too. The engines of '
  + 'the nodes pull, so each has to be told as well: its host among insecure-registries of dockerd, or the certificate '
  + 'of its authority as /etc/docker/certs.d/<host>/ca.crt')

const fields = {
  registryName: Name,
  username: checked(usernameFault, 255),
  password: checked(passwordFault, 10_000),
  registryUrl: RegistryUrl.describe('Empty: Docker Hub'),
  registryType: z.enum(['selfHosted', 'cloud'], 'must be selfHosted or cloud'),
}

const Registry = z.object({
  registryId: z.string(),
  registryName: z.string(),
  registryType: z.enum(['selfHosted', 'cloud']),
  registryUrl: z.string(),
  host: z.string().describe('As images of it are named'),
  username: z.string(),
  password: z.literal(mask).describe('Always this mask. Sent back to update it leaves what is stored'),
  imagePrefix: z.string().nullable(),
  insecure: z.boolean(),
  adminId: z.string(),
  createdAt: z.string(),
})

const loginText = 'Logs in to the registry, which takes 10 seconds at most, and says what is wrong.'
const sameHostText = 'The stored password is sent to no other host than the one that it is for: with another '
  + '`registryUrl` it has to be given again.'

export const create = action({
  name: 'registry.create',
  summary: 'Make a registry: log in to it, and keep the credentials for its images',
  description: `${loginText} From then on they go with every image of that host.`,
  access: 'admin:admin',
  input: z.object({ ...fields, imagePrefix: ImagePrefix.nullable(), insecure: Insecure.default(false) }),
  output: Registry,
  refusals: ['BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ actor, vault, conclude, now, newId }, { password, insecure, ...rest }) {
    checkNoMask(password)
    checkHub(rest)
    await signIn({ ...rest, password, insecure })
    const id = newId()
    const row: RegistryTable = {
      ...rest, id, secrets: sealRegistry(vault, id, password), insecure: insecure ? 1 : 0, adminId: actor.accountId,
      createdAt: now().toISOString(),
    }
    return conclude(async (tx) => {
      await tx.insertInto('registry').values(row).execute()
      return toRegistry(row)
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
  run: async ({ db }, { registryId }) => toRegistry(await find(db, registryId)),
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
    return cutPage(await rows.execute(), limit, more).map(toRegistry)
  },
})

const changes = z.object({
  ...z.object(fields).partial().shape, registryUrl: RegistryUrl.min(1, 'must not be empty').optional(),
  imagePrefix: ImagePrefix.nullable().optional(), insecure: Insecure.optional(), adminId: Id.optional(),
})

export const update = action({
  name: 'registry.update',
  summary: 'Change a registry; what is left out stays, and so does a masked password',
  description: `${loginText} Containers that run go on; the next pull is with what was given. ${sameHostText}`,
  access: 'admin:admin',
  input: changes.extend({
    registryId: Id, createdAt: z.string().optional().describe('Cannot be changed: the stored value alone is taken'),
  }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, vault, conclude }, { registryId, createdAt, ...asked }) {
    const before = await find(db, registryId)
    if (createdAt !== undefined && createdAt !== before.createdAt) {
      refuseField('createdAt', `cannot be changed: leave it out or send ${before.createdAt}`)
    }
    const { login } = changed(vault, before, asked)
    await signIn(login)
    return conclude(async (tx) => {
      // What another call has changed meanwhile stays.
      const now = changed(vault, await find(tx, registryId), asked)
      if (!isDeepStrictEqual(now.login, login)) {
        refuse('CONFLICT', 'Its address or credentials were changed by another call meanwhile. Read it, and try again')
      }
      if (asked.adminId !== undefined) await checkAdmin(tx, asked.adminId)
      const { id, ...columns } = now.row
      await tx.updateTable('registry').set(columns).where('id', '=', id).execute()
      return toRegistry(now.row)
    })
  },
})

export const remove = command({
  name: 'registry.remove',
  summary: 'Remove a registry: its credentials are forgotten',
  description: 'Refused while databases have images of it, which could not be pulled again; `force` does it all the '
    + 'same.',
  access: 'admin:admin',
  input: z.object({ registryId: Id, force: z.boolean().default(false).describe('Also while images of it are used') }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx, vault }, { registryId, force }) {
    const row = await find(tx, registryId)
    const users = force ? [] : await usersOf(tx, vault, row)
    if (users.length > 0) {
      refuse('CONFLICT', `Images of it are used by ${users.join(', ')}: they could not be pulled again. Deploy these `
        + 'with another image first, or remove it with force')
    }
    await tx.deleteFrom('registry').where('id', '=', row.id).execute()
    return toRegistry(row)
  },
})

export const testRegistry = action({
  name: 'registry.testRegistry',
  summary: 'Log in to a registry with exactly these values',
  description: `${loginText} Nothing is stored. With \`registryId\` a masked password means the one that is stored `
    + `there. ${sameHostText}`,
  access: 'admin:admin',
  input: z.object({
    ...fields, imagePrefix: ImagePrefix.nullable().optional(), insecure: Insecure.default(false),
    registryId: Id.optional().describe('Whose stored password a mask stands for'),
  }),
  output: z.object({
    message: z.string(),
    host: z.string().describe('As images of it are named'),
    isChecked: z.boolean().describe('False: it lets anybody in, and looked at no password'),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, vault }, { registryId, password, ...settings }) {
    const stored = registryId === undefined ? null : await find(db, registryId)
    if (stored === null) checkNoMask(password)
    checkHub(settings)
    const { host, isChecked } = await signIn(stored !== null && password === mask
      ? inherited(vault, stored, settings) : { ...settings, password })
    const message = isChecked ? `Logged in to ${host} as ${settings.username}`
      : `${host} lets anybody in: whether the password is right, nobody can tell`
    return { message, host, isChecked }
  },
})

/** The row as it is to become, and the login that has to be good for that. */
function changed(
  vault: Vault, before: RegistryTable, { password = mask, insecure, ...rest }: z.output<typeof changes>,
) {
  const row: RegistryTable = {
    ...before, ...defined(rest), ...(insecure !== undefined && { insecure: insecure ? 1 : 0 }),
    ...(password !== mask && { secrets: sealRegistry(vault, before.id, password) }),
  }
  checkHub(row)
  const settings = { registryUrl: row.registryUrl, username: row.username, insecure: row.insecure === 1 }
  const login: Login = password === mask ? inherited(vault, before, settings) : { ...settings, password }
  return { row, login }
}

/** Nothing stands for Docker Hub, which is nobody's own. */
function checkHub({ registryUrl, registryType }: Pick<RegistryTable, 'registryUrl' | 'registryType'>): void {
  if (registryUrl.trim() === '' && registryType !== 'cloud') {
    refuseField('registryUrl', 'must not be empty for a registry of one\'s own: empty is Docker Hub')
  }
}

function checkNoMask(password: string): void {
  if (password === mask) refuseField('password', 'is the mask of secrets, and nothing is stored')
}

async function checkAdmin(db: Reader, adminId: string): Promise<void> {
  const admin = await db.selectFrom('account').select('id').where('id', '=', adminId).where('rol', '=', 'admin')
    .executeTakeFirst()
  if (admin === undefined) refuseField('adminId', 'There is no such administrator', 'NOT_FOUND')
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<RegistryTable>

/** Names of services whose image is on its host, unless another registry is for that too. */
async function usersOf(tx: CommandContext['tx'], vault: Vault, row: RegistryTable): Promise<string[]> {
  const host = hostOf(row.registryUrl)
  const others = await tx.selectFrom('registry').select('registryUrl').where('id', '!=', row.id).execute()
  // Images of Docker Hub are pulled without credentials too, most of them.
  if (host === 'docker.io' || others.some(({ registryUrl }) => hostOf(registryUrl) === host)) return []
  const databases = await tx.selectFrom('database').select(['id', 'appName', 'dockerImage', 'target'])
    .where('goal', '!=', 'gone').orderBy('id').execute()
  return databases.filter((it) => [it.dockerImage, openTarget(vault, 'target', it)?.dockerImage]
    .some((image) => image !== undefined && registryOf(image) === host)).map(({ appName }) => appName)
}

async function find(db: Reader, id: string): Promise<RegistryTable> {
  return await db.selectFrom('registry').selectAll().where('id', '=', id).executeTakeFirst() ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'There is no such registry. registry.all lists those there are')
}

function toRegistry({ id, secrets: _, ...row }: RegistryTable) {
  const [host, insecure] = [hostOf(row.registryUrl)!, row.insecure === 1]
  return { registryId: id, ...row, host, insecure, password: mask } as const
}
