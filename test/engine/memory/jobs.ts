/** The jobs of the in-memory engine. A test supplies the program. The streams behave like those of a container. */
import { finished } from 'node:stream/promises'
import { Readable, Writable } from 'node:stream'
import { EngineFailure, EngineUnavailable } from '../../../src/engine/engine.ts'
import { checkJob, InputClosed, JobStopped, lastLinesCollector, superviseJob } from '../../../src/engine/job.ts'
import type { FoundJob, Job, JobEnd, RunningJob } from '../../../src/engine/job.ts'
import { checkReached } from './nodes.ts'
import type { Runtime } from './state.ts'

/** The streams of a job's program. The signal stands for SIGKILL. */
export interface JobIo {
  stdin: Readable | null
  stdout: Writable
  stderr: Writable
  signal: AbortSignal
}

/** A program that resolves with its exit code. Throwing synchronously means that the program could not be started. */
export type Program = (job: Job, io: JobIo) => Promise<number | Pick<JobEnd, 'exitCode' | 'outOfMemory'>>

export interface Jobs {
  run(job: Job, signal: AbortSignal): Promise<RunningJob>
  list(): FoundJob[]
  remove(name: string): Promise<void>
  removeLeftover(name: string, nodeId: string): Promise<void>
  /** Adds a container that an earlier Berth process left. */
  leave(name: string, recordId: string, nodeId?: string): void
  putForeign(name: string): void
  /** Simulates a crash of the engine: running jobs fail with the error, and their containers stay. */
  fail(error: Error): void
}

interface Container {
  /** Null: someone else's container. */
  job: Omit<FoundJob, 'attached'> | null
  /** Null: the streams are connected to no process. */
  running: RunningJob | null
  fail(error: Error): void
}

const bufferBytes = 256 * 1024

export function jobsIn(runtime: Runtime, programOf: () => Program): Jobs {
  const containers = new Map<string, Container>()

  const put = (name: string, recordId: string, state: string, nodeId = runtime.nodeId): Container => {
    const createdAt = runtime.now().toISOString()
    const job = { name, nodeId, recordId, state, createdAt }
    const container: Container = { job, running: null, fail: () => undefined }
    containers.set(name, container)
    return container
  }
  const checkOwn = (name: string) => {
    if (containers.get(name)?.job !== null) return
    throw new EngineFailure('conflict', `The container ${name} is not a job of this Berth installation`)
  }

  return {
    async run(job, signal) {
      if (containers.get(job.name)?.running)
        throw new EngineFailure('conflict', `A job with the name ${job.name} is already running`)
      checkJob(job)
      if (job.nodeId !== undefined) checkReached(runtime, job.nodeId)
      checkAttachment(runtime, job)
      if (!runtime.isPresent(job.image, job.nodeId ?? runtime.nodeId)) {
        throw new EngineFailure('missing', `No such image: ${job.image}, and it cannot be pulled: there is no registry`)
      }
      checkOwn(job.name)
      if (signal.aborted)
        throw new JobStopped(`The job ${job.name} was cancelled before its start`, { cause: signal.reason })
      const container = put(job.name, job.recordId, 'running', job.nodeId)
      const forget = (isBroken: boolean) => {
        container.running = null
        if (!isBroken && containers.get(job.name) === container) containers.delete(job.name)
      }
      try {
        container.running = startJob(job, signal, programOf(), container, forget)
      } catch (error) {
        containers.delete(job.name)
        throw error
      }
      return container.running
    },
    list: () =>
      [...containers.values()].flatMap(({ job, running }) => (job ? [{ ...job, attached: running !== null }] : [])),
    async remove(name) {
      checkOwn(name)
      await containers.get(name)?.running?.stop()
      containers.delete(name)
    },
    async removeLeftover(name, nodeId) {
      checkReached(runtime, nodeId)
      checkOwn(name)
      if (!containers.get(name)?.running) containers.delete(name)
    },
    leave: (name, recordId, nodeId) => void put(name, recordId, 'exited', nodeId),
    putForeign: (name) => {
      put(name, '', 'running').job = null
    },
    fail(error) {
      for (const container of containers.values()) container.fail(error)
    },
  }
}

/** A node accepts containers with an address of their own on Berth's network only while it is active. */
function checkAttachment(runtime: Runtime, { nodeId = runtime.nodeId, networkOf, hasNetwork }: Job): void {
  const { active, hostname, availability } = runtime.nodes.get(nodeId)!
  if (active || networkOf !== undefined || hasNetwork === false) return
  throw new EngineFailure('conflict', `Node ${hostname} accepts no containers: its availability is ${availability}`)
}

/** Starts the program and connects its streams. */
function startJob(
  job: Job,
  signal: AbortSignal,
  program: Program,
  container: Container,
  forget: (isBroken: boolean) => void,
): RunningJob {
  const kill = new AbortController()
  const broken = Promise.withResolvers<never>()
  let isBroken = false
  const errors = lastLinesCollector()
  const output = pipe({ final: false })
  const input = job.stdin ? pipe({ final: true, error: () => new InputClosed() }) : null
  const stderr = new Writable({
    write: (part: Buffer, _encoding, done) => {
      errors.add(part)
      done()
    },
  })
  const io = { stdin: input?.out ?? null, stdout: output.sink, stderr, signal: kill.signal }
  const running = program(structuredClone(job), io)
  const run = async (): Promise<JobEnd> => {
    const end = await running
    await Promise.all([output.sink, stderr].map((it) => finished(it.end())))
    return { outOfMemory: false, ...(typeof end === 'number' ? { exitCode: end } : end), lastLines: errors.text() }
  }
  container.fail = (error) => {
    isBroken = true
    broken.reject(error)
  }
  const outcome = Promise.race([broken.promise, run()])
  const remove = async () => {
    kill.abort()
    forget(isBroken)
    if (isBroken) throw new EngineUnavailable('The engine does not answer: it is down')
  }
  const streams = { stdout: output.out, stdin: input?.sink ?? null }
  return superviseJob({ name: job.name, ...streams, outcome, remove }, signal)
}

/**
 * Creates two connected streams: data written to `sink` can be read from `out`. The end of `sink` ends `out` only if
 * `final` is true. If `out` closes before `sink` has ended, `sink` fails with `error`.
 */
function pipe(options: { final: boolean; error?: () => Error }): { out: Readable; sink: Writable } {
  let resume: (() => void) | null = null
  const read = () => {
    const next = resume
    resume = null
    next?.()
  }
  const out = new Readable({ highWaterMark: bufferBytes, read })
  const sink = new Writable({
    highWaterMark: bufferBytes,
    write(part: Buffer, _encoding, done) {
      if (out.push(part)) done()
      else resume = done
    },
    final(done) {
      if (options.final) out.push(null)
      done()
    },
  })
  out.once('close', () => {
    if (!sink.writableFinished) sink.destroy(options.error?.())
  })
  return { out, sink }
}
