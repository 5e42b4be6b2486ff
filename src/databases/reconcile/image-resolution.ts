/**
 * What an image is before a server starts from it: its digest in the registry or its id, and its server's version, by
 * which it is refused where it would not open the files. Found out once and stored with the target: what starts later
 * is the same image, whatever its tag is given to meanwhile.
 */
import { restartPhase } from '../../deployments/queries.ts'
import type { ImageReason } from '../../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type ImageFound } from '../../engine/engine.ts'
import { resolveImage, versionDeclared, versionNamed, versionPrinted } from '../../kinds/images.ts'
import type { Kind } from '../../kinds/kind.ts'
import { parseImage, repositoryOf } from '../../lib/text/image-reference.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { type ResolvedImage, sealTarget, type Target } from '../targets.ts'
import { ifPresent, type Job } from './outcome.ts'
import type { Runtime } from '../../runtime.ts'

/** For a server to print its version. */
const printMs = 30_000
const maxPrinted = 4096

export type Resolution = { is: 'found'; image: ResolvedImage } | { is: 'refused'; reason: ImageReason }

interface Subject {
  job: Job
  kind: Kind
  target: Target
  volume: VolumeTable | null
}

/** The signal calls it off: it may wait long for a registry. */
export async function resolve(runtime: Runtime, it: Subject, signal: AbortSignal): Promise<Resolution> {
  const { kind, target } = it
  const reference = resolveImage(target.dockerImage, runtime.config.imageAliases)
  const present = await makePresent(runtime, reference, target.image === 'pull', signal)
  if ('reason' in present) return { is: 'refused', reason: present }
  const { digest, id } = present
  const read = await readVersion(runtime, it.job.row, present, kind, signal)
  const version = read.version ?? versionNamed(target.dockerImage, kind, runtime.config.imageAliases)
  const reason = objection(it, version, read.fault)
  return reason === null ? { is: 'found', image: { reference, digest, id, version } } : { is: 'refused', reason }
}

/** Why the server in the image must not get at what the volume holds; null: it may, or nobody can tell. */
function objection(
  { kind, target, volume }: Subject,
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

/**
 * As the registry has it now, where that can be asked. Else as it is on the node, as the swarm itself would take it;
 * unless it was asked for anew, and is one that a registry has. Gives a reason where it cannot be had.
 */
async function makePresent(
  { engine, log }: Runtime,
  reference: string,
  isAskedAnew: boolean,
  signal: AbortSignal,
): Promise<ImageFound | ImageReason> {
  const digest = parseImage(reference)?.digest ?? null
  const before = digest === null ? null : await engine.image(reference)
  if (before !== null) return { ...before, digest: `${repositoryOf(reference)}@${digest}` }
  try {
    const pulled = await engine.pullImage(reference, signal)
    const found = await engine.image(reference)
    return found === null
      ? { reason: 'ImageMissing', image: reference, detail: null }
      : { ...found, digest: pulled ?? found.digest }
  } catch (error) {
    signal.throwIfAborted()
    // A registry that is silent looks as if the engine were: that tells itself below.
    if (!(error instanceof EngineFailure || error instanceof EngineUnavailable)) throw error
    const found = await engine.image(reference)
    const detail = error.message
    if (found === null) return { reason: 'ImageMissing', image: reference, detail }
    if (isAskedAnew && found.digest !== null) return { reason: 'ImagePullFailed', image: reference, detail }
    log.info('an image is taken as it is on the node', { image: reference, reason: detail })
    return found
  }
}

interface Read {
  version: string | null
  fault: string | null
}

/** `fault`: why the image could not be asked. */
async function readVersion(
  runtime: Runtime,
  { id: recordId }: Pick<DatabaseTable, 'id'>,
  image: ImageFound,
  kind: Kind,
  signal: AbortSignal,
): Promise<Read> {
  const declared = versionDeclared(image.env, kind)
  if (declared !== null) return { version: declared, fault: null }
  const name = `berth-version-${recordId}`
  const argv = [...kind.imageVersion.argv]
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(printMs)])
  try {
    const job = await runtime.engine.runJob({ name, recordId, image: image.id, argv, env: {}, stdin: false }, bounded)
    let printed = ''
    job.stdout.on('data', (part: Buffer) => {
      if (printed.length < maxPrinted) printed += part.toString()
    })
    const { exitCode } = await job.ended
    return { version: exitCode === 0 ? versionPrinted(printed, kind) : null, fault: null }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineUnavailable) throw error
    return { version: null, fault: (error as Error).message }
  }
}

/** From here on the work starts this image, and its time to come up begins. */
export async function noteImage(runtime: Runtime, job: Job, target: Target, image: ResolvedImage): Promise<void> {
  const sealed = sealTarget(runtime.vault, 'target', job.row.id, { ...target, image })
  await ifPresent(runtime, job, async (tx) => {
    await tx.updateTable('database').set({ target: sealed }).where('id', '=', job.row.id).execute()
    await restartPhase(tx, job.deployment.id, undefined, runtime.now())
  })
}

/** Why an image that no registry has cannot be started; null: it can, or its node, which is another one, will tell. */
export async function lostImage(
  { engine }: Runtime,
  { dockerImage }: Target,
  image: ResolvedImage,
  { nodeId }: Pick<VolumeTable, 'nodeId'>,
): Promise<ImageReason | null> {
  if (image.digest !== null || (await engine.image(image.id)) !== null) return null
  if (!(await engine.nodes()).some(({ id, local }) => local && id === nodeId)) return null
  return { reason: 'ImageGone', image: dockerImage, imageId: image.id }
}
