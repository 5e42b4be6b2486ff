/** Runs commands of the command line in this process, against a Berth that listens on a port. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { run } from '../../cli/program.ts'
import { startBerth } from '../fixtures/harness.ts'

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
}

export type CommandLine = Awaited<ReturnType<typeof startCommandLine>>

/** A Berth with an administrator, and a configuration folder in which nobody has signed in. */
export async function startCommandLine() {
  const berth = await startBerth()
  const url = await berth.listen()
  const folder = mkdtempSync(join(tmpdir(), 'berth-cli-'))
  const { token } = await berth.admin()

  /** @param env besides the configuration folder; by default the administrator's token */
  async function command(
    args: string[],
    env: NodeJS.ProcessEnv = { BERTH_URL: url, BERTH_TOKEN: token },
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

  return {
    berth,
    url,
    token,
    folder,
    command,
    ok,
    async [Symbol.asyncDispose]() {
      await berth.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Collects what a command prints. */
export class Lines extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
