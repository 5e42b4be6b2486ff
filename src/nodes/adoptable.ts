/**
 * Finds out which volumes of a node that left the swarm are on a present node. A volume counts only if it has the label
 * of this installation, and the mark that Berth wrote to its data: an empty server over lost data must never start.
 */
import { Refusal, refuse } from '../errors.ts'
import type { ActionContext } from '../api/contract.ts'
import type { FoundNode } from '../engine/node.ts'
import { kindNamed } from '../kinds/index.ts'
import { resolveImage } from '../kinds/images.ts'
import { forEachConcurrent } from '../lib/async/for-each-concurrent.ts'
import type { VolumeTable } from '../store/schema.ts'

/** Why a volume is not taken back. */
export type AdoptionFinding =
  | { reason: 'VolumeNotFound' }
  /** A volume of this name exists, without the label of this installation. */
  | { reason: 'VolumeForeign' }
  /** The data has no mark. */
  | { reason: 'MarkMissing' }
  /** The data has another mark. */
  | { reason: 'MarkDiffers' }
  | { reason: 'MarkUnreadable'; detail: string }

export interface Checked {
  volume: VolumeTable
  /** Null: the volume is taken back. */
  finding: AdoptionFinding | null
}

type Queries = Pick<ActionContext, 'queryEngine' | 'config'>

/** The maximum number of volumes that are read at the same time. Each needs a container. */
const maxConcurrentReads = 4

/** @throws Refusal if a node cannot be asked, or if one of the volumes is on several nodes */
export async function checkVolumes(
  queries: Queries,
  volumes: readonly VolumeTable[],
  node: FoundNode,
  nodes: readonly FoundNode[],
): Promise<Checked[]> {
  const { queryEngine } = queries
  const present = new Set(await queryEngine((engine) => engine.ownVolumes(node.id)))
  for (const other of nodes) {
    if (other.id === node.id || !other.ready || !(other.active || other.local)) continue
    const names = new Set(await queryEngine((engine) => engine.ownVolumes(other.id)))
    const twice = volumes.find(({ name }) => names.has(name) && present.has(name))
    if (twice !== undefined) refuse('CONFLICT', cloneMessage(twice, node, other))
  }
  const findings = new Map<string, AdoptionFinding | null>()
  await forEachConcurrent(volumes, maxConcurrentReads, async (volume) => {
    const finding = present.has(volume.name)
      ? await markFinding(queries, volume, node.id)
      : await absence(queries, volume, node.id)
    findings.set(volume.id, finding)
  })
  return volumes.map((volume) => ({ volume, finding: findings.get(volume.id) ?? null }))
}

const cloneMessage = ({ name, appName }: VolumeTable, ...[first, second]: [FoundNode, FoundNode]) =>
  `The volume ${name} of ${appName} is on node ${first.hostname} (${first.id}) and on node ${second.hostname} ` +
  `(${second.id}), so one of them is a copy. Remove the copy with docker volume rm on its node, then try again`

async function absence({ queryEngine }: Queries, { name }: VolumeTable, nodeId: string): Promise<AdoptionFinding> {
  const use = await queryEngine((engine) => engine.volumeUse(name, nodeId))
  return { reason: use?.exists === true ? 'VolumeForeign' : 'VolumeNotFound' }
}

/** Compares the mark. A volume without a recorded mark, as before the first login, has only its label. */
async function markFinding(
  { queryEngine, config }: Queries,
  { name, kind, dataPath, dockerImage, identity }: VolumeTable,
  nodeId: string,
): Promise<AdoptionFinding | null> {
  if (identity === null) return null
  const folder = kindNamed(kind).dataPath(null).slice(dataPath.length)
  const image = resolveImage(dockerImage, config.imageAliases)
  try {
    const mark = await queryEngine((engine) => engine.volumeMark(name, nodeId, folder, image))
    if (mark === null) return { reason: 'MarkMissing' }
    return mark === identity ? null : { reason: 'MarkDiffers' }
  } catch (error) {
    const isOfVolume =
      error instanceof Refusal && (error.code === 'BAD_GATEWAY' || error.code === 'PRECONDITION_FAILED')
    if (!isOfVolume) throw error
    return { reason: 'MarkUnreadable', detail: error.message }
  }
}
