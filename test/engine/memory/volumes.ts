/** The files that Berth writes to volumes of the in-memory engine. */
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { VolumeFiles } from '../../../src/engine/volumes/volume-files.ts'
import { checkReached } from './nodes.ts'
import { copyOf } from './state.ts'
import type { Runtime } from './state.ts'

export function writeFiles(runtime: Runtime, files: VolumeFiles): void {
  checkReached(runtime, files.nodeId)
  if (!runtime.isPresent(files.image, files.nodeId)) {
    throw new EngineFailure('missing', `No such image: ${files.image}, and it cannot be pulled: there is no registry`)
  }
  runtime.files.set(files.volume, copyOf(files))
}
