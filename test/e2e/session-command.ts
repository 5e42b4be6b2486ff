/** Runs the command line against a Berth on a swarm: with pipes, or in a terminal of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { mainPath } from '../cli/cli-fixture.ts'
import type { Berth } from '../fixtures/harness.ts'

export interface Command {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the exit status. */
  ended: Promise<number>
  /** Waits for a text on standard output. */
  prints(text: string | RegExp): Promise<void>
}

export type CommandLine = Awaited<ReturnType<typeof commandLineOn>>

export async function commandLineOn(berth: Pick<Berth, 'listen' | 'admin'>) {
  const url = await berth.listen()
  const { token } = await berth.admin()
  const folder = mkdtempSync(join(tmpdir(), 'berth-cli-'))
  const env = {
    ...process.env,
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    XDG_CONFIG_HOME: folder,
    BERTH_URL: url,
    BERTH_TOKEN: token,
  }
  return { start, run, inTerminal, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }

  function start(...args: string[]): Command {
    return following(spawn(process.execPath, [mainPath, ...args], { env }))
  }

  /** Runs a command to its end. @param input its standard input */
  async function run(args: string[], input = '') {
    const command = start(...args)
    command.child.stdin!.end(input)
    const status = await command.ended
    return { status, stdout: command.stdout(), stderr: command.stderr() }
  }

  /** Runs a line of the shell, with `berth`, in a terminal of 100 by 40 characters. */
  function inTerminal(line: string): Command {
    const shell = `stty cols 100 rows 40; berth() { '${process.execPath}' '${mainPath}' "$@"; }; ${line}`
    return following(spawn('script', ['--quiet', '--return', '--command', shell, '/dev/null'], { env }))
  }
}

function following(child: ChildProcess): Command {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.on('data', (part: Buffer) => {
      output[name] += part.toString()
    })
  }
  // A program may end before it reads its input.
  child.stdin!.on('error', () => undefined)
  const ended = once(child, 'close').then(([status]) => status as number)
  const prints = async (text: string | RegExp) => {
    const isPrinted = () => (typeof text === 'string' ? output.stdout.includes(text) : text.test(output.stdout))
    await until(`${text} in ${JSON.stringify(output)}`, async () => isPrinted()).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(output)}`)
    })
  }
  return { child, stdout: () => output.stdout, stderr: () => output.stderr, ended, prints }
}
