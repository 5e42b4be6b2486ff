/** Processes are told by the folder in their environment alone. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { endProcessesIn, processesIn } from './proxy-processes.ts'

test('a process with the folder in its environment is found while it runs', async () => {
  const folder = `/of/this/test/${process.pid}`
  assert.deepEqual(processesIn(folder), [])
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { env: { XDG_CONFIG_HOME: folder } })
  await once(child, 'spawn')
  assert.deepEqual([processesIn(folder), processesIn(`${folder}/below`)], [[child.pid], []])
  const ended = once(child, 'exit')
  endProcessesIn(`${folder}/below`)
  assert.equal(child.signalCode, null)
  endProcessesIn(folder)
  assert.deepEqual(await ended, [null, 'SIGKILL'])
  assert.deepEqual(processesIn(folder), [])
})
