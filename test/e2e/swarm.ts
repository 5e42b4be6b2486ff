/**
 * A test Berth on the machine's real swarm. Also Docker's client and PostgreSQL clients, so that tests can compare Berth's
 * answers with the engine. Everything that Berth created on the engine is removed at the end.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { type DockerClient, dockerClient } from '../../src/engine/docker/transport/client.ts'
import type { CredentialsFor } from '../../src/engine/engine.ts'
import { type Berth, type Options, startBerth } from '../fixtures/harness.ts'
import { until } from '../engine/until.ts'

const run = promisify(execFile)

export const dockerHost = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'

/** Calls Docker's client with the machine's engine. Returns the lines of its output. */
export async function docker(...argv: string[]): Promise<string[]> {
  const { stdout } = await run('docker', ['--host', dockerHost, ...argv], { maxBuffer: 16 * 1024 * 1024 })
  return stdout.split('\n').filter((line) => line !== '')
}

/** Builds an image of this name from the lines of a Dockerfile. */
export async function buildImage(name: string, dockerfile: string): Promise<void> {
  const build = run('docker', ['--host', dockerHost, 'build', '--quiet', '--tag', name, '-'])
  build.child.stdin!.end(dockerfile)
  await build
}

export type Fields = Record<string, unknown>

export interface Service {
  postgresId: string
  appName: string
  applicationStatus: string
  statusReason: string | null
  containerState: string | null
  externalPort: number | null
  pendingChanges: boolean
  volume: string | null
  connection: { internalUrl: string; externalUrl: string }
}

/** Starts a Berth on the swarm. It has no proxy by default: the swarm has only one, which tests of routing use. */
export async function onSwarm({ env, ...options }: Options = {}) {
  let installationId = ''
  const connect = (id: string, credentialsFor: CredentialsFor) => {
    installationId = id
    return dockerEngine({ dockerHost, installationId: id, networkName: 'berth', credentialsFor })
  }
  await using opened = new AsyncDisposableStack()
  const berth = await startBerth({ connect, realProxy: true, ...options, env: { BERTH_PROXY: 'off', ...env } })
  opened.defer(() => removeAll(installationId))
  opened.use(berth)
  const project = await berth.call<{ projectId: string }>('project.create', { name: 'e2e' })
  const { projectId } = project.body
  const end = opened.move()
  return { ...berth, projectId, installationId, [Symbol.asyncDispose]: () => end.disposeAsync() }
}

export type Swarm = Awaited<ReturnType<typeof onSwarm>>

/** Tests ask the engine in loops, and Docker's client for each question would load the machine. */
export const engineApi = dockerClient(dockerHost, null, 60_000)

/** Removes everything on the engine that has the installation's label. */
export async function removeAll(installationId: string) {
  const filters = { label: [`berth.installation=${installationId}`] }
  const list = async <T>(path: string, query = {}) => (await engineApi.call<T>({ path, query: { ...query, filters } }))!
  const remove = (path: string, query = {}) => engineApi.call({ method: 'DELETE', path, query })
  for (const { ID } of await list<{ ID: string }[]>('/services')) await remove(`/services/${ID}`)
  await until(
    'the last container to be removed',
    async () => {
      const containers = await list<{ Id: string }[]>('/containers/json', { all: 'true' })
      await Promise.allSettled(containers.map(({ Id }) => remove(`/containers/${Id}`, { force: 1 })))
      return containers.length === 0
    },
    60_000,
  )
  const { Volumes } = await list<{ Volumes: { Name: string }[] | null }>('/volumes')
  for (const { Name } of Volumes ?? []) await remove(`/volumes/${Name}`)
  for (const kind of ['configs', 'secrets']) {
    for (const { ID } of await list<{ ID: string }[]>(`/${kind}`)) await remove(`/${kind}/${ID}`).catch(ignoreInUse)
  }
}

/** Another installation may still use a config or a secret with the same content, or have removed it. */
function ignoreInUse(error: unknown) {
  if (!/is in use by|not found|No such/i.test(String(error))) throw error
}

let count = 0
export const uniqueName = (base: string) => `${base}-${process.pid}-${++count}`

/** Creates a PostgreSQL service with a generated password. */
export async function create(
  { call, projectId }: Swarm | (Berth & { projectId: string }),
  fields: Fields = {},
): Promise<Service> {
  const { status, body } = await call<Service>('postgres.create', {
    name: 'e2e',
    appName: uniqueName('e2e'),
    projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: '',
    ...fields,
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

const waitHeader = { prefer: 'wait=120' }

/** Calls an operation of a PostgreSQL service and waits until its deployment has ended. */
export async function callAndWait(
  { call }: Pick<Berth, 'call'>,
  verb: string,
  { postgresId }: Pick<Service, 'postgresId'>,
  fields: Fields = {},
) {
  return call<Service & { message: string }>(`postgres.${verb}`, { postgresId, ...fields }, undefined, waitHeader)
}

export async function getService(
  { call }: Pick<Berth, 'call'>,
  { postgresId }: Pick<Service, 'postgresId'>,
): Promise<Service> {
  return (await call<Service>('postgres.one', { postgresId })).body
}

/** Runs one statement over a new connection. */
export async function sql(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(text, values)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

/** Returns the error code with which PostgreSQL refuses the login, or '' if the login succeeds. */
export async function refusalOf(url: string): Promise<string> {
  return sql(url, 'select 1').then(
    () => '',
    (error: { code?: string }) => error.code ?? String(error),
  )
}

/** Returns the ids of the running containers that match the filters of `docker ps`. */
async function containersWith(filters: Record<string, string[]>): Promise<string[]> {
  const containers = await engineApi.call<{ Id: string }[]>({ path: '/containers/json', query: { filters } })
  return containers.map(({ Id }) => Id)
}

/** Returns the ids of the running containers of a service. */
export const containersOf = (appName: string): Promise<string[]> =>
  containersWith({ label: [`com.docker.swarm.service.name=${appName}`] })

/** Returns the ids of the running containers whose name contains the text. */
export const containersNamed = (text: string): Promise<string[]> => containersWith({ name: [text] })

/** Returns the names that contain the text, of the volumes of an engine. */
export async function volumesWith(api: DockerClient, text: string): Promise<string[]> {
  const query = { filters: { name: [text] } }
  const { Volumes } = await api.call<{ Volumes: { Name: string }[] | null }>({ path: '/volumes', query })
  return (Volumes ?? []).map(({ Name }) => Name).sort()
}

/** Returns the start time of the PostgreSQL server. */
export const startTime = async (url: string) => (await sql(url, 'select pg_postmaster_start_time()::text as at'))[0]!.at
