/**
 * Jobs: programs that run once, in a container of their own beside the services, with their standard streams in
 * Berth's hands. What both engines share: the words, and how a job's streams, end and removal hang together.
 */
import type { Readable, Writable } from 'node:stream'
import { EngineFailure } from './engine.ts'

/** A small file inside the container, root's. Secrets go here: argv and environment can be seen by others. */
export interface JobFile {
  /** Absolute, of at most 100 bytes. Folders that are missing are made. */
  path: string
  content: string
  /** Permission bits, like 0o600. */
  mode: number
}

export interface Job {
  /** The container's, and its host name on the network: never that of a service. */
  name: string
  /** What it is done for: a label. */
  recordId: string
  image: string
  /** The program itself: the image's entrypoint is left out. It runs as root without capabilities. */
  argv: string[]
  /** True: argv goes to the image's own entrypoint, which runs as the user and with the rights of a service. */
  asImage?: boolean
  env: Record<string, string>
  files?: JobFile[]
  /** With swap included; without: no limit. */
  memoryMib?: number
  /** False: its standard input is empty. */
  stdin: boolean
}

export interface JobEnd {
  exitCode: number
  /** The memory limit killed a process of it. */
  oomKilled: boolean
  /** The last of what it wrote to standard error, as it wrote it: control characters and secrets too. */
  lastLines: string
}

export interface RunningJob {
  /**
   * Is to be read, or resumed: a reader that is slow, or stops, stops the program. It ends once the exit code is known,
   * whatever that is; on anything else it fails. Destroying it stops the job.
   */
  readonly stdout: Readable
  /**
   * Ending it is the program's end of file; destroying it before stops the job. Fails where the program ends, or
   * closes it, before all of it was taken. Null where the job has none.
   */
  readonly stdin: Writable | null
  /**
   * Settles when the container is gone too, or could not be removed: then it is in `listJobs`. Rejected with JobStopped
   * or, where nothing is known of the program's end, EngineUnavailable. A rejection that nobody hears does no harm.
   */
  readonly ended: Promise<JobEnd>
  /** Kills it. Done when its container is gone. */
  stop(): Promise<void>
}

export interface FoundJob {
  name: string
  recordId: string
  /** The engine's word: created, running, exited and others. */
  state: string
  createdAt: string
  /** Its streams are in this process's hands. False: left over from one that ended. */
  attached: boolean
}

/** The job was stopped by the caller: its signal, `stop`, or a stream that was destroyed. */
export class JobStopped extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'JobStopped'
  }
}

/** What a job's standard input fails with when the program takes no more of it. */
export class InputClosed extends Error {
  constructor() {
    super('The program ended, or closed its input, before it had read all of it')
    this.name = 'InputClosed'
  }
}

export interface JobParts {
  name: string
  /** Its end, null, is pushed here. */
  stdout: Readable
  stdin: Writable | null
  /** Known when all of the output was pushed. */
  outcome: Promise<JobEnd>
  /** Lets go of everything, kills what runs. Called once. */
  remove(): Promise<void>
}

/** Binds the parts together: each way to an end leads to the others, and to the removal. */
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
  // What cannot be removed is left over: it is listed, and removed at the next opportunity.
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

/** The streams say it elsewhere too; without a listener an error would end the process. */
function ignore(): void {}

/** Of standard error. */
const maxLines = 20
const maxBytes = 16 * 1024

/** Keeps the last lines only, and only whole ones: half a secret could not be masked. */
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

/** Throws where the engine would do something else than was meant. */
export function checkJob({ name, argv, asImage = false, files = [] }: Job): void {
  if (argv.length === 0 && !asImage) throw new EngineFailure('rejected', `The job ${name} has no program`)
  const isOdd = ({ path }: JobFile) =>
    !/^\/./.test(path) ||
    path.endsWith('/') ||
    /[\0]/.test(path) ||
    path.split('/').some((it) => it === '..' || it === '.') ||
    Buffer.byteLength(path) > 100
  const odd = files.find(isOdd)
  if (odd) throw new EngineFailure('rejected', `The job ${name} cannot have a file at ${JSON.stringify(odd.path)}`)
}
