/**
 * Jobs: programs that run once in their own container, with standard streams connected to Berth. This file has the
 * types and the part that both engines share: how a job's streams, end and removal depend on each other.
 */
import type { Readable, Writable } from 'node:stream'
import { EngineFailure } from './engine.ts'

/** A small file inside the container, owned by root. Secrets go here, because others can see argv and environment. */
export interface JobFile {
  /** Absolute path of at most 100 bytes. Missing folders are created. */
  path: string
  content: string
  /** Permission bits, like 0o600. */
  mode: number
}

export interface Job {
  /** The name of the container, and its host name on the network. Must differ from the names of services. */
  name: string
  /** The id of the record that the job belongs to. Stored as a label. */
  recordId: string
  image: string
  /** The program, which replaces the image's entrypoint. Runs as root without capabilities. */
  argv: string[]
  /** True: argv is passed to the image's entrypoint, which runs with the user and capabilities of a service. */
  asImage?: boolean
  env: Record<string, string>
  files?: JobFile[]
  /** The limit of memory and swap together; absent: no limit. */
  memoryMib?: number
  /** False: standard input is empty. */
  stdin: boolean
}

export interface JobEnd {
  exitCode: number
  /** Whether the memory limit killed one of the job's processes. */
  oomKilled: boolean
  /** The last lines of standard error, unfiltered: may contain control characters and secrets. */
  lastLines: string
}

export interface RunningJob {
  /**
   * Standard output. Must be read or resumed: the program blocks while nobody reads. Ends once the exit code is known,
   * for any exit code; fails otherwise. Destroying the stream stops the job.
   */
  readonly stdout: Readable
  /**
   * Standard input. Ending the stream is end of file for the program; destroying it earlier stops the job. Fails with
   * InputClosed if the program ends or closes its input before reading all of it. Null if the job has no input.
   */
  readonly stdin: Writable | null
  /**
   * Settles after the container was removed. If the removal failed, `listJobs` still lists the container. Rejects with
   * JobStopped, or with EngineUnavailable if the program's end is unknown. An unhandled rejection is harmless.
   */
  readonly ended: Promise<JobEnd>
  /** Kills the job. Resolves when its container is removed. */
  stop(): Promise<void>
}

export interface FoundJob {
  name: string
  recordId: string
  /** The engine's container state: created, running, exited and others. */
  state: string
  createdAt: string
  /** Whether this process holds the job's streams. False: an earlier Berth process left the container. */
  attached: boolean
}

/** The job was stopped by the caller: its signal, `stop`, or a stream that was destroyed. */
export class JobStopped extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'JobStopped'
  }
}

/** The error of a job's standard input when the program stops reading it. */
export class InputClosed extends Error {
  constructor() {
    super('The program ended, or closed its input, before it had read all of it')
    this.name = 'InputClosed'
  }
}

/** The parts of a running job, as an engine supplies them to `follow`. */
export interface JobParts {
  name: string
  /** Without its end: `follow` pushes the final null. */
  stdout: Readable
  stdin: Writable | null
  /** Resolves after all output was pushed. */
  outcome: Promise<JobEnd>
  /** Closes the connections, kills the program and removes the container. Called once. */
  remove(): Promise<void>
}

/**
 * Connects the parts of a job: the program's end, `stop`, the signal and a destroyed stream each close the streams and
 * remove the container.
 */
export function follow({ name, stdout, stdin, outcome, remove }: JobParts, signal: AbortSignal): RunningJob {
  const stopped = Promise.withResolvers<never>()
  let isOver = false
  const stop = (why: string, cause?: unknown) =>
    stopped.reject(new JobStopped(`The job ${name} was stopped: ${why}`, { cause }))
  const onAbort = () => stop('it was called off', signal.reason)
  const close = (error?: Error) => {
    isOver = true
    signal.removeEventListener('abort', onAbort)
    if (error === undefined) stdout.push(null)
    else stdout.destroy(error)
    stdin?.destroy(stdin.writableFinished ? undefined : (error ?? new InputClosed()))
  }
  stdout.on('error', ignore).once('close', () => {
    if (!isOver) stop('its output was dropped', stdout.errored)
  })
  stdin?.on('error', ignore).once('close', () => {
    const isGivenUp = !stdin.writableFinished && !(stdin.errored instanceof InputClosed)
    if (!isOver && isGivenUp) stop('its input was given up', stdin.errored)
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  const settled = Promise.race([stopped.promise, outcome])
  const closed = settled.then(() => close(), close)
  const gone = closed.then(remove)
  // A container that cannot be removed now stays in listJobs and is removed later.
  const ended = Promise.allSettled([gone]).then(() => settled)
  for (const it of [gone, ended, outcome]) it.catch(ignore)
  return {
    stdout,
    stdin,
    ended,
    stop: async () => {
      stop('by request')
      await Promise.allSettled([ended])
      await gone
    },
  }
}

/** Errors are reported through `ended` too. Without a listener, an error would end the process. */
function ignore(): void {}

/** Limits of what is kept of standard error. */
const maxLines = 20
const maxBytes = 16 * 1024

/**
 * Collects the last complete lines of standard error. A line cut in half is dropped: half a secret could not be masked.
 */
export function lastLines() {
  let kept: Buffer = Buffer.alloc(0)
  let isCut = false
  return {
    add(part: Buffer) {
      const all = Buffer.concat([kept, part])
      isCut ||= all.length > maxBytes
      kept = all.subarray(-maxBytes)
    },
    text(): string {
      const whole = isCut ? kept.subarray(kept.indexOf('\n') + 1 || kept.length) : kept
      return whole.toString().trimEnd().split('\n').slice(-maxLines).join('\n')
    },
  }
}

/**
 * Throws EngineFailure `rejected` for a job without a program or with a file path that the engine would misinterpret.
 */
export function checkJob({ name, argv, asImage = false, files = [] }: Job): void {
  if (argv.length === 0 && !asImage) throw new EngineFailure('rejected', `The job ${name} has no program`)
  const isInvalid = ({ path }: JobFile) =>
    !/^\/./.test(path) ||
    path.endsWith('/') ||
    /[\0]/.test(path) ||
    path.split('/').some((it) => it === '..' || it === '.') ||
    Buffer.byteLength(path) > 100
  const invalid = files.find(isInvalid)
  if (invalid) {
    throw new EngineFailure('rejected', `The job ${name} cannot have a file at ${JSON.stringify(invalid.path)}`)
  }
}
