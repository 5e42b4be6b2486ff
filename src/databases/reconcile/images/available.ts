/**
 * Makes an image available on the node that runs the database's container: pulls it there, or copies it from Berth's
 * own node.
 */
import type { ImageReason } from '../../../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type ImageFound } from '../../../engine/engine.ts'
import { parseImage, repositoryOf } from '../../../lib/text/image-reference.ts'
import type { Runtime } from '../../../runtime.ts'
import type { VolumeTable } from '../../../store/schema.ts'
import type { ResolvedImage, Target } from '../../targets.ts'

/** The node that runs the container. */
export type ImageNode = Pick<VolumeTable, 'nodeId' | 'nodeName'>

/**
 * Pulls the image to the node, unless its reference contains a digest and the node has it already. If the pull fails,
 * uses the image on the node, as Swarm does; except if the caller requested a pull and the image on the node came from
 * a registry. If the node has no such image either, copies it from Berth's own node.
 *
 * @returns the image, or the reason why it is not available
 * @throws EngineFailure `nodeUnreachable` or `nodeMissing`
 */
export async function ensureImage(
  runtime: Runtime,
  reference: string,
  node: ImageNode,
  isPullRequested: boolean,
  signal: AbortSignal,
): Promise<ImageFound | ImageReason> {
  const { engine, log } = runtime
  const { nodeId } = node
  const digest = parseImage(reference)?.digest ?? null
  const existing = digest === null ? null : await engine.image(reference, nodeId)
  if (existing !== null) return { ...existing, digest: `${repositoryOf(reference)}@${digest}` }
  const missing = (detail: string | null): ImageReason => ({
    reason: 'ImageMissing',
    image: reference,
    detail,
    node: node.nodeName,
  })
  try {
    const pulled = await engine.pullImage(reference, signal, nodeId)
    const image = await engine.image(reference, nodeId)
    return image === null ? missing(null) : { ...image, digest: pulled ?? image.digest }
  } catch (error) {
    signal.throwIfAborted()
    // A registry that does not answer causes the same error as an unavailable engine. If the engine is unavailable, the
    // next call to it throws as well.
    if (!(error instanceof EngineFailure || error instanceof EngineUnavailable)) throw error
    const detail = error.message
    const image = await engine.image(reference, nodeId)
    if (image === null)
      return (await copiedImage(runtime, reference, nodeId, isPullRequested, signal)) ?? missing(detail)
    if (isPullRequested && image.digest !== null) return { reason: 'ImagePullFailed', image: reference, detail }
    log.info('pull failed; using the image on the node', { image: reference, node: node.nodeName, reason: detail })
    return image
  }
}

/**
 * Copies the image from Berth's own node to another node. A copy has the same id, but no digest.
 *
 * @returns null if Berth's own node does not have the image, or if the caller requested a pull and the image on that
 * node came from a registry
 */
async function copiedImage(
  { engine, log }: Runtime,
  reference: string,
  nodeId: string,
  isPullRequested: boolean,
  signal: AbortSignal,
): Promise<ImageFound | null> {
  const own = await engine.image(reference)
  if (own === null || (isPullRequested && own.digest !== null)) return null
  await engine.provideImage(reference, nodeId, signal)
  log.info("copied an image from Berth's own node", { image: reference, nodeId })
  return (await engine.image(reference, nodeId)) ?? (await engine.image(own.id, nodeId))
}

/**
 * Makes sure that the node has the resolved image before a container starts. Swarm pulls an image that is in a
 * registry. An image that is in no registry must be on the node, or is copied from Berth's own node.
 *
 * @returns the reason if neither node has the image; otherwise null
 * @throws EngineFailure
 */
export async function provideLocalImage(
  { engine }: Runtime,
  { dockerImage }: Pick<Target, 'dockerImage'>,
  image: Pick<ResolvedImage, 'digest' | 'id'>,
  node: ImageNode,
  signal: AbortSignal,
): Promise<ImageReason | null> {
  const { nodeId } = node
  if (image.digest !== null || (await engine.image(image.id, nodeId)) !== null) return null
  if ((await engine.image(image.id)) === null) {
    return { reason: 'ImageGone', image: dockerImage, imageId: image.id, node: node.nodeName }
  }
  await engine.provideImage(image.id, nodeId, signal)
  return null
}
