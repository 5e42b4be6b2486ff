import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskOf } from '../../../test/fixtures/samples.ts'
import { observe, type ObservedRow } from './observation.ts'

const provenTask = taskOf().id
const up: ObservedRow = {
  observed: 'up',
  containerState: 'running',
  downSince: null,
  applicationStatus: 'done',
  provenTask,
}
const t0 = Date.parse('2026-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString()
const shaky: ObservedRow = { ...up, observed: 'starting', containerState: 'starting', downSince: at(0) }
const lost: ObservedRow = { ...shaky, observed: 'down', applicationStatus: 'error' }
const starting = taskOf({ state: 'starting' })
const crash = (seconds: number) =>
  taskOf({ state: 'failed', desired: 'shutdown', exitCode: 137, updatedAt: at(seconds) })

const table: [string, ObservedRow, ReturnType<typeof taskOf>[], number, string][] = [
  ['up stays up: nothing to write', up, [taskOf()], 0, 'same'],
  ['up in another container than was proven: back', up, [taskOf({ id: 'another' })], 0, 'back'],
  ['up and its container is gone: restarting', up, [starting, crash(1)], 1, 'restarting'],
  ['up and no task at all: restarting', up, [], 1, 'restarting'],
  ['restarting as before: nothing to write', shaky, [starting, crash(1)], 5, 'same'],
  ['restarting in another state', shaky, [taskOf({ state: 'pending' }), crash(1)], 5, 'restarting'],
  ['three crashes: lost', shaky, [starting, crash(3), crash(2), crash(1)], 5, 'lost'],
  ['crashes from before do not count', shaky, [starting, crash(-3), crash(-2), crash(-1)], 5, 'same'],
  ['a minute: lost', shaky, [starting, crash(1)], 60, 'lost'],
  ['lost stays lost: nothing to write', lost, [starting, crash(3), crash(2), crash(1)], 90, 'same'],
  ['runs again: back, once it has logged in', lost, [taskOf()], 90, 'back'],
  ['runs again after a short while: back', shaky, [taskOf()], 5, 'back'],
  ['never seen before: back', { ...up, observed: 'unknown' }, [taskOf()], 5, 'back'],
]

for (const [what, before, tasks, seconds, sight] of table) {
  test(`observe: ${what}`, () => assert.equal(observe(before, tasks, t0 + seconds * 1000).is, sight))
}

test('includes the duration and the cause in the status of a database that stays down', () => {
  const statusOf = (seconds: number, tasks: ReturnType<typeof taskOf>[]) => {
    const sight = observe(shaky, tasks, t0 + seconds * 1000)
    return sight.is === 'lost' ? sight.status : assert.fail(sight.is)
  }
  const exited = { reason: 'TaskExited', exitCode: 137 }
  const crashes = [starting, crash(3), crash(2), crash(1)]
  assert.deepEqual(statusOf(60, []), { reason: 'StillDown', seconds: 60, cause: null })
  assert.deepEqual(statusOf(5, crashes), { reason: 'StillDown', seconds: 5, cause: exited })
})

test('ignores old failures as the cause of an outage', () => {
  const reasonOf = (failure: ReturnType<typeof taskOf>) => {
    const sight = observe(up, [starting, failure], t0)
    return sight.is === 'restarting' ? sight.task : assert.fail(sight.is)
  }
  assert.equal(reasonOf(crash(-3600)), null)
  assert.deepEqual(reasonOf(crash(-1)), crash(-1))
})
