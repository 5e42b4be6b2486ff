/** The processes of the benchmarks. Each of them ends with the main process. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answers } from './bare.ts'
import type { BerthClient, Size, Turns } from './cluster-berth.ts'
import type { Load, Measured } from './load.ts'
import type { Reads, Steady } from './steady.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const folders = mkdtempSync(join(tmpdir(), 'berth-bench-'))
process.on('exit', () => rmSync(folders, { recursive: true, force: true }))

/** Creates a folder, which is removed at the end. */
export const newFolder = () => mkdtempSync(join(folders, 'data-'))

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Kills the child when this process exits. */
export function bind<C extends ChildProcess>(child: C): C {
  const kill = () => void child.kill('SIGKILL')
  process.on('exit', kill)
  child.on('exit', () => process.off('exit', kill))
  return child
}

function ask<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error('A process of the benchmark ended too early'))
    child.once('exit', died)
    child.once('message', (answer) => {
      child.off('exit', died)
      resolve(answer as T)
    })
    child.send(message)
  })
}

/** Starts the bare server with the same flags of Node as Berth. */
export async function startBare(answers: Answers) {
  const child = bind(fork(here('bare.ts'), [join(newFolder(), 'bare.db')], { execArgv: nodeFlags }))
  const port = await ask<number>(child, answers)
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, close: () => stop(child) }
}

export function startLoader() {
  const child = bind(fork(here('load.ts')))
  return { run: (load: Load) => ask<Measured>(child, load), close: () => stop(child) }
}

/** The flags of Node with which `./berth up` starts Berth. */
export const nodeFlags = readFileSync(here('../scripts/node-flags'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('--'))

export function startCluster() {
  const child = bind(fork(here('cluster-berth.ts'), { execArgv: [...nodeFlags, '--expose-gc'] }))
  const close = async () => void child.kill('SIGKILL')
  return { child, open: (size: Size) => ask<BerthClient>(child, size), turns: () => ask<Turns>(child, {}), close }
}

export function startReader() {
  const child = bind(fork(here('steady.ts')))
  const run = (steady: Steady) => ask<Reads>(child, steady)
  return { run, during, close: () => stop(child) }

  /** Reads while `act` runs. `acted` is the result of `act`. */
  async function during<T>(steady: Omit<Steady, 'seconds'>, act: () => Promise<T>) {
    const reads = run({ ...steady, seconds: null })
    const acted = await act().finally(() => {
      child.send('end')
      return reads
    })
    return { acted, ...(await reads) }
  }
}
