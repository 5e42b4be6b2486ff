/** Runs the command line as a process of its own whose standard input the test writes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export function startWithInput(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn('node', [program, ...args], {
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (part: Buffer) => {
      output[name] += part.toString()
    })
  }
  // A program may end before it reads its input.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(([status]) => ({ status: status as number, ...output }))
  return { child, output, ended }
}
