/**
 * A job is a program that runs in its own container, with its standard streams connected to Berth. This module has the
 * types of jobs, and the functions that both implementations of the engine use to check, supervise and end a job.
 */
import type { Readable, Writable } from 'node:stream'
import { EngineFailure } from './engine.ts'

/**
 * A small file inside the container, owned by root. Secrets belong in such files, because `docker inspect` shows argv
 * and the environment.
 */
export interface JobFile {
  /** Absolute path of at most 100 bytes. Missing folders are created. */
  path: string
  content: string
  /** Permission bits, like 0o600. */
  mode: number
}

/** Where the folder of a job is mounted. */
export const jobFolderPath = '/run/berth'

export interface Job {
  /** The name of the container, and its host name on the network. Must differ from the names of services. */
  name: string
  /** The id of the record that the job belongs to. Stored as a label. */
  recordId: string
  image: string
  /** The program and its arguments. Replaces the image's entrypoint, and runs as root without capabilities. */
  argv: string[]
  /** True: argv is passed to the image's entrypoint, which runs as the image's user with default capabilities. */
  keepsImageDefaults?: boolean
  /** With keepsImageDefaults: the words that replace the image's entrypoint, such as a program that then runs it. */
  entrypoint?: string[]
  env: Record<string, string>
  files?: JobFile[]
  /**
   * A folder of the node. Mounted at `jobFolderPath`, read-only. The program can read all files in it, and has no
   * network.
   */
  folder?: string
  /** Whether the container joins a network without a way out, on which it reaches only other such containers. */
  isIsolated?: boolean
  /** The limit of memory and swap together, in MiB; absent: no limit. */
  memoryMib?: number
  /** Whether the program has a standard input. False: its standard input is empty. */
  stdin: boolean
}

export interface JobEnd {
  exitCode: number
  /** Whether the memory limit killed one of the job's processes. */
  outOfMemory: boolean
  /** The last lines of standard error. Unfiltered: the lines may contain control characters and secrets. */
  lastLines: string
}

export interface RunningJob {
  /**
   * Standard output. The caller has to read or resume the stream, because the program blocks while nobody reads. The
   * stream ends when the exit code is known, for any exit code. If the job is stopped or its exit code stays unknown,
   * the stream fails. Destroying the stream stops the job.
   */
  readonly stdout: Readable
  /**
   * Standard input; null if the job has none. When the stream ends, the program reads end of file. Destroying the
   * stream earlier stops the job. The stream fails with InputClosed if the program ends or closes its input without
   * reading all of it.
   */
  readonly stdin: Writable | null
  /**
   * Settles after the attempt to remove the container. If the removal failed, `listJobs` still lists the container.
   * Rejects with JobStopped if the caller stopped the job, or with the engine's error if the exit code is unknown. An
   * unhandled rejection is harmless.
   */
  readonly ended: Promise<JobEnd>
  /** Kills the job. Resolves when the container is removed, and rejects if the removal fails. */
  stop(): Promise<void>
}

export interface FoundJob {
  name: string
  recordId: string
  /** The engine's container state: created, running, exited and others. */
  state: string
  createdAt: string
  /** Whether this process started the job and the job has not ended. False: the container is a leftover. */
  attached: boolean
}

/** The caller stopped the job: with the signal, with `stop`, or by destroying a stream. */
export class JobStopped extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'JobStopped'
  }
}

/** The error of a job's standard input when the program stops reading it. */
export class InputClosed extends Error {
  constructor() {
    super('The program ended or closed its standard input without reading all of the input')
    this.name = 'InputClosed'
  }
}

/** The parts of a running job that an implementation of the engine passes to `superviseJob`. */
export interface JobParts {
  name: string
  /** Has no end: `superviseJob` pushes the final null. */
  stdout: Readable
  stdin: Writable | null
  /** Resolves with the end of the program after all output was pushed. */
  outcome: Promise<JobEnd>
  /** Closes the connections, kills the program and removes the container. Called once. */
  remove(): Promise<void>
}

/**
 * Makes a RunningJob of its parts. The job is over when the program ends, `outcome` rejects, `stop` is called, the
 * signal is aborted or a stream is destroyed. Each of these events closes the streams and removes the container.
 */
export function superviseJob({ name, stdout, stdin, outcome, remove }: JobParts, signal: AbortSignal): RunningJob {
  const stopped = Promise.withResolvers<never>()
  let isOver = false
  const stop = (reason: string, cause?: unknown) =>
    stopped.reject(new JobStopped(`The job ${name} was stopped: ${reason}`, { cause }))
  const onAbort = () => stop('its signal was aborted', signal.reason)
  const close = (error?: Error) => {
    isOver = true
    signal.removeEventListener('abort', onAbort)
    if (error === undefined) stdout.push(null)
    else stdout.destroy(error)
    stdin?.destroy(stdin.writableFinished ? undefined : (error ?? new InputClosed()))
  }
  stdout.on('error', ignore).once('close', () => {
    if (!isOver) stop('its output stream was destroyed', stdout.errored)
  })
  stdin?.on('error', ignore).once('close', () => {
    const isDestroyed = !stdin.writableFinished && !(stdin.errored instanceof InputClosed)
    if (!isOver && isDestroyed) stop('its input stream was destroyed', stdin.errored)
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  const end = Promise.race([stopped.promise, outcome])
  const removed = end.then(() => close(), close).then(remove)
  // If the removal fails, listJobs still lists the container, and the caller can remove it later.
  const ended = Promise.allSettled([removed]).then(() => end)
  for (const promise of [removed, ended, outcome]) promise.catch(ignore)
  return {
    stdout,
    stdin,
    ended,
    stop: async () => {
      stop('stop was called')
      await Promise.allSettled([ended])
      await removed
    },
  }
}

/** The listener for errors that `ended` also reports. Without a listener, such an error would end the process. */
function ignore(): void {}

/** The limits of the collected lines of standard error. */
const maxLines = 20
const maxBytes = 16 * 1024

/**
 * Collects the last lines of standard error. Drops a line whose beginning was cut off: the line may begin within a
 * secret, and masking finds only complete secrets.
 */
export function lastLinesCollector() {
  let tail: Buffer = Buffer.alloc(0)
  let isCut = false
  return {
    add(part: Buffer) {
      const all = Buffer.concat([tail, part])
      isCut ||= all.length > maxBytes
      tail = all.subarray(-maxBytes)
    },
    text(): string {
      const complete = isCut ? tail.subarray(tail.indexOf('\n') + 1 || tail.length) : tail
      return complete.toString().trimEnd().split('\n').slice(-maxLines).join('\n')
    },
  }
}

/**
 * Throws EngineFailure `rejected` for a job without a program, or with a file path that the engine would not store as
 * requested.
 */
export function checkJob({ name, argv, keepsImageDefaults = false, files = [] }: Job): void {
  if (argv.length === 0 && !keepsImageDefaults)
    throw new EngineFailure('rejected', `The job ${name} has no program: argv is empty`)
  const isInvalid = ({ path }: JobFile) =>
    !/^\/./.test(path) ||
    path.endsWith('/') ||
    /[\0]/.test(path) ||
    path.split('/').some((part) => part === '..' || part === '.') ||
    Buffer.byteLength(path) > 100
  const invalid = files.find(isInvalid)
  if (invalid) {
    const path = JSON.stringify(invalid.path)
    const expected = 'Use an absolute path to a file, without . and .., of at most 100 bytes'
    throw new EngineFailure('rejected', `The job ${name} has an invalid file path: ${path}. ${expected}`)
  }
}
