/** Databases of several kinds: their records, their containers, and a login to each with status `done`. */
import assert from 'node:assert/strict'
import { kindNamed } from '../../src/kinds/index.ts'
import { credentialNames } from '../../src/kinds/kind.ts'
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
  /** Not returned by the API. Compared with the containers. */
  goal: 'none' | 'up' | 'stopped'
  password: string | null
  /** The values of the last deployment. Compared with the container. */
  lastDeployed: { env: string | null; password: string | null }
}

type One = Fields & {
  applicationStatus: string
  statusReason: string | null
  lastDeployedAt: string | null
  externalPort: number | null
  connection: { externalUrl: string | null }
}
interface Details {
  kind: string
  appName: string
  entries: string[]
}
type KnownDatabase = Known<Database> & { id: string }

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

const deployed = (state: Database): Database => ({
  ...state,
  goal: 'up',
  lastDeployed: { env: state.env, password: state.password },
})
const stopped = (state: Database): Database => ({ ...state, goal: 'stopped' })

export interface Options {
  kinds: string[]
  maxDatabases: number
  projectIds: string[]
}

export function databasesOf(runtime: Runtime, volumes: Volumes, { kinds, maxDatabases, projectIds }: Options) {
  const { client, prefix } = runtime
  const next = counter()
  /** The details of each database by name. */
  const details = new Map<string, Details>()
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
      .filter(({ name }) => details.has(name))
  })
  let logIns = 0
  return { name: 'databases', calls, compare: records.compare, compareExternal, all: records.all, logIns: () => logIns }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    if (present.length === 0 || (records.all().length < maxDatabases && random.chance(40))) return create(random)
    const verb = random.pick(verbs)
    if (verb === 'restore') return restore(random)
    const record = random.pick(present)
    const before = record.possible[0]!
    if (verb === 'remove') return remove(record, random.chance(50))
    if (verb === 'deploy' || (verb === 'start' && before.goal === 'none')) return change(record, 'deploy', deployed)
    if (verb === 'reload') return change(record, 'reload', deployed, { appName: record.name }, [412])
    if (verb === 'start') return change(record, 'start', (state) => ({ ...state, goal: 'up' }), {}, [412])
    if (verb === 'stop') return before.goal === 'none' ? undefined : change(record, 'stop', stopped)
    return changeFields(record, verb, random)
  }

  async function changeFields(record: KnownDatabase, verb: 'port' | 'env' | 'update' | 'password', random: Random) {
    if (verb === 'port') {
      const externalPort = random.chance(25) ? null : await runtime.port()
      return change(record, 'saveExternalPort', (state) => ({ ...state, externalPort }), { externalPort })
    }
    if (verb === 'env') {
      const env = random.chance(15) ? null : `CRASH=value-of-an-environment-${next()}`
      return change(record, 'saveEnvironment', (state) => ({ ...state, env }), { env })
    }
    const fields =
      verb === 'password'
        ? { databasePassword: passwordOf(next()) }
        : { description: `description ${next()}`, projectId: random.pick(projectIds) }
    const changes = 'databasePassword' in fields ? { password: fields.databasePassword } : fields
    return change(record, 'update', (state) => ({ ...state, ...changes }), fields)
  }

  async function change(
    record: KnownDatabase,
    verb: string,
    apply: Change<Database>['apply'],
    fields: Fields = {},
    refusals: number[] = [],
  ): Promise<void> {
    const { kind } = details.get(record.name)!
    const input = { [kindNamed(kind).idField]: record.id, ...fields }
    await records.change(record, { operation: `${kind}.${verb}`, input, apply, refusals })
  }

  async function create(random: Random): Promise<void> {
    const kind = kindNamed(random.pick(kinds))
    const name = `${prefix}-${kind.name}-${next()}`
    const password = passwordOf(next())
    const settings = Object.fromEntries(
      credentialNames(kind).map((field) => [
        field,
        field === 'databasePassword' ? password : kind.secrets.includes(field) ? '' : 'shop',
      ]),
    )
    const projectId = random.pick(projectIds)
    details.set(name, { kind: kind.name, appName: name, entries: [] })
    const fields: Database = {
      name,
      description: null,
      env: null,
      externalPort: null,
      projectId,
      goal: 'none',
      password,
      lastDeployed: { env: null, password: null },
    }
    await records.create<Fields>(
      `${kind.name}.create`,
      { name, appName: name, projectId, ...settings, dockerImage: clients[kind.name]!.images[0] },
      name,
      fields,
      (body) => body[kind.idField] as string,
    )
  }

  /** Creates a database on a volume that was kept. The database then has the entries of the volume. */
  async function restore(random: Random): Promise<void> {
    const volume = volumes.takeKept(random)
    if (volume === null || records.all().length >= maxDatabases) return
    const name = `${prefix}-${volume.kind}-${next()}`
    details.set(name, { kind: volume.kind, appName: name, entries: volume.entries })
    const projectId = random.pick(projectIds)
    const fields: Database = {
      name,
      description: null,
      env: null,
      externalPort: null,
      projectId,
      goal: 'none',
      password: volume.password,
      lastDeployed: { env: null, password: null },
    }
    const outcome = await records.create<Fields>(
      'volume.restore',
      { volumeId: volume.id, name, appName: name, projectId },
      name,
      fields,
      (body) => body[kindNamed(volume.kind).idField] as string,
      [404, 409],
    )
    volumes.recordRestore(volume, outcome)
  }

  async function remove(record: KnownDatabase, removeData: boolean): Promise<void> {
    const detail = details.get(record.name)!
    const { idField } = kindNamed(detail.kind)
    const input = { [idField]: record.id, removeData }
    const outcome = await records.change(record, { operation: `${detail.kind}.remove`, input, apply: () => null })
    if (outcome.result !== 'refused')
      volumes.recordRemoval({ ...detail, databaseId: record.id, removeData, isSure: outcome.result === 'done' })
  }

  async function compareExternal(): Promise<void> {
    for (const record of records.present()) await compareOne(record)
  }

  async function compareOne(record: KnownDatabase): Promise<void> {
    const detail = details.get(record.name)!
    const one = (await client.read<One>(`${detail.kind}.one`, { [kindNamed(detail.kind).idField]: record.id }))!
    const { applicationStatus: status, statusReason } = one
    // If a stop or a reload interrupts the first start, the images cannot continue it. Berth reports this.
    const isCutOff = /first start was interrupted|ended with exit code/.test(statusReason ?? '')
    if (status === 'error' && one.lastDeployedAt === null && isCutOff) return
    assert.ok(status === 'done' || status === 'idle', `${record.name} is ${status}: ${statusReason}`)
    const containers = await containersOf(record.name)
    assert.equal(containers.length, status === 'done' ? 1 : 0, `containers of ${record.name}, which is ${status}`)
    const goals = status === 'done' ? ['up'] : ['none', 'stopped']
    narrow(record, 'its goal', ({ goal }) => goals.includes(goal))
    if (status === 'idle') return
    const environment = (await docker('inspect', '--format', '{{json .Config.Env}}', containers[0]!)).join('')
    const env = (JSON.parse(environment) as string[]).find((line) => line.startsWith('CRASH=')) ?? null
    narrow(record, `its environment ${env}`, ({ lastDeployed }) => lastDeployed.env === env)
    if (one.connection.externalUrl !== null) await logIn(record, detail, one.connection.externalUrl)
    else assert.equal(one.externalPort, null)
  }

  /** Logs in with the URL of the API, reads the earlier entries, and writes another one. */
  async function logIn(record: KnownDatabase, detail: Details, url: string): Promise<void> {
    const password = decodeURIComponent(new URL(url).password)
    narrow(
      record,
      'its password',
      ({ lastDeployed }) => lastDeployed.password === null || lastDeployed.password === password,
    )
    const session = await clients[detail.kind]!.connect(url)
    try {
      assert.deepEqual(await session.read(), detail.entries, `the entries of ${record.name}`)
      const text = `note ${next()}`
      await session.write(text)
      detail.entries.push(text)
      logIns++
    } finally {
      await session.close()
    }
  }
}

/** Removes the possible states that do not fit. Fails if none is left. */
function narrow(record: Known<Database>, what: string, fits: (state: Database) => boolean): void {
  const recordRemoval = record.possible.filter((state) => state !== null && fits(state))
  assert.ok(
    recordRemoval.length > 0,
    `${record.name}: ${what} is none that was asked for: ${JSON.stringify(record.possible)}`,
  )
  record.possible = recordRemoval
}

const passwordOf = (number: number): string => `secret-of-a-database-${number}`
