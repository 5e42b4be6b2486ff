/** Databases of several kinds: what was asked of each, what runs of it, and that what says `done` lets in. */
import assert from 'node:assert/strict'
import { kindNamed } from '../../src/kinds/index.ts'
import { clients } from '../e2e/clients.ts'
import { containersOf, docker } from '../e2e/swarm.ts'
import type { Fields } from './client.ts'
import { counter, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { type Change, type Known, recordsOf } from './records.ts'
import type { Volumes } from './volumes.ts'

export interface Database extends Fields {
  name: string
  description: string | null
  env: string | null
  externalPort: number | null
  projectId: string
  /** Seen by its effects alone. */
  goal: 'none' | 'up' | 'stopped'
  password: string | null
  /** What it was last deployed with. */
  ran: { env: string | null; password: string | null }
}

type One = Fields & {
  applicationStatus: string
  statusReason: string | null
  lastDeployedAt: string | null
  externalPort: number | null
  connection: { externalUrl: string | null }
}
interface Own {
  kind: string
  appName: string
  notes: string[]
}
type It = Known<Database> & { id: string }

const verbs = [
  'deploy',
  'deploy',
  'deploy',
  'stop',
  'stop',
  'start',
  'reload',
  'port',
  'port',
  'env',
  'update',
  'password',
  'remove',
  'restore',
] as const

const deployed = (may: Database): Database => ({ ...may, goal: 'up', ran: { env: may.env, password: may.password } })
const stopped = (may: Database): Database => ({ ...may, goal: 'stopped' })

export interface Options {
  kinds: string[]
  most: number
  homes: string[]
}

export function databasesOf(runtime: Runtime, volumes: Volumes, { kinds, most, homes }: Options) {
  const { client, prefix } = runtime
  const next = counter()
  /** By name. */
  const owns = new Map<string, Own>()
  const records = recordsOf<Database>(client, 'database', async () => {
    const projects = (await client.read<Record<string, Fields[]>[]>('project.all'))!
    return kinds
      .flatMap((kind) =>
        projects
          .flatMap((project) => project[kind] ?? [])
          .map((record) => {
            const { name, description, env, externalPort, projectId } = record
            return {
              id: record[kindNamed(kind).idField] as string,
              name: record.appName as string,
              fields: { name, description, env, externalPort, projectId },
            }
          }),
      )
      .filter(({ name }) => owns.has(name))
  })
  let logIns = 0
  return { name: 'databases', calls, compare: records.compare, compareWorld, all: records.all, logIns: () => logIns }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    if (present.length === 0 || (records.all().length < most && random.chance(40))) return create(random)
    const verb = random.pick(verbs)
    if (verb === 'restore') return restore(random)
    const it = random.pick(present)
    const before = it.may[0]!
    if (verb === 'remove') return remove(it, random.chance(50))
    if (verb === 'deploy' || (verb === 'start' && before.goal === 'none')) return change(it, 'deploy', deployed)
    if (verb === 'reload') return change(it, 'reload', deployed, { appName: it.name }, [412])
    if (verb === 'start') return change(it, 'start', (may) => ({ ...may, goal: 'up' }), {}, [412])
    if (verb === 'stop') return before.goal === 'none' ? undefined : change(it, 'stop', stopped)
    return changeFields(it, verb, random)
  }

  async function changeFields(it: It, verb: 'port' | 'env' | 'update' | 'password', random: Random) {
    if (verb === 'port') {
      const externalPort = random.chance(25) ? null : await runtime.port()
      return change(it, 'saveExternalPort', (may) => ({ ...may, externalPort }), { externalPort })
    }
    if (verb === 'env') {
      const env = random.chance(15) ? null : `CRASH=value-of-an-environment-${next()}`
      return change(it, 'saveEnvironment', (may) => ({ ...may, env }), { env })
    }
    const fields =
      verb === 'password'
        ? { databasePassword: passwordOf(next()) }
        : { description: `description ${next()}`, projectId: random.pick(homes) }
    const made = 'databasePassword' in fields ? { password: fields.databasePassword } : fields
    return change(it, 'update', (may) => ({ ...may, ...made }), fields)
  }

  async function change(
    it: It,
    verb: string,
    makes: Change<Database>['makes'],
    fields: Fields = {},
    refusals: number[] = [],
  ): Promise<void> {
    const { kind } = owns.get(it.name)!
    const input = { [kindNamed(kind).idField]: it.id, ...fields }
    await records.change(it, { operation: `${kind}.${verb}`, input, makes, refusals })
  }

  async function create(random: Random): Promise<void> {
    const kind = kindNamed(random.pick(kinds))
    const name = `${prefix}-${kind.name}-${next()}`
    const password = passwordOf(next())
    const settings = Object.fromEntries(
      Object.keys(kind.settings.shape).map((field) => [
        field,
        field === 'databasePassword' ? password : kind.secrets.includes(field) ? '' : 'shop',
      ]),
    )
    const projectId = random.pick(homes)
    owns.set(name, { kind: kind.name, appName: name, notes: [] })
    const fields: Database = {
      name,
      description: null,
      env: null,
      externalPort: null,
      projectId,
      goal: 'none',
      password,
      ran: { env: null, password: null },
    }
    await records.create<Fields>(
      `${kind.name}.create`,
      { name, appName: name, projectId, ...settings, dockerImage: clients[kind.name]!.images[0] },
      name,
      fields,
      (body) => body[kind.idField] as string,
    )
  }

  /** On a volume that was kept, with what was written into it. */
  async function restore(random: Random): Promise<void> {
    const volume = volumes.anyKept(random)
    if (volume === null || records.all().length >= most) return
    const name = `${prefix}-${volume.kind}-${next()}`
    owns.set(name, { kind: volume.kind, appName: name, notes: volume.notes })
    const projectId = random.pick(homes)
    const fields: Database = {
      name,
      description: null,
      env: null,
      externalPort: null,
      projectId,
      goal: 'none',
      password: volume.password,
      ran: { env: null, password: null },
    }
    const outcome = await records.create<Fields>(
      'volume.restore',
      { volumeId: volume.id, name, appName: name, projectId },
      name,
      fields,
      (body) => body[kindNamed(volume.kind).idField] as string,
      [404, 409],
    )
    volumes.taken(volume, outcome)
  }

  async function remove(it: It, removeData: boolean): Promise<void> {
    const own = owns.get(it.name)!
    const { idField } = kindNamed(own.kind)
    const input = { [idField]: it.id, removeData }
    const outcome = await records.change(it, { operation: `${own.kind}.remove`, input, makes: () => null })
    if (outcome.is !== 'refused') volumes.left({ ...own, databaseId: it.id, removeData, isSure: outcome.is === 'done' })
  }

  async function compareWorld(): Promise<void> {
    for (const it of records.present()) await compareOne(it)
  }

  async function compareOne(it: It): Promise<void> {
    const own = owns.get(it.name)!
    const one = (await client.read<One>(`${own.kind}.one`, { [kindNamed(own.kind).idField]: it.id }))!
    const { applicationStatus: status, statusReason } = one
    // The images cannot go on with a set-up that a stop or a reload has cut off half way, and Berth says so.
    const isCutOff = /first start was interrupted|ended with exit code/.test(statusReason ?? '')
    if (status === 'error' && one.lastDeployedAt === null && isCutOff) return
    assert.ok(status === 'done' || status === 'idle', `${it.name} is ${status}: ${statusReason}`)
    const containers = await containersOf(it.name)
    assert.equal(containers.length, status === 'done' ? 1 : 0, `containers of ${it.name}, which is ${status}`)
    const goals = status === 'done' ? ['up'] : ['none', 'stopped']
    narrow(it, 'its goal', ({ goal }) => goals.includes(goal))
    if (status === 'idle') return
    const environment = (await docker('inspect', '--format', '{{json .Config.Env}}', containers[0]!)).join('')
    const env = (JSON.parse(environment) as string[]).find((line) => line.startsWith('CRASH=')) ?? null
    narrow(it, `its environment ${env}`, ({ ran }) => ran.env === env)
    if (one.connection.externalUrl !== null) await logIn(it, own, one.connection.externalUrl)
    else assert.equal(one.externalPort, null)
  }

  /** It lets in with what is shown, and holds what was written before. */
  async function logIn(it: It, own: Own, url: string): Promise<void> {
    const password = decodeURIComponent(new URL(url).password)
    narrow(it, 'its password', ({ ran }) => ran.password === null || ran.password === password)
    const session = await clients[own.kind]!.connect(url)
    try {
      assert.deepEqual(await session.read(), own.notes, `what was written into ${it.name}`)
      const text = `note ${next()}`
      await session.write(text)
      own.notes.push(text)
      logIns++
    } finally {
      await session.close()
    }
  }
}

function narrow(it: Known<Database>, what: string, fits: (may: Database) => boolean): void {
  const left = it.may.filter((may) => may !== null && fits(may))
  assert.ok(left.length > 0, `${it.name}: ${what} is none that was asked for: ${JSON.stringify(it.may)}`)
  it.may = left
}

const passwordOf = (number: number): string => `secret-of-a-database-${number}`
