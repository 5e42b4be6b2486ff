/** Follows the messages of a worker: signs its requests, passes on its progress, and returns its result. */
import type { RunningJob } from '../../engine/job.ts'
import { BrokenArchive } from '../../kinds/backup.ts'
import { type Bucket, StorageFault, type WantedRequest } from '../../lib/s3/s3.ts'
import { detailOf, RunFailure } from '../failures.ts'
import { NotDirect } from './not-direct.ts'
import { jsonLines, type Reply, type Report, type Work, type WorkerMessage, type WorkFailure } from './protocol.ts'

export interface Worker {
  /** The name of the container, whose volume has the pipes. */
  readonly name: string
  /** Resolves when the tools can start. Rejects with NotDirect if they cannot. */
  readonly ready: Promise<void>
  /** The result of the work. Rejects with the failure of the work, or with WorkerEnded. */
  readonly report: Promise<Report>
  /** Allows the worker to send the parts of this upload. */
  beginUpload(uploadId: string): void
  /** Kills the worker. Resolves when its container is removed. */
  stop(): Promise<void>
}

export interface FollowOptions {
  name: string
  bucket: Bucket
  key: string
  work: Work
  idleMs: number
  onProgress?: (bytes: number) => Promise<void>
}

/** The worker ended without a result. */
export class WorkerEnded extends Error {
  constructor(detail: string) {
    super(`The container that exchanges the dump with the storage ended early. ${detailOf(detail)}`.trimEnd())
    this.name = 'WorkerEnded'
  }
}

/** A failure in the worker that another failure may have caused: a tool failed and closed its end of a pipe. */
export class PipeFailure extends Error {}

export function followWorker(job: RunningJob, options: FollowOptions, signal: AbortSignal): Worker {
  const { name, idleMs, onProgress } = options
  const [ready, report] = [Promise.withResolvers<void>(), Promise.withResolvers<Report>()]
  const signing = signer(options, signal)
  let isReady = false
  const fail = (error: unknown) => {
    if (!isReady && error instanceof WorkerEnded) {
      ready.reject(new NotDirect({ reason: 'WorkerFailed', detail: error.message }))
    } else ready.reject(error)
    report.reject(error)
  }
  for (const { promise } of [ready, report]) promise.catch(() => undefined)

  async function follow(): Promise<void> {
    for await (const message of jsonLines(job.stdout)) await take(message as WorkerMessage)
    const { lastLines } = await job.ended
    throw new WorkerEnded(lastLines)
  }

  async function take(message: WorkerMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        isReady = true
        return ready.resolve()
      case 'unreachable':
        return fail(
          new NotDirect({ reason: 'StorageUnreachable', fault: message.fault, detail: detailOf(message.message) }),
        )
      case 'sign':
        job.stdin!.write(`${JSON.stringify(await signing.reply(message.id, message.request))}\n`)
        return
      case 'progress':
        return onProgress?.(message.bytes)
      case 'done':
        signing.check(message.report)
        return report.resolve(message.report)
      case 'failed':
        return fail(errorOf(message.failure, idleMs))
    }
  }

  follow().catch(fail)
  return { name, ready: ready.promise, report: report.promise, beginUpload: signing.begin, stop: () => job.stop() }
}

/** Signs the requests that the work needs, and no others. */
function signer({ bucket, key, work }: FollowOptions, signal: AbortSignal) {
  const partSizes = new Map<number, number>()
  let uploadId: string | null = null

  const isAllowed = (request: WantedRequest): boolean => {
    if (request.do === 'head') return true
    if (work.do === 'dump') return request.do === 'part' && uploadId !== null
    return request.do === 'read' && (work.do === 'load' || work.do === 'check')
  }

  return {
    begin(id: string) {
      uploadId = id
    },
    async reply(id: number, request: WantedRequest): Promise<Reply> {
      if (!isAllowed(request)) return { reply: id, refused: `Berth does not sign a request to ${request.do}` }
      if (request.do === 'part') partSizes.set(request.number, request.sizeBytes)
      try {
        return { reply: id, signed: await bucket.sign(key, request, uploadId, signal) }
      } catch (error) {
        signal.throwIfAborted()
        return { reply: id, refused: (error as Error).message }
      }
    },
    /** Throws RunFailure if the parts of an upload are not those that Berth signed. */
    check({ object, parts }: Report) {
      if (work.do !== 'dump') return
      const sentBytes = [...partSizes.values()].reduce((sum, size) => sum + size, 0)
      const isComplete = parts.length === partSizes.size && parts.every(({ number }) => partSizes.has(number))
      if (isComplete && object?.sizeBytes === sentBytes) return
      throw new RunFailure({ reason: 'ObjectDiffers', receivedBytes: object?.sizeBytes ?? null, sentBytes })
    },
  }
}

function errorOf(failure: WorkFailure, idleMs: number): Error {
  switch (failure.cause) {
    case 'storage':
      return new StorageFault(failure.fault, failure.message, failure.isTransient)
    case 'idle':
      return new RunFailure({ reason: 'ToolIdle', seconds: idleMs / 1000 })
    case 'objectChanged':
      return new RunFailure({ reason: 'ObjectChanged' })
    case 'archive':
      return new BrokenArchive(failure.message)
    case 'pipe':
      return new PipeFailure('The tool ended before it had read the whole dump')
    case 'other':
      return new PipeFailure(failure.message)
  }
}
