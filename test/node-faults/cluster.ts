/**
 * Three simulated nodes, a storage, and Berth as a process of its own. Berth's own node is
 * paused. The databases `orders` and `copy` run on the two workers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { type Node, startNodes } from '../e2e/nodes.ts'
import { berthProcess } from '../e2e/process.ts'
import { startStorage } from '../e2e/storage.ts'

const images = ['postgres:15', 'haproxy:3.0']
const databaseName = 'shop'

export interface Database {
  postgresId: string
  appName: string
  node: Node
}

export type FaultCluster = Awaited<ReturnType<typeof startFaultCluster>>

interface Answer {
  [field: string]: unknown
}

export async function startFaultCluster() {
  await using opened = new AsyncDisposableStack()
  const swarm = opened.use(await startNodes([images, images, images]))
  const [own, ...workers] = swarm.nodes as [Node, ...Node[]]
  const machine = own.address.replace(/\d+$/, '254')
  const storage = opened.use(await startStorage())
  storage.makeBucket('backups')
  const folder = mkdtempSync(join(tmpdir(), 'berth-node-faults-'))
  opened.defer(async () => rmSync(folder, { recursive: true, force: true }))
  const berth = await berthProcess(folder, {
    DOCKER_HOST: own.host,
    BERTH_ADVERTISE_ADDR: own.address,
    BERTH_ENGINE_SOURCES: machine,
  })
  opened.defer(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const ok = async <T = Answer>(name: string, input: Answer = {}, headers: Record<string, string> = {}): Promise<T> => {
    const { status, body } = await berth.call<T & { message?: string }>(name, input, headers)
    if (status !== 200) throw new Error(`${name}: ${status} ${body.message}`)
    return body
  }
  const { command } = await until(
    'the swarm',
    () => ok<{ command: string }>('cluster.addWorker').catch(() => null),
    30_000,
  )
  await Promise.all(workers.map((worker) => worker.runCommandLine(command)))
  const nodes = () => ok<NodeAnswer[]>('cluster.getNodes')
  await until(
    'the engines of the workers',
    async () => (await nodes()).filter(({ engineState }) => engineState?.state === 'reachable').length === 2,
    60_000,
  )
  const { id: nodeId } = (await nodes()).find(({ hostname }) => hostname === own.name)!
  await ok('cluster.updateNode', { nodeId, availability: 'pause' })
  const { projectId } = await ok<{ projectId: string }>('project.create', { name: 'faults' })
  const deploy = async (appName: string): Promise<Database> => {
    const fields = {
      name: appName,
      projectId,
      databaseName,
      databaseUser: databaseName,
      databasePassword: 'first-password',
    }
    const created = await ok<{ postgresId: string; appName: string }>('postgres.create', {
      ...fields,
      appName,
      dockerImage: 'postgres:15',
    })
    await ok('postgres.deploy', { postgresId: created.postgresId }, { prefer: 'wait=90' })
    const { node } = await ok<{ node: string }>('postgres.one', { postgresId: created.postgresId })
    return {
      postgresId: created.postgresId,
      appName: created.appName,
      node: swarm.nodes.find(({ name }) => name === node)!,
    }
  }
  const orders = await deploy('orders')
  const copy = await deploy('copy')
  const { destinationId } = await ok<Answer>('destination.create', { name: 'storage', ...storage.settings('backups') })
  const { backupId } = await ok<{ backupId: string }>('backup.create', {
    schedule: restingSchedule,
    prefix: 'orders',
    destinationId,
    database: databaseName,
    databaseType: 'postgres',
    postgresId: orders.postgresId,
    keepLatest: 500,
  })
  const end = opened.move()
  return {
    berth,
    ok,
    storage,
    nodes: swarm.nodes,
    workers,
    databases: { orders, copy },
    databaseName,
    backupId,
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }
}

interface NodeAnswer {
  id: string
  hostname: string
  engineState: { state: string } | null
}
