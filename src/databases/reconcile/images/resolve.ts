/**
 * Resolves an image on the node that will run it, before a server starts from it. The result is the digest in the
 * registry or the id of the image, and the version of the server. An image whose server cannot open the volume's files
 * is refused. The result is stored with the target: later starts use the same image, even if its tag names another one
 * by then.
 */
import { restartPhase } from '../../../deployments/queries.ts'
import type { ImageReason } from '../../../deployments/reason.ts'
import { resolveImage, versionOfTag } from '../../../kinds/images.ts'
import type { Kind } from '../../../kinds/kind.ts'
import type { Runtime } from '../../../runtime.ts'
import type { VolumeTable } from '../../../store/schema.ts'
import { type ResolvedImage, sealTarget, type Target } from '../../targets.ts'
import { ifCurrent, type Job } from '../outcome.ts'
import { ensureImage, type ImageNode } from './available.ts'
import { readVersion } from './version.ts'

export type Resolution = { is: 'resolved'; image: ResolvedImage } | { is: 'refused'; reason: ImageReason }

/** The target whose image is resolved, and the volume that the server must be able to open. */
interface ResolutionSubject {
  job: Job
  kind: Kind
  target: Target
  volume: VolumeTable | null
  /** The node of the volume, or the node that was chosen for it. */
  node: ImageNode
}

/**
 * Resolves the target's image.
 *
 * @param signal aborts the resolution, which can take long if a registry is slow
 * @throws EngineUnavailable, or EngineFailure `nodeUnreachable` or `nodeMissing`
 */
export async function resolve(runtime: Runtime, subject: ResolutionSubject, signal: AbortSignal): Promise<Resolution> {
  const { job, kind, target, node } = subject
  const reference = resolveImage(target.dockerImage, runtime.config.imageAliases)
  const present = await ensureImage(runtime, reference, node, target.image === 'pull', signal)
  if ('reason' in present) return { is: 'refused', reason: present }
  const { digest, id } = present
  const read = await readVersion(runtime, { recordId: job.row.id, image: present, kind, nodeId: node.nodeId }, signal)
  const version = read.version ?? versionOfTag(target.dockerImage, kind, runtime.config.imageAliases)
  const reason = refusalReason(subject, version, read.fault)
  return reason === null ? { is: 'resolved', image: { reference, digest, id, version } } : { is: 'refused', reason }
}

/**
 * Why the server in the image must not open the volume's files. Null if it can open them, if the version of the files
 * is unknown, or if the image runs but does not show its version.
 */
function refusalReason(
  { kind, target, volume }: ResolutionSubject,
  version: string | null,
  fault: string | null,
): ImageReason | null {
  const dataVersion = volume?.serverVersion ?? null
  if (dataVersion === null) return null
  const { label: product } = kind
  const { dockerImage: image } = target
  if (version === null) {
    return fault === null ? null : { reason: 'VersionUnknown', product, dataVersion, image, detail: fault }
  }
  return kind.opens(dataVersion, version)
    ? null
    : { reason: 'VersionIncompatible', product, dataVersion, image, version }
}

/** Stores the resolved image in the target and restarts the phase, so that the timeouts of the start begin now. */
export async function recordImage(runtime: Runtime, job: Job, target: Target, image: ResolvedImage): Promise<void> {
  const sealed = sealTarget(runtime.vault, 'target', job.row.id, { ...target, image })
  await ifCurrent(runtime, job, async (tx) => {
    await tx.updateTable('database').set({ target: sealed }).where('id', '=', job.row.id).execute()
    await restartPhase(tx, job.deployment.id, undefined, runtime.now())
  })
}
