/** The watchdog ends a process whose event loop has stopped, and no other. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'

const script = fileURLToPath(new URL('watched-process.ts', import.meta.url))
const run = (what: 'stops' | 'turns') =>
  spawnSync(process.execPath, [script, what], { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGINT' })

test('ends a process whose event loop has stopped, and says so in the log', () => {
  const { signal, stdout } = run('stops')
  assert.equal(signal, 'SIGKILL')
  assert.match(stdout, /^watched\n\{.*"seconds":2,"msg":"ended by the watchdog: the event loop has stopped"\}\n$/)
})

test('leaves a busy process alone, and does not keep it alive', () => {
  const { status, signal, stdout } = run('turns')
  assert.deepEqual({ status, signal, stdout }, { status: 0, signal: null, stdout: 'watched\n' })
})
