/** Runs dump tools in jobs: streams their output and input, reports how they ended, and reads a dump's contents. */
import type { Readable, Writable } from 'node:stream'
import { type Job, type JobEnd, JobStopped, type RunningJob } from '../engine/job.ts'
import type { ArchiveContents, Program } from '../kinds/backup.ts'
import type { DumpFinding } from '../kinds/dump-finding.ts'
import type { Runtime } from '../runtime.ts'
import { detailOf, NothingThere, RunFailure } from './failures.ts'
import type { DumpServer } from './dump-server.ts'
import { inTurns } from './reading-turns.ts'
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
  /** Whether the tool works with a server on the network without a way out. */
  isIsolated?: boolean
}

/** @param stdin whether the tool reads an input */
function jobOf({ name, recordId, image, program, isIsolated = false }: Tool, stdin: boolean): Job {
  const { argv, env, files = [] } = program
  return { name, recordId, image, argv, env, files, stdin, isIsolated }
}

/**
 * Streams the standard output of a tool. Throws RunFailure with the tool's last lines if it did not succeed.
 * @param onFindings gets the findings that the tool printed on standard error
 */
export async function* toolOutput(
  runtime: Runtime,
  tool: Tool,
  signal: AbortSignal,
  onFindings: (findings: DumpFinding[]) => void = () => undefined,
): Bytes {
  const job = await runtime.engine.runJob(jobOf(tool, false), signal)
  const end = yield* stdoutOf(job, tool, withIdleTimeout(job.stdout, runtime.config.backups.idleMs))
  onFindings(tool.program.findingsIn?.(end.lastLines) ?? [])
}

/** Fails with ToolIdle if the tool prints nothing for `idleMs`. The time that the consumer takes does not count. */
async function* withIdleTimeout(stdout: Readable, idleMs: number): Bytes {
  const pieces = stdout[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = setTimeout(() => stdout.destroy(idleFailure(idleMs)), idleMs)
      const { done, value } = await pieces.next().finally(() => clearTimeout(timer))
      if (done === true) return
      yield value as Buffer
    }
  } finally {
    await pieces.return?.()
  }
}

const idleFailure = (idleMs: number) => new RunFailure({ reason: 'ToolIdle', seconds: idleMs / 1000 })

/**
 * Passes `input` through a tool, with backpressure, and streams the standard output of the tool. If the input fails,
 * the tool is stopped, and the error of the input is thrown. Other errors are those of `toolOutput`.
 */
async function* pipedThrough(
  runtime: Runtime,
  tool: Tool,
  input: Bytes,
  signal: AbortSignal,
  onEnd: (end: JobEnd) => void = () => undefined,
): Bytes {
  const job = await runtime.engine.runJob(jobOf(tool, true), signal)
  let inputError: unknown
  const fed = feed(input, job.stdin!, runtime.config.backups.idleMs)
  fed.catch((error: unknown) => {
    inputError = error
  })
  try {
    onEnd(yield* stdoutOf(job, tool, job.stdout))
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
async function feed(input: Bytes, stdin: Writable, idleMs: number): Promise<void> {
  let lastWrite: Promise<void> = Promise.resolve()
  try {
    for await (const piece of input) {
      await lastWrite
      lastWrite = write(stdin, piece, idleMs)
      lastWrite.catch(() => undefined)
    }
    await lastWrite
  } catch (error) {
    stdin.destroy(error as Error)
    throw error
  }
  stdin.end()
}

/** Writes one piece. Fails with ToolIdle if the tool does not accept the piece within `idleMs`. */
function write(stdin: Writable, piece: Buffer, idleMs: number): Promise<void> {
  const timer = setTimeout(() => stdin.destroy(idleFailure(idleMs)), idleMs)
  return new Promise<void>((resolve, reject) => {
    stdin.write(piece, (error) => (error == null ? resolve() : reject(stdin.errored ?? error)))
  }).finally(() => clearTimeout(timer))
}

/**
 * Runs a tool on `input` and discards its output. Throws RunFailure if the tool did not succeed.
 * @param onRestartNeeded gets the part of the server that works again only after a restart
 */
export const feedTool = (
  runtime: Runtime,
  tool: Tool,
  input: Bytes,
  signal: AbortSignal,
  onRestartNeeded: (part: string) => void = () => undefined,
): Promise<void> =>
  drain(
    pipedThrough(runtime, tool, input, signal, ({ lastLines }) => {
      const part = tool.program.restartNeededBy?.(lastLines) ?? null
      if (part !== null) onRestartNeeded(part)
    }),
  )

/**
 * Passes on `stdout` until its end, then waits for the exit of the tool. If the consumer stops earlier, stops the job.
 * @throws NothingThere if the database does not exist, RunFailure for other failures of the tool
 */
async function* stdoutOf(
  job: RunningJob,
  { program, mask }: Tool,
  stdout: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, JobEnd> {
  let end: JobEnd | null = null
  try {
    yield* stdout
    end = await job.ended
  } finally {
    // A job that cannot be removed now is removed after the next start of Berth (backups/loop.ts).
    if (end === null) await job.stop().catch(() => undefined)
  }
  if (end.exitCode === 0) return end
  const { exitCode, outOfMemory } = end
  const ended = { tool: program.argv[0]!, exitCode, outOfMemory, detail: detailOf(mask(end.lastLines)) }
  if (exitCode === program.missingStatus) throw new NothingThere({ reason: 'DatabaseMissing', ...ended })
  throw new RunFailure({ ...(program.faultIn?.(mask(end.lastLines)) ?? { reason: 'ToolFailed' }), ...ended })
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
  const { image, mask, version } = server
  const name = `berth-read-${recordId}`
  const text =
    unpack === undefined
      ? raw
      : pipedThrough(runtime, { name, recordId, image, program: unpack(version), mask }, raw, signal)
  const reading = reader()
  await drain(text, inTurns(reading))
  return reading.end()
}

/**
 * Reads the contents of a dump while the dump is streamed to another consumer.
 * @returns `through`, which passes the pieces of the dump on and may be called once, and `contents`, which resolves to
 *   the contents when `through` has passed on the whole dump
 */
export function readWhilePassing(runtime: Runtime, server: DumpServer, recordId: string, signal: AbortSignal) {
  const copy = new TransformStream<Buffer, Buffer>()
  const writer = copy.writable.getWriter()
  const contents = contentsOf(runtime, server, recordId, copy.readable as unknown as Bytes, signal)
  contents.catch((error: unknown) => writer.abort(error).catch(() => undefined))
  return { contents, through }

  async function* through(source: Bytes): Bytes {
    try {
      for await (const piece of source) {
        // If the reading fails, `contents` rejects with the cause.
        await Promise.race([writer.write(piece), contents])
        yield piece
      }
      await writer.close()
    } catch (error) {
      await writer.abort(error)
      throw error
    }
  }
}
