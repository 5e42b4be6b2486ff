/** Starts a worker on a node: a container of the node image that exchanges a dump with the storage. */
import { getCACertificates } from 'node:tls'
import { EngineFailure } from '../../engine/failures.ts'
import { JobStopped, type RunningJob } from '../../engine/job.ts'
import { isLoopback } from '../../lib/net/loopback.ts'
import type { Bucket } from '../../lib/s3/s3.ts'
import type { Runtime } from '../../runtime.ts'
import { type DataLocation, toolLocationOf } from '../archive.ts'
import { detailOf } from '../failures.ts'
import type { StreamedReason } from '../streamed-reason.ts'
import { followWorker, type Worker } from './follow-worker.ts'
import { NotDirect } from './not-direct.ts'
import { pipesFolder } from './pipes.ts'
import { workerProgram } from './program.ts'
import type { Instructions, Work } from './protocol.ts'

export interface WorkerOptions {
  /** The name of the container. */
  name: string
  /** The id of the run. */
  recordId: string
  location: DataLocation
  bucket: Bucket
  /** The object that the worker reads or uploads. Berth signs no request on any other object. */
  key: string
  work: Work
  /** Called with the number of bytes that were transferred since the last call. */
  onProgress?: (bytes: number) => Promise<void>
}

const programPath = '/berth/worker.mjs'

/** The dependencies of workers. */
export type WorkerRuntime = Pick<Runtime, 'config' | 'engine' | 'storage'>

/**
 * Starts a worker and waits until it has connected to the storage and the tools can start. From then on only
 * `Worker.stop` ends the worker, which the caller calls in any case: its pipes must stay until the tools have ended.
 * @param signal ends the worker until it is ready
 * @throws NotDirect if this node cannot exchange data with the storage. No tool has started then
 */
export async function startWorker(
  runtime: WorkerRuntime,
  options: WorkerOptions,
  signal: AbortSignal,
): Promise<Worker> {
  const { bucket, work, recordId } = options
  if (work.do !== 'count' && isLoopback(bucket.hostname)) throw new NotDirect({ reason: 'StorageLocal' })
  await provideImage(runtime, options.location, signal)
  const instructions = `${JSON.stringify(instructionsOf(runtime, options))}\n`
  const untilReady = new AbortController()
  const abort = () => untilReady.abort(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    const job = await launch(runtime, options, untilReady.signal)
    job.stdin!.write(instructions)
    return await readyWorker(followWorker(job, { ...options, idleMs: runtime.config.backups.idleMs }, signal))
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof JobStopped ? new NotDirect(failed(recordId, error)) : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function readyWorker(worker: Worker): Promise<Worker> {
  try {
    await worker.ready
    return worker
  } catch (error) {
    await worker.stop().catch(() => undefined)
    throw error
  }
}

const failed = (recordId: string, error: Error): StreamedReason => ({
  reason: 'WorkerFailed',
  detail: detailOf(error.message.replaceAll(recordId, 'the run')),
})

async function provideImage(
  { config, engine }: WorkerRuntime,
  { nodeId }: DataLocation,
  signal: AbortSignal,
): Promise<void> {
  try {
    await engine.provideImage(config.nodeImage, nodeId, signal)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    throw new NotDirect(nodeReason(error) ?? imageReason(config.nodeImage, error), { cause: error })
  }
}

async function launch(runtime: WorkerRuntime, options: WorkerOptions, signal: AbortSignal): Promise<RunningJob> {
  const { name, recordId, location } = options
  const job = {
    name,
    recordId,
    ...toolLocationOf(location),
    image: runtime.config.nodeImage,
    argv: ['node', programPath],
    // Opening a pipe takes a thread until the other end is open.
    env: { UV_THREADPOOL_SIZE: '12' },
    files: [{ path: programPath, content: await workerProgram(), mode: 0o444 }],
    volumes: [{ name: '', path: pipesFolder }],
    stdin: true,
  }
  try {
    return await runtime.engine.runJob(job, signal)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    throw new NotDirect(nodeReason(error) ?? failed(recordId, error), { cause: error })
  }
}

const imageReason = (image: string, { message }: Error): StreamedReason => ({
  reason: 'WorkerImageMissing',
  image,
  detail: detailOf(message),
})

/** The reason if the node cannot be used; otherwise null. */
function nodeReason({ reason, message }: EngineFailure): StreamedReason | null {
  const isNode = reason === 'nodeUnreachable' || reason === 'nodeMissing'
  return isNode ? { reason: 'NodeUnreachable', detail: detailOf(message) } : null
}

function instructionsOf({ config, storage }: WorkerRuntime, { bucket, work }: WorkerOptions): Instructions {
  const { egress, ca, attempts, waitMs, idleMs } = storage
  const bundled = new Set(getCACertificates('bundled'))
  return {
    work,
    storage: {
      names: bucket.names,
      extraCa: getCACertificates('default').filter((certificate) => !bundled.has(certificate)),
      onlyCa: ca ?? null,
      limits: {
        ...(attempts === undefined ? {} : { attempts }),
        ...(waitMs === undefined ? {} : { waitMs }),
        ...(idleMs === undefined ? {} : { idleMs }),
      },
      allowed: egress?.allowed ?? [],
    },
    idleMs: config.backups.idleMs,
  }
}
