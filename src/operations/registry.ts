/** Registries: where images come from that not everybody may pull. Their passwords are written, never read. */
import { z } from 'zod'
import { action, command, type CommandContext, query } from '../contract.ts'
import { type Code, refuse, refuseField } from '../errors.ts'
import { mask } from '../lib/mask.ts'
import {
  explain, type FaultKind, hostOf, openRegistry, parseRegistry, passwordFault, RegistryFault, registryOf, usernameFault,
} from '../lib/registry.ts'
import { openRegistryPassword, sealRegistry } from '../store/registries.ts'
import type { Reader, RegistryTable } from '../store/schema.ts'
import { cutPage, Id, Name, page } from './fields.ts'

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
  adminId: z.string(),
  createdAt: z.string(),
})

const loginText = 'Logs in to the registry, which takes 10 seconds at most, and says what is wrong.'

export const create = action({
  name: 'registry.create',
  summary: 'Make a registry: log in to it, and keep the credentials for its images',
  description: `${loginText} From then on they go with every image of that host.`,
  access: 'admin:admin',
  input: z.object({ ...fields, imagePrefix: ImagePrefix.nullable() }),
  output: Registry,
  refusals: ['BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ actor, vault, conclude, now, newId }, { password, ...rest }) {
    checkNoMask(password)
    checkHub(rest)
    await signIn({ ...rest, password })
    const id = newId()
    const row: RegistryTable = {
      ...rest, id, secrets: sealRegistry(vault, id, password), adminId: actor.accountId, createdAt: now().toISOString(),
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

export const update = action({
  name: 'registry.update',
  summary: 'Change a registry; what is left out stays, and so does a masked password',
  description: `${loginText} Containers that run go on; the next pull is with what was given.`,
  access: 'admin:admin',
  input: z.object({
    registryId: Id, ...z.object(fields).partial().shape, registryUrl: RegistryUrl.min(1, 'must not be empty').optional(),
    imagePrefix: ImagePrefix.nullable().optional(), createdAt: z.string().optional(), adminId: Id.optional(),
  }),
  output: Registry,
  refusals: ['NOT_FOUND', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, vault, conclude }, { registryId, password: given, createdAt: _, ...changes }) {
    const before = await find(db, registryId)
    if (changes.adminId !== undefined) await checkAdmin(db, changes.adminId)
    const password = given === undefined || given === mask ? openRegistryPassword(vault, before) : given
    const secrets = given === undefined || given === mask ? before.secrets : sealRegistry(vault, before.id, given)
    const row: RegistryTable = { ...before, ...defined(changes), secrets }
    checkHub(row)
    await signIn({ ...row, password })
    return conclude(async (tx) => {
      const { id, ...columns } = row
      const { numUpdatedRows } = await tx.updateTable('registry').set(columns).where('id', '=', id).executeTakeFirst()
      return numUpdatedRows === 0n ? refuseUnknown() : toRegistry(row)
    })
  },
})

export const remove = command({
  name: 'registry.remove',
  summary: 'Remove a registry: its credentials are forgotten',
  description: 'Refused while databases run images of it, which could not be pulled again; `force` does it all the same.',
  access: 'admin:admin',
  input: z.object({ registryId: Id, force: z.boolean().default(false).describe('Also while images of it are used') }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx }, { registryId, force }) {
    const row = await find(tx, registryId)
    const users = force ? [] : await usersOf(tx, row)
    if (users.length > 0) {
      refuse('CONFLICT', `Images of it are used by ${users.join(', ')}: they could not be pulled again. Give these another `
        + 'image first, or remove it with force')
    }
    await tx.deleteFrom('registry').where('id', '=', row.id).execute()
    return toRegistry(row)
  },
})

export const testRegistry = action({
  name: 'registry.testRegistry',
  summary: 'Log in to a registry with exactly these values',
  description: `${loginText} Nothing is stored.`,
  access: 'admin:admin',
  input: z.object({ ...fields, imagePrefix: ImagePrefix.nullable().optional() }),
  output: z.object({
    message: z.string(),
    host: z.string().describe('As images of it are named'),
    isChecked: z.boolean().describe('False: it lets anybody in, and looked at no password'),
  }),
  refusals: ['BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run(_context, settings) {
    checkNoMask(settings.password)
    checkHub(settings)
    const { host, isChecked } = await signIn(settings)
    const message = isChecked ? `Logged in to ${host} as ${settings.username}`
      : `${host} lets anybody in: whether the password is right, nobody can tell`
    return { message, host, isChecked }
  },
})

/** How each fault is refused, and which field it is about. */
const refusals: Record<FaultKind, [Code, string]> = {
  credentials: ['BAD_REQUEST', 'password'], rights: ['BAD_REQUEST', 'username'],
  redirected: ['BAD_REQUEST', 'registryUrl'], notRegistry: ['BAD_REQUEST', 'registryUrl'],
  name: ['BAD_GATEWAY', 'registryUrl'], refused: ['BAD_GATEWAY', 'registryUrl'],
  unreachable: ['BAD_GATEWAY', 'registryUrl'], broken: ['BAD_GATEWAY', 'registryUrl'],
  tls: ['BAD_GATEWAY', 'registryUrl'], limited: ['BAD_GATEWAY', 'registryUrl'],
  unlisted: ['BAD_GATEWAY', 'registryUrl'], answer: ['BAD_GATEWAY', 'registryUrl'],
  timeout: ['GATEWAY_TIMEOUT', 'registryUrl'],
}

interface Login { registryUrl: string; username: string; password: string }

async function signIn({ registryUrl, username, password }: Login) {
  using registry = openRegistry({ registryUrl, username, password })
  try {
    return await registry.signIn(new AbortController().signal)
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error
    const [code, path] = refusals[error.kind]
    return refuseField(path, explain(error), code)
  }
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
async function usersOf(tx: CommandContext['tx'], row: RegistryTable): Promise<string[]> {
  const host = hostOf(row.registryUrl)
  const others = await tx.selectFrom('registry').select('registryUrl').where('id', '!=', row.id).execute()
  if (others.some(({ registryUrl }) => hostOf(registryUrl) === host)) return []
  const databases = await tx.selectFrom('database').select(['appName', 'dockerImage']).where('goal', '!=', 'gone').execute()
  // Images of Docker Hub are pulled without credentials too, most of them.
  return databases.filter(({ dockerImage }) => host !== 'docker.io' && registryOf(dockerImage) === host)
    .map(({ appName }) => appName)
}

async function find(db: Reader, id: string): Promise<RegistryTable> {
  return await db.selectFrom('registry').selectAll().where('id', '=', id).executeTakeFirst() ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'There is no such registry. registry.all lists those there are')
}

function toRegistry({ id, secrets: _, ...row }: RegistryTable) {
  return { registryId: id, ...row, host: hostOf(row.registryUrl)!, password: mask } as const
}
