/** Runs commands in a terminal of their own (`script`, of every Debian), and answers their questions. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { mainPath } from './cli-fixture.ts'

/** Runs a command in a terminal. `answer` returns what to type after the text that was printed so far. */
export async function inTerminal(
  env: NodeJS.ProcessEnv,
  args: string[],
  answer: (printed: string) => string | null,
): Promise<string> {
  const child = spawn('script', ['-qec', `node ${mainPath} ${args.join(' ')}`, '/dev/null'], {
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let [printed, read] = ['', 0]
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    const text = answer(stripVTControlCharacters(printed.slice(read)))
    if (text === null) return
    read = printed.length
    child.stdin.write(`${text}\n`)
  })
  const [status] = await once(child, 'close')
  assert.equal(status, 0, printed)
  return stripVTControlCharacters(printed)
}
