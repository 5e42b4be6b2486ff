/** A Berth on the swarm, with the storage, the applications and the registry that the groups of operations need. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { programs } from '../e2e/caddy.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { startStorage } from '../e2e/storage.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, removeAll, sql } from '../e2e/swarm.ts'
import { run } from '../installation/run-command.ts'
import { startFakeRegistry, type FakeRegistry } from '../fixtures/fake-registry.ts'
import { type Client, clientOf } from './client.ts'
import { type Source, contentQuery } from './backups.ts'
import { proxyProcesses } from './engine.ts'
import { type Subscriber, subscribe } from './events.ts'
import type { Runtime } from './group.ts'
import { applicationPort } from './ports.ts'
import { type Random, randomFrom } from './random.ts'
import type { Application } from './routing.ts'
import { nodeLabel } from './settings.ts'
import { rowsOf } from './store.ts'

export const [adminEmail, adminPassword] = ['ada@example.org', 'correct horse']

export interface CrashBerth extends Runtime {
  berth: BerthProcess
  client: Client
  subscriber: Subscriber
  installationToken: string
  installationId: string
  nodeId: string
  registry: FakeRegistry
  applications: Application[]
}

/** Starts the Berth and its surroundings. All of it is removed at the end of the test. */
export async function startCrashBerth(t: TestContext, seed: number): Promise<CrashBerth> {
  const end = new AsyncDisposableStack()
  t.after(() => end.disposeAsync())
  const folder = folderUnder(end)
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  // Other tests may use the swarm's only proxy service, so this Berth runs its proxy as processes.
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
  // Backups can have the recipient `installation` only after this export.
  assert.equal((await run(folder, ['key', 'export-backup-identity'])).status, 0)
  const client = clientOf(berth.base, seed, randomFrom(seed, 'keys'))
  client.signedIn(token)
  const subscriber = await subscribe(berth.base, token, folder)
  end.defer(() => subscriber.close())
  const [meta] = rowsOf<{ value: string }>(folder, "select value from meta where key = 'installationId'")
  const installationId = meta!.value
  end.defer(() => removeAll(installationId))
  // Berth must end before its services are removed, because Berth would create them again.
  end.defer(() => berth.kill())
  const prefix = `crash-${process.pid}`
  const nodeId = (await docker('info', '--format', '{{.Swarm.NodeID}}'))[0]!
  end.defer(() => removeLabel(nodeId, nodeLabel(prefix)))
  const [storage, registry] = [end.use(await startStorage()), end.use(await startFakeRegistry())]
  for (const bucket of ['backups', 'crash']) storage.makeBucket(bucket)
  const applications = await applicationsOf(end, prefix, client)
  const installationToken = readFileSync(join(folder, 'access-token'), 'utf8').trim()
  return {
    berth,
    client,
    subscriber,
    folder,
    storage,
    httpPort,
    httpsPort,
    port: portsFrom(randomFrom(seed, 'ports')),
    prefix,
    installationToken,
    installationId,
    nodeId,
    registry,
    applications,
  }
}

/** Removes the label of the node, if a call has set it. */
async function removeLabel(nodeId: string, name: string): Promise<void> {
  const labels = (await docker('node', 'inspect', nodeId, '--format', '{{json .Spec.Labels}}')).join('')
  if (labels.includes(`"${name}"`)) await docker('node', 'update', '--label-rm', name, nodeId)
}

/** Deploys two applications without Berth. They respond to every request with their name. */
async function applicationsOf(end: AsyncDisposableStack, prefix: string, client: Client): Promise<Application[]> {
  await until('the network of Berth', () =>
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
      const listed = (await client.read<{ name: string; running: number; served: boolean }[]>('application.all'))!
      return all.every(({ name }) => listed.some((it) => it.name === name && it.running === 1 && it.served))
    },
    60_000,
  )
  return all
}

/** Returns a function that returns free ports, below the range from which the kernel takes ports for connections. */
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
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}

/** Creates the database that is dumped and restored. Neither the database nor its content changes during the test. */
export async function createSource(
  { client, prefix, port }: CrashBerth,
  projectId: string,
  destinationId: string,
): Promise<Source> {
  const appName = `${prefix}-steady`
  const ok = async (name: string, input: Record<string, unknown>) => {
    const outcome = await client.call<{ postgresId: string }>(`postgres.${name}`, input)
    if (outcome.result !== 'done') throw new Error(`postgres.${name}: ${JSON.stringify(outcome)}`)
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
  return { postgresId, appName, url, destinationId, bucket: 'backups', content: await sql(url, contentQuery) }
}
