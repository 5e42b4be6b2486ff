/** Runs tools between the pipes of a worker. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from '../../engine/job.ts'
import { BrokenArchive } from '../../kinds/backup.ts'
import { textFile } from '../../lib/text-file.ts'
import type { Runtime } from '../../runtime.ts'
import { checkToolEnd, type DataLocation, toolLocationOf, type Tool } from '../archive.ts'
import { RunFailure } from '../failures.ts'
import { PipeFailure, type Worker, WorkerEnded } from './follow-worker.ts'
import { type PipeName, pipePath } from './pipes.ts'
import type { Report } from './protocol.ts'

/** A tool that reads one pipe and writes another; null: neither reads nor writes. */
export interface PipedTool extends Tool {
  input: PipeName | null
  output: PipeName | null
}

const pipeScript = textFile('dumps/direct/pipe.sh')
const scriptPath = '/berth/pipe.sh'

/** How long to wait for a second failure that may have caused the first one. */
const causeMs = 3000

/**
 * Runs the tools beside the worker until all of them and the worker have ended. Afterwards no container of them is left.
 * @param signal ends the tools, and then the worker
 * @returns the result of the worker. All tools have exited with 0
 * @throws the errors of `Worker.report` and `checkToolEnd`
 */
export async function runPiped(
  { engine }: Pick<Runtime, 'engine'>,
  worker: Worker,
  location: DataLocation,
  tools: PipedTool[],
  signal: AbortSignal,
): Promise<Report> {
  const abort = new AbortController()
  const untilEnd = AbortSignal.any([signal, abort.signal])
  const runs = tools.map(async (tool) => {
    const job = await engine.runJob(jobOf(tool, location, worker.name), untilEnd)
    job.stdout.resume()
    checkToolEnd(tool, await job.ended)
  })
  try {
    const work = Promise.all([worker.report, ...runs])
    const [report] = await Promise.race([work, rejectionBy(untilEnd)])
    return report
  } catch (error) {
    signal.throwIfAborted()
    throw await causeOf(error, worker, runs)
  } finally {
    // The worker ends last: its end closes the pipes, which would look like the end of a dump.
    abort.abort()
    await Promise.allSettled(runs)
    await worker.stop().catch(() => undefined)
  }
}

/** Rejects when the signal is aborted. */
async function rejectionBy(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

function jobOf(
  { name, recordId, image, program, input, output }: PipedTool,
  location: DataLocation,
  worker: string,
): Job {
  const { argv, env, files = [] } = program
  const pathOf = (pipe: PipeName | null) => (pipe === null ? '/dev/null' : pipePath(pipe))
  return {
    name,
    recordId,
    ...toolLocationOf(location),
    image,
    argv: ['sh', scriptPath, pathOf(input), pathOf(output), ...argv],
    env,
    files: [...files, { path: scriptPath, content: pipeScript, mode: 0o444 }],
    volumesFrom: worker,
    stdin: false,
  }
}

/**
 * The failure of a tool causes failures in the worker, and the end of the worker causes failures of tools. Returns the
 * cause.
 */
async function causeOf(error: unknown, worker: Worker, runs: Promise<void>[]): Promise<unknown> {
  const isOfPipe = error instanceof PipeFailure || error instanceof BrokenArchive
  if (isOfPipe) return (await firstFailure(runs)) ?? error
  const isOfTool = error instanceof RunFailure && error.reason.reason === 'ToolFailed'
  const other = isOfTool ? await firstFailure([worker.report]) : null
  return other instanceof WorkerEnded ? other : error
}

/** The first failure of these within `causeMs`, or null. */
async function firstFailure(promises: Promise<unknown>[]): Promise<unknown> {
  const stop = new AbortController()
  const timeout = pause(causeMs, null, { signal: stop.signal }).catch(() => null)
  const failure = await Promise.race([Promise.all(promises).then(() => null), timeout]).catch((error: unknown) => error)
  stop.abort()
  return failure
}
