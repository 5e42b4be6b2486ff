import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskOf } from '../../../test/fixtures/samples.ts'
import { observe, type ObservedRow } from './observation.ts'

const provenTask = taskOf().id
const upRow: ObservedRow = {
  observed: 'up',
  containerState: 'running',
  downSince: null,
  applicationStatus: 'done',
  provenTask,
}
const t0 = Date.parse('2026-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString()
const restartingRow: ObservedRow = { ...upRow, observed: 'starting', containerState: 'starting', downSince: at(0) }
const downRow: ObservedRow = { ...restartingRow, observed: 'down', applicationStatus: 'error' }
const starting = taskOf({ state: 'starting' })
const crash = (seconds: number) =>
  taskOf({ state: 'failed', desired: 'shutdown', exitCode: 137, updatedAt: at(seconds) })

const table: [string, ObservedRow, ReturnType<typeof taskOf>[], number, string][] = [
  ['a database that is still up', upRow, [taskOf()], 0, 'same'],
  ['a database that is up in a container without a login yet', upRow, [taskOf({ id: 'another' })], 0, 'needsLogin'],
  ['a database whose container has ended', upRow, [starting, crash(1)], 1, 'restarting'],
  ['a database without a task', upRow, [], 1, 'restarting'],
  ['a restart whose state has not changed', restartingRow, [starting, crash(1)], 5, 'same'],
  ['a restart whose state has changed', restartingRow, [taskOf({ state: 'pending' }), crash(1)], 5, 'restarting'],
  ['three crashes during the outage', restartingRow, [starting, crash(3), crash(2), crash(1)], 5, 'stillDown'],
  ['three crashes before the outage', restartingRow, [starting, crash(-3), crash(-2), crash(-1)], 5, 'same'],
  ['a restart that takes a minute', restartingRow, [starting, crash(1)], 60, 'stillDown'],
  ['a database that is already recorded as down', downRow, [starting, crash(3), crash(2), crash(1)], 90, 'same'],
  ['a database that was down and runs again', downRow, [taskOf()], 90, 'needsLogin'],
  ['a database that was restarting and runs again', restartingRow, [taskOf()], 5, 'needsLogin'],
  ['a database that is observed for the first time', { ...upRow, observed: 'unknown' }, [taskOf()], 5, 'needsLogin'],
]

for (const [title, before, tasks, seconds, expected] of table) {
  test(`observes ${title} as ${expected}`, () => assert.equal(observe(before, tasks, t0 + seconds * 1000).is, expected))
}

test('includes the duration and the cause in the status of a database that stays down', () => {
  const statusOf = (seconds: number, tasks: ReturnType<typeof taskOf>[]) => {
    const observation = observe(restartingRow, tasks, t0 + seconds * 1000)
    return observation.is === 'stillDown' ? observation.status : assert.fail(observation.is)
  }
  const exited = { reason: 'TaskExited', exitCode: 137 }
  const crashes = [starting, crash(3), crash(2), crash(1)]
  assert.deepEqual(statusOf(60, []), { reason: 'StillDown', seconds: 60, cause: null })
  assert.deepEqual(statusOf(5, crashes), { reason: 'StillDown', seconds: 5, cause: exited })
})

test('ignores old failures as the cause of an outage', () => {
  const reasonOf = (failure: ReturnType<typeof taskOf>) => {
    const observation = observe(upRow, [starting, failure], t0)
    return observation.is === 'restarting' ? observation.task : assert.fail(observation.is)
  }
  assert.equal(reasonOf(crash(-3600)), null)
  assert.deepEqual(reasonOf(crash(-1)), crash(-1))
})
