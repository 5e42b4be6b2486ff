/** Finding and killing processes of the proxy by the folder in their environment. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { killProcessesIn, processesIn } from './proxy-processes.ts'

async function start(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { env: { XDG_CONFIG_HOME: folder } })
  await once(child, 'spawn')
  return child
}

/** Kills the processes with this folder, and checks that `child` was killed. */
async function kill(folder: string, child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  killProcessesIn(folder)
  assert.deepEqual(await ended, [null, 'SIGKILL'])
}

test('finds and kills the processes with the folder in their environment', async () => {
  const folder = `/of/this tést/${process.pid}`
  assert.deepEqual(processesIn(folder), [])
  const [child, other] = [await start(folder), await start(`${folder}/below`)]
  assert.deepEqual([processesIn(folder), processesIn(`${folder}/below`)], [[child.pid], [other.pid]])
  await kill(`${folder}/below`, other)
  assert.deepEqual(processesIn(folder), [child.pid])
  await kill(folder, child)
  assert.deepEqual(processesIn(folder), [])
})
