/** Finds and removes volumes, and writes files to them. Only the engine of a node knows the node's volumes. */
import { isMissing } from './transport/errors.ts'
import type { NodeClients } from './nodes/node-clients.ts'
import { EngineFailure } from '../engine.ts'
import type { Engine } from '../engine.ts'
import { checkFilesWritten, type VolumeFiles, writeFilesJob } from '../volumes/volume-files.ts'

export function volumeMethods(nodes: NodeClients): Pick<Engine, 'removeVolume' | 'hasVolume'> {
  const request = async (method: 'GET' | 'DELETE', name: string, nodeId: string) => {
    const engine = await nodes.of(nodeId)
    await engine.call({ method, path: `/volumes/${encodeURIComponent(name)}` })
  }
  return {
    removeVolume: async (name, nodeId) => {
      await falseIfMissing(request('DELETE', name, nodeId))
    },
    hasVolume: (name, nodeId) => falseIfMissing(request('GET', name, nodeId)),
  }
}

/** A job that writes files ends within a second, unless the disk of its node hangs. */
const writeTimeoutMs = 60_000

/** @throws EngineFailure `failed` if the files are not written in time; the job then ends in the background */
export async function writeFiles(
  { runJob }: Pick<Engine, 'runJob'>,
  files: VolumeFiles,
  signal: AbortSignal,
): Promise<void> {
  const job = await runJob(writeFilesJob(files), signal)
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const message = `Cannot write files to the volume ${files.volume}: not finished within ${writeTimeoutMs / 1000} seconds`
    timeout.reject(new EngineFailure('failed', message))
    job.stop().catch(() => undefined)
  }, writeTimeoutMs)
  try {
    job.stdout.resume()
    checkFilesWritten(files, await Promise.race([timeout.promise, job.ended]))
  } finally {
    clearTimeout(timer)
  }
}

/** Returns true after a successful request, and false if the volume does not exist. Throws every other failure. */
async function falseIfMissing(request: Promise<void>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
