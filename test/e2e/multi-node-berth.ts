/** A test Berth on a swarm of several simulated nodes, with a database on each worker. */
import assert from 'node:assert/strict'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import type { CredentialsFor, Engine } from '../../src/engine/engine.ts'
import type { ConnectionTo } from '../../src/engine/node-connection.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { startBerth } from '../fixtures/harness.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type Node, startNodes } from './nodes.ts'

/** All images that a node may have to run. The nodes cannot pull images. */
const defaultImages = ['postgres:15', 'redis:8', 'haproxy:3.0', 'nginx:1']

/** A database and the node where it runs. */
export interface PlacedDatabase {
  databaseClients: DatabaseClients
  database: Database
  node: Node
}

export type MultiNodeBerth = Awaited<ReturnType<typeof startMultiNodeBerth>>

interface MultiNodeOptions {
  managerImages?: string[]
  workerImages?: string[]
  now?: () => Date
}

/**
 * Starts nodes and a Berth. The first node is Berth's own. The others join its swarm as workers, with the command that
 * Berth returns.
 */
export async function startMultiNodeBerth(
  count: number,
  { managerImages = defaultImages, workerImages = defaultImages, now }: MultiNodeOptions = {},
) {
  await using opened = new AsyncDisposableStack()
  const imagesOf = (index: number) => (index === 0 ? managerImages : workerImages)
  const swarm = opened.use(await startNodes(Array.from({ length: count }, (_, index) => imagesOf(index))))
  const [own, ...workers] = swarm.nodes as [Node, ...Node[]]
  let engine: Engine | undefined
  const connect = (installationId: string, credentialsFor: CredentialsFor, connectionTo: ConnectionTo) =>
    (engine = dockerEngine({
      dockerHost: own.host,
      installationId,
      networkName: 'berth',
      advertiseAddress: own.address,
      credentialsFor,
      connectionTo,
    }))
  // This process is not on the node of its engine, but on the machine at the other end of the switch.
  const source = own.address.replace(/\d+$/, '254')
  const env = { BERTH_PROXY: 'off', BERTH_ENGINE_SOURCES: source }
  const berth = opened.use(await startBerth({ connect, env, ...(now === undefined ? {} : { now }) }))
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
  // Calls accept the name of a node only after Berth has recorded the node.
  await until('the nodes to be recorded', async () => {
    const { body } = await berth.call<{ since: string | null }[]>('cluster.getNodes')
    return body.length === count && body.every(({ since }) => since !== null)
  })
  const end = opened.move()
  return {
    berth,
    engine: engine!,
    own,
    workers,
    projectId,
    deployOn,
    deployOnWorkers,
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }

  /** Deploys a database on a node. */
  async function deployOn(node: Node, kind: string): Promise<PlacedDatabase> {
    const databaseClients = databaseClientsOn({ ...berth, projectId }, kindNamed(kind), clients[kind]!)
    const database = await databaseClients.deployed({ node: node.name })
    assert.equal(database.node, node.name)
    return { databaseClients, database, node }
  }

  /** Deploys a database on each worker, one of each kind in turn. */
  function deployOnWorkers(...kinds: string[]): Promise<PlacedDatabase[]> {
    return Promise.all(workers.map((node, index) => deployOn(node, kinds[index]!)))
  }
}
