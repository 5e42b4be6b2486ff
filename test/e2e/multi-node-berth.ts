/** A test Berth on a swarm of several simulated nodes, with a database on each worker. */
import assert from 'node:assert/strict'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import type { CredentialsFor, Engine } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Options, startBerth } from '../fixtures/harness.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type Node, startNodes } from './nodes.ts'

/** All images that a node may have to run. The nodes cannot pull images. */
const defaultImages = ['postgres:15', 'redis:8', 'haproxy:3.0', 'nginx:1']

interface Images {
  managerImages?: string[]
  workerImages?: string[]
}

/** A database and the node where it runs. */
export interface PlacedDatabase {
  databaseClients: DatabaseClients
  database: Database
  node: Node
}

export type MultiNodeBerth = Awaited<ReturnType<typeof startMultiNodeBerth>>

/**
 * Starts nodes and a Berth. The first node is Berth's own. The others join its swarm as workers, with the command that
 * Berth returns.
 */
export async function startMultiNodeBerth(
  count: number,
  { managerImages = defaultImages, workerImages = defaultImages, ...options }: Images & Options = {},
) {
  await using opened = new AsyncDisposableStack()
  const imagesOf = (index: number) => (index === 0 ? managerImages : workerImages)
  const swarm = opened.use(await startNodes(Array.from({ length: count }, (_, index) => imagesOf(index))))
  const [own, ...workers] = swarm.nodes as [Node, ...Node[]]
  let engine: Engine | undefined
  const connect = (installationId: string, credentialsFor: CredentialsFor) =>
    (engine = dockerEngine({
      dockerHost: own.host,
      installationId,
      networkName: 'berth',
      advertiseAddress: own.address,
      credentialsFor,
    }))
  const berth = opened.use(await startBerth({ connect, ...options, env: { BERTH_PROXY: 'off', ...options.env } }))
  const {
    body: { projectId },
  } = await berth.call<{ projectId: string }>('project.create', { name: 'nodes' })
  // Berth prepares the engine at the same time, so one of the two calls can fail.
  await until('the swarm', () =>
    engine!.prepare().then(
      () => true,
      () => false,
    ),
  )
  const {
    body: { command },
  } = await berth.call<{ command: string }>('cluster.addWorker')
  await Promise.all(workers.map((node) => node.runCommandLine(command)))
  await until(
    'the nodes to be ready',
    async () => (await engine!.nodes()).filter(({ state }) => state === 'ready').length === count,
  )
  // A database can be created on a node that Berth has recorded.
  await until(
    'the record of each node',
    async () => (await berth.app.transact((tx) => tx.selectFrom('node').select('id').execute())).length === count,
  )
  // Berth logs in to databases on workers with jobs on its own node. Each job would set up the network there, which
  // takes as long as starting three containers. One container that runs during all tests saves this time.
  await own.docker('run', '--detach', '--network', 'berth', '--entrypoint', 'sleep', 'nginx:1', 'infinity')
  const end = opened.move()
  return {
    berth,
    engine: engine!,
    own,
    workers,
    projectId,
    deployOnWorkers,
    leaveAndJoin,
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }

  /** Makes the machine of a worker leave the swarm and join it again. The swarm keeps its old node as down. */
  async function leaveAndJoin(node: Node): Promise<{ missingNodeId: string; nodeId: string }> {
    const idOf = (state: string) => async () =>
      (await engine!.nodes()).find((each) => each.hostname === node.name && each.state === state)?.id
    const missingNodeId = (await idOf('ready')())!
    await node.docker('swarm', 'leave')
    await until('the old node to be down', idOf('down'), 60_000)
    await node.runCommandLine(command)
    return { missingNodeId, nodeId: await until('the new node to be ready', idOf('ready'), 60_000) }
  }

  /** Deploys a database on each worker, one of each kind in turn. */
  function deployOnWorkers(...kinds: string[]): Promise<PlacedDatabase[]> {
    return Promise.all(
      workers.map(async (node, index) => {
        const name = kinds[index]!
        const databaseClients = databaseClientsOn({ ...berth, projectId }, kindNamed(name), clients[name]!)
        const database = await databaseClients.deployed({ node: node.name })
        assert.equal(database.node, node.name)
        return { databaseClients, database, node }
      }),
    )
  }
}
