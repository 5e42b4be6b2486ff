/**
 * Looks for the volumes of nodes that left the swarm, or are down, on the nodes that answer. A machine that left the
 * swarm and joined again has another id, while its volumes are still there. The search goes by the names and labels of
 * volumes: cluster.adoptNode verifies the data.
 */
import { EngineFailure } from '../engine/engine.ts'
import type { FoundNode } from '../engine/node.ts'
import type { Runtime } from '../runtime.ts'
import { type LostVolume, lostVolumes, recordFound } from '../volumes/returned.ts'

/** The time before the same nodes are asked again about the same volumes. */
const againMs = 60_000

/** Returns a function for each turn of the loop. It asks nodes only while volumes are lost. */
export function returnedFinder(runtime: Runtime): (nodes: readonly FoundNode[]) => Promise<void> {
  let last = { question: '', atMs: 0 }
  return async (nodes) => {
    const answering = nodes.filter(({ state, local }) => state !== 'down' || local)
    const lost = await lostVolumes(
      runtime.db,
      answering.map(({ id }) => id),
    )
    if (lost.length === 0) return
    const isBack = ({ nodeId }: LostVolume) => answering.some(({ id }) => id === nodeId)
    const asked = nodes.filter(({ ready, active, local }) => local || (ready && active))
    const question = [...asked.map(({ id }) => id), '', ...lost.map(({ id, nodeId }) => `${id} ${nodeId}`)].join()
    const atMs = runtime.now().getTime()
    if (question === last.question && atMs - last.atMs < againMs) return
    last = { question, atMs }
    const volumes: VolumesByNode = lost.every(isBack) ? new Map() : await volumesByNode(runtime, asked)
    const changed = lost.flatMap((volume) => {
      const node = isBack(volume) ? null : nodeWith(volume, asked, volumes)
      return node === undefined || (node?.id ?? null) === volume.foundNodeId ? [] : [{ volume, node }]
    })
    if (changed.length > 0) await record(runtime, changed)
  }
}

/** The names of Berth's volumes, by the id of the node. A node that could not be asked is left out. */
type VolumesByNode = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The first node that has a volume of this name; null if no node has one. Undefined if this is unknown, because the node
 * on which it was found before could not be asked.
 */
function nodeWith({ name, foundNodeId }: LostVolume, asked: readonly FoundNode[], volumes: VolumesByNode) {
  const node = asked.find(({ id }) => volumes.get(id)?.has(name))
  const isUnknown = asked.some(({ id }) => id === foundNodeId && !volumes.has(id))
  return node ?? (isUnknown ? undefined : null)
}

async function volumesByNode({ engine, log }: Runtime, nodes: readonly FoundNode[]): Promise<VolumesByNode> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const { id, hostname } of nodes) {
    try {
      found.set(id, new Set(await engine.ownVolumes(id)))
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      log.warn('could not list the volumes of a node', { nodeId: id, hostname, reason: error.message })
    }
  }
  return found
}

async function record(
  { transact, wake, log }: Runtime,
  changed: readonly { volume: LostVolume; node: FoundNode | null }[],
): Promise<void> {
  await transact(async (tx) => {
    for (const { volume, node } of changed) await recordFound(tx, volume, node)
  })
  for (const { volume, node } of changed) {
    const fields = { volumeId: volume.id, nodeId: volume.nodeId, hostname: volume.nodeName }
    if (node !== null) log.warn('the volume of a lost node was found on another node', { ...fields, foundOn: node.id })
  }
  wake('watch')
  wake('conditions')
}
