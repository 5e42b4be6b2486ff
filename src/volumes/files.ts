/** Files that Berth keeps in a small volume of their own, because it replaces them while a container reads them. */
import { hash } from '../engine/spec.ts'
import type { VolumeFiles } from '../engine/volumes/volume-files.ts'
import type { Runtime } from '../runtime.ts'

/** Identifies the files, their volume and its node, and the image: the owner has another number in another image. */
export const filesDigest = ({ volume, nodeId, image, owner, files }: VolumeFiles): string =>
  hash({ volume, nodeId, image, owner, files })

/**
 * Makes sure that the volume has these files. Writes them, unless `written` tells that they are there already.
 * @param written the digest that the last call returned, and the caller stored; null: unknown
 * @returns the digest of the files. The caller stores it
 * @throws EngineFailure, as `Engine.writeFiles` and `Engine.hasVolume`
 */
export async function writeVolumeFiles(
  { engine }: Pick<Runtime, 'engine'>,
  files: VolumeFiles,
  written: string | null,
  signal: AbortSignal,
): Promise<string> {
  const digest = filesDigest(files)
  const isWritten = written === digest && (await engine.hasVolume(files.volume, files.nodeId))
  if (!isWritten) await engine.writeFiles(files, signal)
  return digest
}
