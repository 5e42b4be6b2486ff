/** Reads the version of the server in an image. */
import { EngineFailure, EngineUnavailable, type ImageFound } from '../../../engine/engine.ts'
import { versionInEnv, versionInOutput } from '../../../kinds/images.ts'
import type { Kind } from '../../../kinds/kind.ts'
import type { Runtime } from '../../../runtime.ts'

/** How long a server may take to print its version. */
const versionTimeoutMs = 30_000
const maxOutputLength = 4096

/** An image on a node, and the database that it is for. */
interface VersionSubject {
  recordId: string
  image: ImageFound
  kind: Kind
  nodeId: string
}

export interface VersionResult {
  version: string | null
  /** Why the image could not be run; null if it ran, or if its environment contains the version. */
  fault: string | null
}

/**
 * Reads the server's version from the image's environment. If it has none, runs the image on the node to print the
 * version. This container has no network, so that the node may be paused.
 *
 * @throws EngineUnavailable, or EngineFailure `nodeUnreachable` or `nodeMissing`
 */
export async function readVersion(
  { engine }: Runtime,
  { recordId, image, kind, nodeId }: VersionSubject,
  signal: AbortSignal,
): Promise<VersionResult> {
  const declared = versionInEnv(image.env, kind)
  if (declared !== null) return { version: declared, fault: null }
  const name = `berth-version-${recordId}`
  const argv = [...kind.imageVersion.argv]
  const limited = AbortSignal.any([signal, AbortSignal.timeout(versionTimeoutMs)])
  try {
    const job = await engine.runJob(
      { name, recordId, nodeId, image: image.id, argv, env: {}, hasNetwork: false, stdin: false },
      limited,
    )
    let output = ''
    job.stdout.on('data', (part: Buffer) => {
      if (output.length < maxOutputLength) output += part.toString()
    })
    const { exitCode } = await job.ended
    return { version: exitCode === 0 ? versionInOutput(output, kind) : null, fault: null }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineUnavailable || isNodeFailure(error)) throw error
    return { version: null, fault: (error as Error).message }
  }
}

/** Whether the node could not be used, so that the failure says nothing about the image. */
const isNodeFailure = (error: unknown) =>
  error instanceof EngineFailure && (error.reason === 'nodeUnreachable' || error.reason === 'nodeMissing')
