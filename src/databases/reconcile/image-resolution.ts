/**
 * Resolves an image before a server starts from it. The result is the digest in the registry or the id on the node, and
 * the version of the server. An image whose server cannot open the volume's files is refused. The result is stored with
 * the target: later starts use the same image, even if its tag names another one by then.
 */
import { restartPhase } from '../../deployments/queries.ts'
import type { ImageReason } from '../../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type ImageFound } from '../../engine/engine.ts'
import { containerArguments, unknownStart } from '../../kinds/image-start.ts'
import { resolveImage, versionInEnv, versionOfTag, versionInOutput } from '../../kinds/images.ts'
import type { Kind } from '../../kinds/kind.ts'
import { parseImage, repositoryOf } from '../../lib/text/image-reference.ts'
import { splitShellWords } from '../../lib/text/shell-words.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { type ResolvedImage, resolvedImage, sealTarget, type Target } from '../targets.ts'
import { ifCurrent, type Job } from './outcome.ts'
import type { Runtime } from '../../runtime.ts'

/** How long a server may take to print its version. */
const versionTimeoutMs = 30_000
const maxOutputLength = 4096

export type Resolution = { is: 'resolved'; image: ResolvedImage } | { is: 'refused'; reason: ImageReason }

/** The target whose image is resolved, and the volume that the server must be able to open. */
interface ResolutionSubject {
  job: Job
  kind: Kind
  target: Target
  volume: VolumeTable | null
}

/**
 * Resolves the target's image.
 *
 * @param signal aborts the resolution, which can take long if a registry is slow
 * @throws EngineUnavailable
 */
export async function resolve(runtime: Runtime, subject: ResolutionSubject, signal: AbortSignal): Promise<Resolution> {
  const { kind, target } = subject
  const reference = resolveImage(target.dockerImage, runtime.config.imageAliases)
  const present = await ensureImage(runtime, reference, target.image === 'pull', signal)
  if ('reason' in present) return { is: 'refused', reason: present }
  const { digest, id, start } = present
  const read = await readVersion(runtime, subject.job.row, present, kind, signal)
  const version = read.version ?? versionOfTag(target.dockerImage, kind, runtime.config.imageAliases)
  const reason = refusalReason(subject, version, read.fault)
  return reason === null
    ? { is: 'resolved', image: { reference, digest, id, version, start } }
    : { is: 'refused', reason }
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

/** Why the target's image does not start the server with its arguments. Null if it does, or if there are no arguments. */
export function startReason(kind: Kind, target: Target): ImageReason | null {
  const { entrypoint, command } = resolvedImage(target)?.start ?? unknownStart
  const own = splitShellWords(target.command ?? '')
  const refused = kind.refusedArgument?.(own) ?? null
  if (refused !== null) return { reason: 'ArgumentRefused', product: kind.label, detail: refused }
  const fault = containerArguments(kind, { entrypoint, command }, own)
  const { dockerImage: image } = target
  if (fault === 'entrypoint') return { reason: 'EntrypointIgnoresArguments', image, entrypoint }
  if (fault !== 'command') return null
  return { reason: 'CommandIsNotServer', image, product: kind.label, command, program: kind.serverPrograms[0]! }
}

/**
 * Pulls the image, unless its reference contains a digest and the node has it already. If the pull fails, uses the
 * image on the node, as Swarm does; except if the caller requested a pull and the image on the node came from a
 * registry.
 *
 * @returns the image, or the reason why it is not available
 */
async function ensureImage(
  { engine, log }: Runtime,
  reference: string,
  isPullRequested: boolean,
  signal: AbortSignal,
): Promise<ImageFound | ImageReason> {
  const digest = parseImage(reference)?.digest ?? null
  const existing = digest === null ? null : await engine.image(reference)
  if (existing !== null) return { ...existing, digest: `${repositoryOf(reference)}@${digest}` }
  try {
    const pulled = await engine.pullImage(reference, signal)
    const image = await engine.image(reference)
    return image === null
      ? { reason: 'ImageMissing', image: reference, detail: null }
      : { ...image, digest: pulled ?? image.digest }
  } catch (error) {
    signal.throwIfAborted()
    // A registry that does not answer causes the same error as an unavailable engine. If the engine is unavailable, the
    // next call to it throws as well.
    if (!(error instanceof EngineFailure || error instanceof EngineUnavailable)) throw error
    const image = await engine.image(reference)
    const detail = error.message
    if (image === null) return { reason: 'ImageMissing', image: reference, detail }
    if (isPullRequested && image.digest !== null) return { reason: 'ImagePullFailed', image: reference, detail }
    log.info('pull failed; using the image on the node', { image: reference, reason: detail })
    return image
  }
}

interface VersionResult {
  version: string | null
  /** Why the image could not be run; null if it ran, or if its environment contains the version. */
  fault: string | null
}

/** Reads the server's version from the image's environment. If it has none, runs the image to print the version. */
async function readVersion(
  runtime: Runtime,
  { id: recordId }: Pick<DatabaseTable, 'id'>,
  image: ImageFound,
  kind: Kind,
  signal: AbortSignal,
): Promise<VersionResult> {
  const declared = versionInEnv(image.env, kind)
  if (declared !== null) return { version: declared, fault: null }
  const name = `berth-version-${recordId}`
  const argv = [...kind.imageVersion.argv]
  const limited = AbortSignal.any([signal, AbortSignal.timeout(versionTimeoutMs)])
  try {
    const job = await runtime.engine.runJob({ name, recordId, image: image.id, argv, env: {}, stdin: false }, limited)
    let output = ''
    job.stdout.on('data', (part: Buffer) => {
      if (output.length < maxOutputLength) output += part.toString()
    })
    const { exitCode } = await job.ended
    return { version: exitCode === 0 ? versionInOutput(output, kind) : null, fault: null }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineUnavailable) throw error
    return { version: null, fault: (error as Error).message }
  }
}

/** Stores the resolved image in the target and restarts the phase, so that the timeouts of the start begin now. */
export async function recordImage(runtime: Runtime, job: Job, target: Target, image: ResolvedImage): Promise<void> {
  const sealed = sealTarget(runtime.vault, 'target', job.row.id, { ...target, image })
  await ifCurrent(runtime, job, async (tx) => {
    await tx.updateTable('database').set({ target: sealed }).where('id', '=', job.row.id).execute()
    await restartPhase(tx, job.deployment.id, undefined, runtime.now())
  })
}

/**
 * Why an image that is in no registry cannot be started. Null if the image is in a registry or exists on Berth's node,
 * or if the database is on another node, because Berth does not check the images of other nodes.
 */
export async function missingLocalImage(
  { engine }: Runtime,
  { dockerImage }: Target,
  image: ResolvedImage,
  { nodeId }: Pick<VolumeTable, 'nodeId'>,
): Promise<ImageReason | null> {
  if (image.digest !== null || (await engine.image(image.id)) !== null) return null
  if (!(await engine.nodes()).some(({ id, local }) => local && id === nodeId)) return null
  return { reason: 'ImageGone', image: dockerImage, imageId: image.id }
}
