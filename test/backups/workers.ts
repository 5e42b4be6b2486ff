/** Runs the real worker, and tools between its pipes, as jobs of the in-memory engine. */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { pipesFolder } from '../../src/dumps/direct/pipes.ts'
import { runWorker } from '../../src/dumps/direct/worker/run-worker.ts'
import type { Job } from '../../src/engine/job.ts'
import type { JobIo, Program } from '../engine/memory/jobs.ts'
import { reachableAddress } from '../fixtures/reachable-address.ts'
import { openShop, type Shop } from './restores.ts'

export interface DirectShop extends Shop {
  /** The jobs so far, without their files. */
  started: Omit<Job, 'files'>[]
  /** All that workers have received. */
  received: string[]
  /** Replaces the program of workers; null: the real one. */
  worker: { program: Program | null }
  /** Each of these signals kills the workers that run when it is aborted. */
  workerEnds: AbortSignal[]
}

/** A shop whose storage can be reached from containers, so that dumps go there directly. */
export async function openDirectShop(): Promise<DirectShop> {
  const shop = await openShop({}, reachableAddress())
  const { engine } = shop.testBerth
  const tools = engine.onJob
  const folders = new Map<string, string>()
  const [started, received] = [[] as DirectShop['started'], [] as string[]]
  const worker: DirectShop['worker'] = { program: null }
  const workerEnds: AbortSignal[] = []
  engine.onJob = async (job, io) => {
    const { files: _, ...fields } = job
    started.push(fields)
    if (job.volumesFrom !== undefined) return runPiped(tools, job, io, folders.get(job.volumesFrom)!)
    if (!/^berth-(?:worker|reach)-/.test(job.name)) return tools(job, io)
    if (worker.program !== null) return worker.program(job, io)
    const folder = mkdtempSync(join(tmpdir(), 'berth-pipes-'))
    folders.set(job.name, folder)
    io.stdin!.on('data', (piece: Buffer) => received.push(String(piece)))
    const ends = [io.signal, ...workerEnds].map(killed)
    return Promise.race([runWorker({ stdin: io.stdin!, stdout: io.stdout, folder }), ...ends])
  }
  return {
    ...shop,
    started,
    received,
    worker,
    workerEnds,
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]()
      for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true })
    },
  }
}

const killed = (signal: AbortSignal) =>
  new Promise<number>((resolve) => signal.addEventListener('abort', () => resolve(137), { once: true }))

/** Runs a tool as pipe.sh does. */
async function runPiped(tools: Program, job: Job, io: JobIo, folder: string): Promise<number> {
  const [input, output] = job.argv.slice(2, 4).map((path) => path.replace(pipesFolder, folder)) as [string, string]
  const stdin = createReadStream(input, { signal: io.signal })
  const stdout = createWriteStream(output, { signal: io.signal })
  for (const stream of [stdin, stdout]) stream.on('error', () => undefined)
  const end = await tools(job, { ...io, stdin, stdout })
  stdin.destroy()
  await finished(stdout.end())
  return typeof end === 'number' ? end : end.exitCode
}
