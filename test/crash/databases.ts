/** Databases of several kinds: calls that change them, and their records. */
import { kindNamed } from '../../src/kinds/index.ts'
import { tlsModes } from '../../src/kinds/kind.ts'
import { clients } from '../e2e/clients.ts'
import type { Fields } from './client.ts'
import { compareServer, type Database, type Details, type KnownDatabase } from './database-servers.ts'
import { counter, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { type Change, recordsOf } from './records.ts'
import type { Volumes } from './volumes.ts'

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
  'tls',
  'remove',
  'restore',
] as const

const deployed = (state: Database): Database => ({
  ...state,
  goal: 'up',
  lastDeployed: { env: state.env, password: state.password, tls: state.tls },
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
            const { name, description, env, externalPort, projectId, tls } = record
            return {
              id: record[kindNamed(kind).idField] as string,
              name: record.appName as string,
              fields: { name, description, env, externalPort, projectId, tls },
            }
          }),
      )
      .filter(({ name }) => details.has(name))
  })
  let logIns = 0
  return {
    name: 'databases',
    calls,
    compare: records.compare,
    compareExternal,
    all: records.all,
    openAll,
    logIns: () => logIns,
  }

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

  function savePort(record: KnownDatabase, externalPort: number | null) {
    return change(record, 'saveExternalPort', (state) => ({ ...state, externalPort }), { externalPort })
  }

  async function changeFields(
    record: KnownDatabase,
    verb: 'port' | 'env' | 'update' | 'password' | 'tls',
    random: Random,
  ) {
    if (verb === 'port') return savePort(record, random.chance(25) ? null : await runtime.port())
    if (verb === 'env') {
      const env = random.chance(15) ? null : `CRASH=value-of-an-environment-${next()}`
      return change(record, 'saveEnvironment', (state) => ({ ...state, env }), { env })
    }
    if (verb === 'tls') {
      // The drivers of the other kinds connect without TLS.
      const isPostgres = details.get(record.name)!.kind === 'postgres'
      const tls = random.pick(isPostgres ? tlsModes : (['allow', 'off'] as const))
      return change(record, 'update', (state) => ({ ...state, tls }), { tls })
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
      Object.keys(kind.settings.shape).map((field) => [
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
      tls: 'allow',
      goal: 'none',
      password,
      lastDeployed: { env: null, password: null, tls: 'allow' },
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
      tls: 'allow',
      goal: 'none',
      password: volume.password,
      lastDeployed: { env: null, password: null, tls: 'allow' },
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

  /**
   * Creates one more database, and deploys all databases with a published port, so that the comparison can log in.
   * Random calls alone may leave no database that a client can reach.
   */
  async function openAll(random: Random): Promise<void> {
    await create(random)
    for (const record of records.present()) {
      const [state] = record.possible
      if (state!.externalPort === null) await savePort(record, await runtime.port())
      await change(record, 'deploy', deployed)
    }
  }

  async function compareExternal(): Promise<void> {
    for (const record of records.present()) {
      if (await compareServer(client, record, details.get(record.name)!)) logIns++
    }
  }
}

const passwordOf = (number: number): string => `secret-of-a-database-${number}`
