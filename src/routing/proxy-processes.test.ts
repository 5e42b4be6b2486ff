/** Finding and killing processes of the proxy by the folder in their environment. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { hasOtherOutgoing, killProcessesIn, processesIn } from './proxy-processes.ts'

async function start(folder: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { env: { ...env, XDG_CONFIG_HOME: folder } })
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

test('finds processes that were started with another outgoing proxy', async () => {
  const folder = `/outgoing/${process.pid}`
  const variables = { HTTPS_PROXY: 'http://ann:a=b@proxy.example', NO_PROXY: 'a.example,10.0.0.0/8' }
  assert.equal(hasOtherOutgoing(folder, variables), false, 'no process runs')
  const child = await start(folder, variables)
  assert.equal(hasOtherOutgoing(folder, variables), false)
  for (const other of [{}, { ...variables, NO_PROXY: '' }]) assert.equal(hasOtherOutgoing(folder, other), true)
  await kill(folder, child)
  const inheriting = await start(folder, { http_proxy: 'http://proxy.example' })
  assert.equal(hasOtherOutgoing(folder, {}), true, 'Caddy would send requests to applications by this proxy')
  await kill(folder, inheriting)
})
