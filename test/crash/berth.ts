/** A Berth of its own on the swarm with all that its groups of operations need: storage, applications, a registry. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { startStorage } from '../e2e/storage.ts'
import { docker, freePort, removeAll, sql } from '../e2e/swarm.ts'
import { run } from '../installation/run-words.ts'
import { startFakeRegistry, type FakeRegistry } from '../fixtures/fake-registry.ts'
import { type Client, clientOf } from './client.ts'
import { type Subject, sum } from './backups.ts'
import { proxyProcesses } from './engine.ts'
import type { Runtime } from './group.ts'
import { applicationPort } from './ports.ts'
import { type Random, randomFrom } from './random.ts'
import type { Application } from './routing.ts'
import { nodeLabel } from './settings.ts'
import { rowsOf } from './store.ts'

const programs = new URL('../../node_modules/.cache/berth-caddy', import.meta.url).pathname
export const adminEmail = 'ada@example.org'

export interface Home extends Runtime {
  berth: BerthProcess
  client: Client
  installation: string
  installationId: string
  nodeId: string
  registry: FakeRegistry
  applications: Application[]
}

/** All of it ends with the test. */
export async function openHome(t: TestContext, seed: number): Promise<Home> {
  const end = new AsyncDisposableStack()
  t.after(() => end.disposeAsync())
  const folder = folderUnder(end)
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  // Processes of the proxy, not its service: of that there is one on the swarm.
  const berth = await berthProcess(folder, {
    BERTH_PROXY: 'process',
    BERTH_PROXY_HTTP_PORT: String(httpPort),
    BERTH_PROXY_HTTPS_PORT: String(httpsPort),
    PATH: `${programs}:${process.env.PATH}`,
  })
  end.defer(() => {
    for (const id of proxyProcesses(folder)) process.kill(id, 'SIGKILL')
  })
  end.defer(() => berth.kill())
  await berth.start()
  const token = await berth.signIn()
  // For the recipient `installation` of backups.
  assert.equal((await run(folder, ['key', 'export-backup-identity'])).status, 0)
  const client = clientOf(berth.base, seed, randomFrom(seed, 'keys'))
  client.signedIn(token)
  const [meta] = rowsOf<{ value: string }>(folder, "select value from meta where key = 'installationId'")
  const installationId = meta!.value
  end.defer(() => removeAll(installationId))
  // Before the rest, so that it makes nothing anew.
  end.defer(() => berth.kill())
  const prefix = `crash-${process.pid}`
  const nodeId = (await docker('info', '--format', '{{.Swarm.NodeID}}'))[0]!
  end.defer(() => removeLabel(nodeId, nodeLabel(prefix)))
  const [storage, registry] = [end.use(await startStorage()), end.use(await startFakeRegistry())]
  for (const bucket of ['backups', 'crash']) storage.makeBucket(bucket)
  const applications = await applicationsOf(end, prefix, client)
  const installation = readFileSync(join(folder, 'access-token'), 'utf8').trim()
  return {
    berth,
    client,
    folder,
    storage,
    httpPort,
    httpsPort,
    port: portsFrom(randomFrom(seed, 'ports')),
    prefix,
    installation,
    installationId,
    nodeId,
    registry,
    applications,
  }
}

/** Where no call has set it, there is none. */
async function removeLabel(nodeId: string, name: string): Promise<void> {
  const labels = (await docker('node', 'inspect', nodeId, '--format', '{{json .Spec.Labels}}')).join('')
  if (labels.includes(`"${name}"`)) await docker('node', 'update', '--label-rm', name, nodeId)
}

/** Two, as others deploy them: they answer whatever they are asked. */
async function applicationsOf(end: AsyncDisposableStack, prefix: string, client: Client): Promise<Application[]> {
  await until('the network', () =>
    docker('network', 'inspect', 'berth').then(
      () => true,
      () => false,
    ),
  )
  const all = ['one', 'two'].map((it) => ({ name: `${prefix}-${it}`, host: `${it}.${prefix}.example` }))
  for (const { name, host } of all) {
    await docker(
      'service',
      'create',
      '--detach',
      '--quiet',
      '--name',
      name,
      '--label',
      `berth.host=${host}`,
      '--label',
      `berth.port=${applicationPort}`,
      '--network',
      'berth',
      '--stop-grace-period',
      '1s',
      'caddy:2',
      'caddy',
      'respond',
      '--listen',
      `:${applicationPort}`,
      '--body',
      name,
    )
    end.defer(async () => {
      await docker('service', 'rm', name)
    })
  }
  await until(
    'the applications to be served',
    async () => {
      const seen = (await client.read<{ name: string; running: number; served: boolean }[]>('application.all'))!
      return all.every(({ name }) => seen.some((it) => it.name === name && it.running === 1 && it.served))
    },
    60_000,
  )
  return all
}

/** Below those that the kernel gives to whoever connects, so that nobody has one by chance. */
function portsFrom(random: Random): () => Promise<number> {
  let next = 10_000 + random.below(20_000)
  return async () => {
    for (;;) {
      const port = ++next
      if (!(await isTaken(port))) return port
    }
  }
}

async function isTaken(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const answer = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answer
}

/** The database that is dumped and restored: it stays, and what it holds too. */
export async function subjectOf(
  { client, prefix, port }: Home,
  projectId: string,
  destinationId: string,
): Promise<Subject> {
  const appName = `${prefix}-steady`
  const ok = async (name: string, input: Record<string, unknown>) => {
    const outcome = await client.call<{ postgresId: string }>(`postgres.${name}`, input)
    if (outcome.is !== 'done') throw new Error(`postgres.${name}: ${JSON.stringify(outcome)}`)
    return outcome.body
  }
  const { postgresId } = await ok('create', {
    name: 'steady',
    appName,
    projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'secret-of-the-steady-one',
    dockerImage: 'postgres:17',
  })
  await ok('saveExternalPort', { postgresId, externalPort: await port() })
  await ok('deploy', { postgresId })
  const {
    connection: { externalUrl: url },
  } = await until(
    'the steady database',
    async () => {
      const one = await client.read<{ applicationStatus: string; connection: { externalUrl: string } }>(
        'postgres.one',
        { postgresId },
      )
      return one?.applicationStatus === 'done' && one
    },
    240_000,
  )
  await sql(
    url,
    `create table big as select n, (select string_agg(md5(random()::text || n || m), '')
    from generate_series(1, 32) m) as text from generate_series(1, 2000) n`,
  )
  return { postgresId, appName, url, destinationId, bucket: 'backups', sums: await sql(url, sum) }
}
