/** Finds a database's volume. Before the first container is created, chooses the node and records the volume. */
import type { FoundNode } from '../../engine/engine.ts'
import { type PlacementConstraint, type PlacementReason, usableNodes } from '../../engine/placement.ts'
import { versionOfTag } from '../../kinds/images.ts'
import { type Kind, withoutLasting } from '../../kinds/kind.ts'
import { leavingNodes } from '../../cluster/queries.ts'
import type { DatabaseTable, Reader, VolumeTable } from '../../store/schema.ts'
import { resolvedImage, sealSettings, type Target } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Job } from './outcome.ts'
import type { Runtime } from '../../runtime.ts'

/** The database's volume; null before the first deploy. */
export async function findVolume(db: Reader, row: Pick<DatabaseTable, 'volumeId'>): Promise<VolumeTable | null> {
  if (row.volumeId === null) return null
  return db.selectFrom('volume').selectAll().where('id', '=', row.volumeId).executeTakeFirstOrThrow()
}

/**
 * Chooses the usable node with the fewest volumes and records a volume there. Docker creates the volume together with
 * the first container.
 *
 * @returns the volume; a reason if no node can be used; null if, in the meantime, the deployment was superseded, the
 * requested placement changed or a removal of the node began
 */
export async function placeVolume(
  runtime: Runtime,
  { row, deployment }: Job,
  target: Target,
  kind: Kind,
): Promise<VolumeTable | PlacementReason | null> {
  const node = await chooseNode(runtime, row)
  if ('reason' in node) return node
  const id = runtime.newId()
  const columns = {
    kind: row.kind,
    ownerKind: 'database' as const,
    ownerId: row.id,
    dataPath: mountPath(runtime, target, kind),
    nodeId: node.id,
    nodeName: node.hostname,
    nodeAddress: node.address,
    appName: row.appName,
    dockerImage: target.dockerImage,
    ...sealSettings(runtime.vault, 'volume', id, withoutLasting(kind, target.settings), kind.secrets),
  }
  const volume = volumes.newVolume(id, columns, runtime.now())
  return runtime.transact(async (tx) => {
    const current = await tx
      .selectFrom('database')
      .select(['deploymentId', 'volumeId', 'node', 'nodeLabel'])
      .where('id', '=', row.id)
      .executeTakeFirst()
    if (current?.deploymentId !== deployment.id || current.volumeId !== null) return null
    if (current.node !== row.node || current.nodeLabel !== row.nodeLabel) return null
    if ((await leavingNodes(tx)).has(node.id)) return null
    await volumes.insert(tx, volume)
    await tx.updateTable('database').set({ volumeId: id }).where('id', '=', row.id).execute()
    return volume
  })
}

/** The volume with its mount path. Before the first login the volume has no data, and the image decides the path. */
export function withMountPath<V extends Pick<VolumeTable, 'dataPath' | 'serverVersion'>>(
  runtime: Pick<Runtime, 'config'>,
  volume: V,
  target: Target,
  kind: Kind,
): V {
  return volume.serverVersion === null ? { ...volume, dataPath: mountPath(runtime, target, kind) } : volume
}

/** The path at which the target's image expects its data. */
export function mountPath(runtime: Pick<Runtime, 'config'>, target: Target, kind: Kind): string {
  return kind.dataPath(versionOf(runtime, target, kind))
}

/** The version of the target's image. Before the image is resolved, the version in its tag. Null if unknown. */
export function versionOf({ config }: Pick<Runtime, 'config'>, target: Target, kind: Kind): string | null {
  const resolved = resolvedImage(target)
  return resolved === null ? versionOfTag(target.dockerImage, kind, config.imageAliases) : resolved.version
}

async function chooseNode({ db, engine }: Runtime, wanted: PlacementConstraint): Promise<FoundNode | PlacementReason> {
  const [nodes, counts, leaving] = [await engine.nodes(), await volumesByNode(db), await leavingNodes(db)]
  const usable = usableNodes(
    nodes.filter(({ id }) => !leaving.has(id)),
    wanted,
  )
  if ('reason' in usable) return usable
  return usable.toSorted((a, b) => (counts.get(a.id) ?? 0) - (counts.get(b.id) ?? 0))[0]!
}

async function volumesByNode(db: Reader): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('volume')
    .select(({ fn }) => ['nodeId', fn.countAll<number>().as('count')])
    .groupBy('nodeId')
    .execute()
  return new Map(rows.map(({ nodeId, count }) => [nodeId, Number(count)]))
}
