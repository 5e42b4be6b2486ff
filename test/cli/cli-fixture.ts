/** Runs commands of the command line, in this process or in one of its own, against a Berth that listens on a port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { run } from '../../cli/program.ts'
import { memoryEngine, type MemoryEngine } from '../engine/memory/engine.ts'
import { type Options, startBerth } from '../fixtures/harness.ts'

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
}

export type CommandLine = Awaited<ReturnType<typeof startCommandLine>>

/** A Berth with an administrator, and a configuration folder in which nobody has signed in. */
export async function startCommandLine(options: Options = {}) {
  const engines: MemoryEngine[] = []
  const connect: Options['connect'] = (installationId, credentialsFor) => {
    engines[0] ??= memoryEngine(installationId)
    return Object.assign(engines[0], { credentialsFor })
  }
  const berth = await startBerth({ connect, ...options })
  const url = await berth.listen()
  const folder = mkdtempSync(join(tmpdir(), 'berth-cli-'))
  const { token } = await berth.admin()
  const ownEnv = { BERTH_URL: url, BERTH_TOKEN: token }

  /** @param env besides the configuration folder; by default the administrator's token */
  async function command(
    args: string[],
    env: NodeJS.ProcessEnv = ownEnv,
    interrupted = new AbortController().signal,
  ): Promise<CommandResult> {
    const [stdout, stderr] = [new Lines(), new Lines()]
    const status = await run(args, { XDG_CONFIG_HOME: folder, ...env }, { stdout, stderr }, interrupted)
    return { status, stdout: stdout.text, stderr: stderr.text }
  }

  /** @throws if the command fails */
  async function ok(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await command(args)
    if (status !== 0) throw new Error(`berth ${args.join(' ')} ended with ${status}: ${stderr}`)
    return stdout
  }

  /** Starts the program as a process of its own. */
  const start = (...args: string[]) => startProcess('node', [mainPath, ...args], { XDG_CONFIG_HOME: folder, ...ownEnv })

  return {
    berth,
    /** The in-memory engine. */
    engine: engines[0]!,
    url,
    token,
    folder,
    command,
    ok,
    start,
    env: ownEnv,
    async [Symbol.asyncDispose]() {
      await berth.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Entry point of the command line. */
export const mainPath = join(import.meta.dirname, '../../cli/main.ts')

export interface Running {
  child: ChildProcess
  /** What the process has written so far. */
  recorded: { stdout: string; stderr: string }
  ended: Promise<CommandResult>
}

export function startProcess(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(program, args, {
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end()
  const recorded = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      recorded[name] += chunk
    })
  }
  const ended = once(child, 'close').then(([status]) => ({ status: status as number, ...recorded }))
  return { child, recorded, ended }
}

/** Collects what a command prints. */
export class Lines extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
