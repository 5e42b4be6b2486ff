/** A command on the machine as a process of its own. */
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

/** `input` is what it reads on standard input. */
export async function run(
  folder: string,
  words: string[],
  env: Record<string, string> = {},
  input: Buffer = Buffer.alloc(0),
): Promise<Said> {
  const child = spawn(process.execPath, [...nodeFlags, entry, ...words], {
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
  // Who refuses does not read to the end.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [status] = (await once(child, 'close')) as [number | null]
  const bytes = Buffer.concat(out)
  return { status, out: bytes.toString(), bytes, err }
}
