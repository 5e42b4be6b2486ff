/** Reads what a restored state says and what runs in the swarm. Changes nothing. */
import type { EngineView } from '../../engine/view.ts'
import type { VolumeUse } from '../../engine/engine.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import type { Reader } from '../../store/schema.ts'
import { askedVolumes, type Facts, type RecordedDatabase, serverIn } from './differences.ts'

/** The engine's part that is read. */
export type Observed = Pick<EngineView, 'services' | 'nodes' | 'volumeUse'>

const maxConcurrentQueries = 16

export async function readFacts(db: Reader, engine: Observed, installationId: string): Promise<Facts> {
  // The rows must be read before the services: no row changes while the state is unconfirmed, but services do.
  const databases = await recordedDatabases(db)
  const [services, nodes] = await Promise.all([engine.services(), engine.nodes()])
  const servers = services.flatMap((service) => serverIn(service, installationId))
  const uses = new Map<string, VolumeUse | null>()
  await forEachConcurrent(askedVolumes({ databases, servers }), maxConcurrentQueries, async ({ name, nodeId }) => {
    uses.set(name, await engine.volumeUse(name, nodeId))
  })
  return {
    installationId,
    databases,
    servers,
    services,
    nodes: new Map(nodes.map(({ id, hostname, address, ready }) => [id, { hostname, address, isReady: ready }])),
    uses,
    expiring: await expiringObjects(db),
  }
}

async function recordedDatabases(db: Reader): Promise<RecordedDatabase[]> {
  const rows = await db
    .selectFrom('database')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select(['database.id', 'database.appName', 'goal', 'removeData', 'volume.name', 'volume.nodeId'])
    .select(['volume.generation', 'volume.identity', 'volume.serverVersion'])
    .orderBy('database.id')
    .execute()
  return rows.map(({ id, appName, goal, removeData, name, nodeId, generation, identity, serverVersion }) => {
    const hasData = identity !== null || serverVersion !== null
    const volume = name === null ? null : { name, nodeId: nodeId!, generation: generation!, hasData }
    return { id, appName, goal, removeData, volume }
  })
}

async function expiringObjects(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('expiredObject')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
