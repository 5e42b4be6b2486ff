/** Runs a command on the machine as a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { bareEnv } from '../fixtures/bare-env.ts'
import { bundled, nodeFlags } from '../fixtures/bundle.ts'

const entry = bundled('machine')

export interface Said {
  status: number | null
  out: string
  bytes: Buffer
  err: string
}

/** Runs a command with these arguments and this standard input, and returns its output. */
export async function run(
  folder: string,
  args: string[],
  env: Record<string, string> = {},
  input: Buffer = Buffer.alloc(0),
): Promise<Said> {
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
