/** Runs dump tools in jobs: streams their output and input, reports how they ended, and reads a dump's contents. */
import type { Writable } from 'node:stream'
import { type Job, type JobEnd, JobStopped, type RunningJob } from '../engine/job.ts'
import type { ArchiveContents, Program } from '../kinds/backup.ts'
import type { Runtime } from '../runtime.ts'
import { detailOf, NothingThere, RunFailure } from './failures.ts'
import type { DumpServer } from './dump-server.ts'
import { type IdleLimit, withIdleTimeout, writeWithin } from './idle.ts'
import { copying } from './copying.ts'
import { type Bytes, drain } from './streams.ts'

/** A program of a database kind that runs in a container of its own. */
export interface Tool {
  /** The name of the container. */
  name: string
  /** The id of the backup run or database for which the tool runs. Stored as a label of the container. */
  recordId: string
  image: string
  program: Program
  /** Hides the service's passwords in a text. */
  mask(text: string): string
  /** Where the tool runs; absent: on the engine's own node. */
  location?: ToolLocation
}

/** The node of a container, and the container on this node whose network it shares; null: Berth's network. */
export interface DataLocation {
  nodeId: string
  networkOf: string | null
}

/** The location of a tool beside the data; null: on the engine's own node. */
export const toolLocationOf = (location: DataLocation | null): ToolLocation =>
  location === null
    ? {}
    : { nodeId: location.nodeId, ...(location.networkOf === null ? {} : { networkOf: location.networkOf }) }

/** The node of a tool, and the network with which it reaches its server. */
export type ToolLocation = Pick<Job, 'nodeId' | 'networkOf' | 'hasNetwork'>

/** @param stdin whether the tool reads an input */
function jobOf({ name, recordId, image, program, location }: Tool, stdin: boolean): Job {
  const { argv, env, files = [] } = program
  return { ...location, name, recordId, image, argv, env, files, stdin }
}

/** Streams the standard output of a tool. Throws RunFailure with the tool's last lines if it did not succeed. */
export async function* toolOutput(runtime: Runtime, tool: Tool, signal: AbortSignal): Bytes {
  const job = await runtime.engine.runJob(jobOf(tool, false), signal)
  yield* stdoutOf(job, tool, withIdleTimeout(job.stdout, idleLimit(runtime)))
}

const idleLimit = ({ config }: Runtime): IdleLimit => {
  const { idleMs } = config.backups
  return { ms: idleMs, failure: () => new RunFailure({ reason: 'ToolIdle', seconds: idleMs / 1000 }) }
}

/**
 * Passes `input` through a tool, with backpressure, and streams the standard output of the tool. If the input fails,
 * the tool is stopped, and the error of the input is thrown. Other errors are those of `toolOutput`.
 */
async function* pipedThrough(runtime: Runtime, tool: Tool, input: Bytes, signal: AbortSignal): Bytes {
  const job = await runtime.engine.runJob(jobOf(tool, true), signal)
  let inputError: unknown
  const fed = feed(input, job.stdin!, idleLimit(runtime))
  fed.catch((error: unknown) => {
    inputError = error
  })
  try {
    yield* stdoutOf(job, tool, job.stdout)
  } catch (error) {
    // If the tool was stopped because its input failed, the error of the input is the cause.
    throw error instanceof JobStopped ? (inputError ?? job.stdin!.errored ?? error) : error
  }
  await fed
}

/**
 * Writes the input to the tool. A tool may exit before its input is closed. This is a failure only if the tool has not
 * read all bytes. After the last byte there is no timeout, because the tool may be creating indexes.
 */
async function feed(input: Bytes, stdin: Writable, limit: IdleLimit): Promise<void> {
  let lastWrite: Promise<void> = Promise.resolve()
  try {
    for await (const piece of input) {
      await lastWrite
      lastWrite = writeWithin(stdin, piece, limit)
      lastWrite.catch(() => undefined)
    }
    await lastWrite
  } catch (error) {
    stdin.destroy(error as Error)
    throw error
  }
  stdin.end()
}

/** Runs a tool on `input` and discards its output. Throws RunFailure if the tool did not succeed. */
export const feedTool = (runtime: Runtime, tool: Tool, input: Bytes, signal: AbortSignal): Promise<void> =>
  drain(pipedThrough(runtime, tool, input, signal))

/**
 * Passes on `stdout` until its end, then waits for the exit of the tool. If the consumer stops earlier, stops the job.
 * @throws NothingThere if the database does not exist, RunFailure for other failures of the tool
 */
async function* stdoutOf(job: RunningJob, { program, mask }: Tool, stdout: AsyncIterable<Buffer>): Bytes {
  let end: JobEnd | null = null
  try {
    yield* stdout
    end = await job.ended
  } finally {
    // A job that cannot be removed now is removed after the next start of Berth (backups/loop.ts).
    if (end === null) await job.stop().catch(() => undefined)
  }
  checkToolEnd({ program, mask }, end)
}

/**
 * @throws NothingThere if the tool reports that the database does not exist, RunFailure if the tool failed otherwise
 */
export function checkToolEnd({ program, mask }: Pick<Tool, 'program' | 'mask'>, end: JobEnd): void {
  if (end.exitCode === 0) return
  const { exitCode, outOfMemory } = end
  const ended = { tool: program.argv[0]!, exitCode, outOfMemory, detail: detailOf(mask(end.lastLines)) }
  if (exitCode === program.missingStatus) throw new NothingThere({ reason: 'DatabaseMissing', ...ended })
  throw new RunFailure({ reason: 'ToolFailed', ...ended })
}

/**
 * Reads a dump to its end and returns its contents.
 * @param raw the dump, decrypted and decompressed
 * @throws BrokenArchive or RunFailure if the dump is damaged or incomplete
 */
export async function contentsOf(
  runtime: Runtime,
  server: DumpServer,
  recordId: string,
  raw: Bytes,
  signal: AbortSignal,
): Promise<ArchiveContents> {
  const { reader, unpack } = server.kind.backup!
  const { image, mask, version, nodeId } = server
  const name = `berth-read-${recordId}`
  // The tool reads only its input. Without a network, it can run on a paused node.
  const location: ToolLocation = { ...(nodeId === undefined ? {} : { nodeId }), hasNetwork: false }
  const text =
    unpack === undefined
      ? raw
      : pipedThrough(runtime, { name, recordId, image, program: unpack(version), mask, location }, raw, signal)
  const reading = reader()
  await drain(text, (piece) => reading.write(piece))
  return reading.end()
}

/** Reads the contents of a dump while the dump is streamed to another consumer. See `copying`. */
export const readWhilePassing = (runtime: Runtime, server: DumpServer, recordId: string, signal: AbortSignal) =>
  copying((copy) => contentsOf(runtime, server, recordId, copy, signal))
