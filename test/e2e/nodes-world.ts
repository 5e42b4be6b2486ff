/** A Berth on a swarm of several nodes of the test's own, with a database on each of them. */
import assert from 'node:assert/strict'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import type { CredentialsFor, Engine } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { startBerth } from '../fixtures/harness.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type Node, startNodes } from './nodes.ts'

/** Whatever a node may have to run: what is missing on one could not be pulled. */
const usual = ['postgres:15', 'redis:8', 'haproxy:3.0', 'nginx:1']

/** A database, and the node that has it. */
export interface Placed {
  databaseClients: DatabaseClients
  database: Database
  node: Node
}

export type NodesWorld = Awaited<ReturnType<typeof openNodes>>

/** The first node is Berth's; the others join it as workers, by the command that Berth gives. */
export async function openNodes(count: number, { ofOwn = usual, ofWorkers = usual } = {}) {
  await using opened = new AsyncDisposableStack()
  const swarm = opened.use(await startNodes(Array.from({ length: count }, (_, at) => (at === 0 ? ofOwn : ofWorkers))))
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
  const berth = opened.use(await startBerth({ connect, env: { BERTH_PROXY: 'off' } }))
  const {
    body: { projectId },
  } = await berth.call<{ projectId: string }>('project.create', { name: 'nodes' })
  // Berth asks for it as well, and one of the two comes too early.
  await until('the swarm', () =>
    engine!.prepare().then(
      () => true,
      () => false,
    ),
  )
  const {
    body: { command },
  } = await berth.call<{ command: string }>('cluster.addWorker')
  await Promise.all(workers.map((node) => node.paste(command)))
  await until(
    'the nodes to be ready',
    async () => (await engine!.nodes()).filter(({ state }) => state === 'ready').length === count,
  )
  const end = opened.move()
  return { berth, engine: engine!, own, workers, projectId, place, [Symbol.asyncDispose]: () => end.disposeAsync() }

  /** One for each of the workers, of these kinds in turn; Berth's own node has one too, of the last kind. */
  async function place(...kinds: string[]): Promise<Placed[]> {
    const placed: Placed[] = []
    const left = [...kinds]
    for (const { hostname, local } of await engine!.nodes()) {
      const name = local ? kinds.at(-1)! : left.shift()!
      const databaseClients = databaseClientsOn({ ...berth, projectId }, kindNamed(name), clients[name]!)
      const database = await databaseClients.deployed()
      const node = swarm.nodes.find((it) => it.name === hostname)!
      assert.equal(database.node, hostname)
      if (!local) placed.push({ databaseClients, database, node })
    }
    return placed
  }
}
