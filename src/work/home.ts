/** Where a database lives: its volume and the node that holds it, chosen and stored before the first create. */
import { EngineRefused, type FoundNode } from '../engine/engine.ts'
import { versionNamed } from '../kinds/images.ts'
import type { Kind } from '../kinds/kind.ts'
import type { DatabaseTable, Reader, VolumeTable } from '../store/schema.ts'
import { sealSettings, type Target } from '../store/targets.ts'
import type { Job } from './settle.ts'
import type { World } from './world.ts'

export async function findHome(db: Reader, row: Pick<DatabaseTable, 'volumeId'>): Promise<VolumeTable | null> {
  if (row.volumeId === null) return null
  return db.selectFrom('volume').selectAll().where('id', '=', row.volumeId).executeTakeFirstOrThrow()
}

/**
 * Chooses the node with the fewest volumes and records the volume. The engine makes it with the first container. Null
 * where later work has overtaken this: what it would make now nobody would know of.
 */
export async function makeHome(
  world: World, { row, deployment }: Job, target: Target, kind: Kind,
): Promise<VolumeTable | null> {
  const node = fewest(await world.engine.nodes(), await volumesByNode(world.db))
  const id = world.newId()
  const volume: VolumeTable = {
    id, name: `berth-${id}`, kind: row.kind, serverVersion: null, dataPath: pathFor(world, target, kind),
    nodeId: node.id, nodeName: node.hostname, nodeAddress: node.address, databaseId: row.id, state: 'attached',
    appName: row.appName, dockerImage: target.dockerImage, createdAt: world.now().toISOString(), keptAt: null,
    deploymentId: null, ...sealSettings(world.vault, 'volume', id, target.settings, kind.secrets),
  }
  return world.transact(async (tx) => {
    const now = await tx.selectFrom('database').select(['deploymentId', 'volumeId']).where('id', '=', row.id)
      .executeTakeFirst()
    if (now?.deploymentId !== deployment.id || now.volumeId !== null) return null
    await tx.insertInto('volume').values(volume).execute()
    await tx.updateTable('database').set({ volumeId: id }).where('id', '=', row.id).execute()
    return volume
  })
}

/** Until a server has answered on it, nothing that matters is in it: where it is mounted is for the image to say. */
export function mountFor(world: Pick<World, 'config'>, volume: VolumeTable, target: Target, kind: Kind): VolumeTable {
  return volume.serverVersion === null ? { ...volume, dataPath: pathFor(world, target, kind) } : volume
}

function pathFor({ config }: Pick<World, 'config'>, { dockerImage }: Target, kind: Kind): string {
  return kind.dataPath(versionNamed(dockerImage, kind, config.imageAliases))
}

function fewest(nodes: FoundNode[], counts: Map<string, number>): FoundNode {
  const usable = nodes.filter((node) => node.ready && node.active)
  usable.sort((a, b) => (counts.get(a.id) ?? 0) - (counts.get(b.id) ?? 0))
  return usable[0] ?? refuseNodes()
}

function refuseNodes(): never {
  throw new EngineRefused(503, 'No node of the swarm is ready to take a database')
}

async function volumesByNode(db: Reader): Promise<Map<string, number>> {
  const rows = await db.selectFrom('volume').select((it) => ['nodeId', it.fn.countAll<number>().as('count')])
    .groupBy('nodeId').execute()
  return new Map(rows.map(({ nodeId, count }) => [nodeId, Number(count)]))
}
