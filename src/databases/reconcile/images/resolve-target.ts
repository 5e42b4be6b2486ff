/** The part of a step that resolves the image of a database and, before the first start, chooses its node. */
import { nodeUnavailableReason } from '../../../cluster/availability.ts'
import type { FoundNode, FoundTask } from '../../../engine/engine.ts'
import type { Runtime } from '../../../runtime.ts'
import type { Target } from '../../targets.ts'
import { fail, failWithoutRollback, refuseImage, type StepContext } from '../fail.ts'
import { chooseNode, placeVolume } from '../volume-placement.ts'
import { recordImage, resolve } from './resolve.ts'

interface InspectedSwarm {
  tasks: FoundTask[]
  nodes(): Promise<FoundNode[]>
}

/**
 * Resolves the image on the node of the volume before anything changes. Before the first start, chooses the node, and
 * records the volume there with the image. The next turn continues with the resolved image.
 */
export async function resolveTargetImage(
  runtime: Runtime,
  context: StepContext & { target: Target },
  swarm: InspectedSwarm,
  signal: AbortSignal,
): Promise<void> {
  const { job, kind, target, volume } = context
  const unavailable = volume === null ? null : nodeUnavailableReason(await swarm.nodes(), volume)
  if (unavailable !== null) return failWithoutRollback(runtime, job, unavailable)
  const chosen = volume === null ? await chooseNode(runtime, job.row) : null
  if (chosen !== null && 'reason' in chosen) return fail(runtime, context, chosen)
  const node = volume ?? { nodeId: chosen!.id, nodeName: chosen!.hostname }
  const resolution = await resolve(runtime, { job, kind, target, volume, node }, signal)
  if (resolution.is === 'refused') return refuseImage(runtime, context, swarm.tasks, resolution.reason)
  const { image } = resolution
  // After a crash before the image is recorded, the next step resolves the image on the node of this volume.
  if (chosen !== null && (await placeVolume(runtime, job, { ...target, image }, kind, chosen)) === null) return
  return recordImage(runtime, job, target, image)
}
