/** Runs a command on the machine as a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { bareEnv } from '../fixtures/bare-env.ts'
import { bundled, nodeFlags } from '../fixtures/bundle.ts'

const entry = bundled('machine')

export interface CommandResult {
  /** Null if a signal ended the process. */
  status: number | null
  /** The standard output as text. */
  out: string
  /** The standard output as bytes. */
  bytes: Buffer
  err: string
}

/** Runs a command and returns its exit status and output. */
export async function run(
  folder: string,
  args: string[],
  env: Record<string, string> = {},
  input: Buffer = Buffer.alloc(0),
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...nodeFlags, entry, ...args], {
    env: bareEnv({ BERTH_DATA: folder, ...env }),
  })
  const out: Buffer[] = []
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out.push(chunk)
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  // A command that refuses its arguments does not read standard input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [status] = (await once(child, 'close')) as [number | null]
  const bytes = Buffer.concat(out)
  return { status, out: bytes.toString(), bytes, err }
}
