/** Reads what a restored state says and what runs in the swarm. Changes nothing. */
import type { EngineView } from '../../engine/view.ts'
import type { FoundService } from '../../engine/engine.ts'
import { databaseLabel, isOwnObject, kindLabel, roleLabel } from '../../engine/labels.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import type { Reader } from '../../store/schema.ts'
import { askedVolumes, type Facts, type FoundServer, type RecordedDatabase } from './differences.ts'

/** The engine's part that is read. */
export type Observed = Pick<EngineView, 'services' | 'nodes' | 'volumeState'>

const maxConcurrentQueries = 16

export async function readFacts(db: Reader, engine: Observed, installationId: string): Promise<Facts> {
  // The rows must be read before the services: no row changes while the state is unconfirmed, but services do.
  const databases = await recordedDatabases(db)
  const [services, nodes] = await Promise.all([engine.services(), engine.nodes()])
  const servers = services.flatMap((service) => serverIn(service, installationId))
  const presence = new Map<string, 'present' | 'missing' | 'unknown'>()
  await forEachConcurrent(askedVolumes({ databases, servers }), maxConcurrentQueries, async ({ name, nodeId }) => {
    presence.set(name, await engine.volumeState(name, nodeId))
  })
  return {
    databases,
    servers,
    serviceNames: new Set(services.map(({ name }) => name.toLowerCase())),
    nodes: new Map(nodes.map(({ id, hostname, address, ready }) => [id, { hostname, address, isReady: ready }])),
    presence,
    expiring: await expiringObjects(db),
  }
}

async function recordedDatabases(db: Reader): Promise<RecordedDatabase[]> {
  const rows = await db
    .selectFrom('database')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select([
      'database.id',
      'database.appName',
      'goal',
      'removeData',
      'volume.name',
      'volume.nodeId',
      'volume.nodeName',
    ])
    .select(['volume.identity', 'volume.serverVersion'])
    .orderBy('database.id')
    .execute()
  return rows.map(({ id, appName, goal, removeData, name, nodeId, nodeName, identity, serverVersion }) => {
    const hasData = identity !== null || serverVersion !== null
    const volume = name === null ? null : { name, nodeId: nodeId!, nodeName: nodeName!, hasData }
    return { id, appName, goal, removeData, volume }
  })
}

/** The service as the server of a database. Empty if it belongs to no database of this installation. */
function serverIn(service: FoundService, installationId: string): FoundServer[] {
  const { name, labels, volumes, nodeId, image, replicas } = service
  const role = labels[roleLabel]
  const databaseId = labels[databaseLabel]
  const [volume] = volumes
  if (!isOwnObject(labels, installationId) || (role !== 'database' && role !== 'move')) return []
  if (databaseId === undefined || volume === undefined) return []
  return [
    {
      service: name,
      databaseId,
      kind: labels[kindLabel] ?? '',
      isTemporary: role === 'move',
      volume,
      nodeId: nodeId ?? '',
      image,
      replicas,
    },
  ]
}

async function expiringObjects(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('expiredObject')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
