/** A dump on its way out of a server, and read again to its end: the tools in jobs, their ends looked at. */
import type { Readable, Writable } from 'node:stream'
import { type Job, type JobEnd, JobStopped, type RunningJob } from '../engine/job.ts'
import type { ArchiveContents, Program } from '../kinds/backup.ts'
import type { Runtime } from '../runtime.ts'
import { detailOf, NothingThere, RunFailure } from './failures.ts'
import type { Server } from '../databases/tool-server.ts'
import { type Bytes, drain } from './streams.ts'

/** Beside a server or for a dump's bytes; `name` is the container's. */
export interface Tool {
  name: string
  recordId: string
  image: string
  program: Program
  mask(text: string): string
}

function jobOf({ name, recordId, image, program }: Tool, stdin: boolean): Job {
  const { argv, env, files = [] } = program
  return { name, recordId, image, argv, env, files, stdin }
}

/** What the tool prints; throws RunFailure, with its last lines, where it did not end well. */
export async function* outputOf(runtime: Runtime, tool: Tool, signal: AbortSignal): Bytes {
  const job = await runtime.engine.runJob(jobOf(tool, false), signal)
  yield* stdoutOf(job, tool, givenInTime(job.stdout, runtime.config.backups.idleMs))
}

/** The bound is on waits for the tool alone: whoever takes the bytes may take time. */
async function* givenInTime(stdout: Readable, idleMs: number): Bytes {
  const pieces = stdout[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = setTimeout(() => stdout.destroy(idle(idleMs)), idleMs)
      const { done, value } = await pieces.next().finally(() => clearTimeout(timer))
      if (done === true) return
      yield value as Buffer
    }
  } finally {
    await pieces.return?.()
  }
}

const idle = (idleMs: number) => new RunFailure({ reason: 'ToolIdle', seconds: idleMs / 1000 })

/** The same of a tool that reads `input`, with the pace of the slower; what the input throws stops the tool. */
export async function* filtered(runtime: Runtime, tool: Tool, input: Bytes, signal: AbortSignal): Bytes {
  const job = await runtime.engine.runJob(jobOf(tool, true), signal)
  let inputError: unknown
  const fed = feed(input, job.stdin!, runtime.config.backups.idleMs)
  fed.catch((error: unknown) => {
    inputError = error
  })
  try {
    yield* stdoutOf(job, tool, job.stdout)
  } catch (error) {
    // A tool that was stopped because its input failed says so too, and less well.
    throw error instanceof JobStopped ? (inputError ?? job.stdin!.errored ?? error) : error
  }
  await fed
}

/**
 * A program may end before it is told that its input has: it has failed only where bytes are left that it has not. Once
 * it has all of them, it may take its time: it may be making indexes.
 */
async function feed(input: Bytes, stdin: Writable, idleMs: number): Promise<void> {
  let last: Promise<void> = Promise.resolve()
  try {
    for await (const piece of input) {
      await last
      last = written(stdin, piece, idleMs)
      last.catch(() => undefined)
    }
    await last
  } catch (error) {
    stdin.destroy(error as Error)
    throw error
  }
  stdin.end()
}

function written(stdin: Writable, piece: Buffer, idleMs: number): Promise<void> {
  const timer = setTimeout(() => stdin.destroy(idle(idleMs)), idleMs)
  return new Promise<void>((resolve, reject) => {
    stdin.write(piece, (error) => (error == null ? resolve() : reject(stdin.errored ?? error)))
  }).finally(() => clearTimeout(timer))
}

/** Runs a tool on `input`, and keeps nothing of what it prints. */
export const consumed = (runtime: Runtime, tool: Tool, input: Bytes, signal: AbortSignal): Promise<void> =>
  drain(filtered(runtime, tool, input, signal))

async function* stdoutOf(job: RunningJob, { program, mask }: Tool, stdout: AsyncIterable<Buffer>): Bytes {
  let end: JobEnd | null = null
  try {
    yield* stdout
    end = await job.ended
  } finally {
    // What cannot be removed now is listed by the engine, and removed when Berth starts again.
    if (end === null) await job.stop().catch(() => undefined)
  }
  if (end.exitCode === 0) return
  const { exitCode, oomKilled: outOfMemory } = end
  const ended = { tool: program.argv[0]!, exitCode, outOfMemory, detail: detailOf(mask(end.lastLines)) }
  if (exitCode === program.missingStatus) throw new NothingThere({ reason: 'DatabaseMissing', ...ended })
  throw new RunFailure({ reason: 'ToolFailed', ...ended })
}

/** Reads a dump to its end, and gives what it holds. Throws where it is not whole. */
export async function contentsOf(
  runtime: Runtime,
  server: Pick<Server, 'kind' | 'image' | 'version' | 'mask'>,
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
      : filtered(runtime, { name, recordId, image, program: unpack(version), mask }, raw, signal)
  const reading = reader()
  await drain(text, (piece) => reading.write(piece))
  return reading.end()
}

/** What `contentsOf` gives, of a dump that is needed only once: what goes `through` is read on its way. */
export function readWhilePassing(
  runtime: Runtime,
  server: Pick<Server, 'kind' | 'image' | 'version' | 'mask'>,
  recordId: string,
  signal: AbortSignal,
) {
  const copy = new TransformStream<Buffer, Buffer>()
  const writer = copy.writable.getWriter()
  const contents = contentsOf(runtime, server, recordId, copy.readable as unknown as Bytes, signal)
  contents.catch((error: unknown) => writer.abort(error).catch(() => undefined))
  return { contents, through }

  async function* through(source: Bytes): Bytes {
    try {
      for await (const piece of source) {
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
