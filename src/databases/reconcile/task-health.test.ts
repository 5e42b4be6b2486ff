import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskOf } from '../../../test/fixtures/samples.ts'
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import { failureWindowMs, taskHealth, taskReason } from './task-health.ts'

const t0 = Date.parse('2026-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString()
const failure = (seconds: number, more = {}) =>
  taskOf({ state: 'failed', desired: 'shutdown', exitCode: 1, createdAt: at(seconds), updatedAt: at(seconds), ...more })

const imageMissing = { reason: 'ImageMissing', detail: 'No such image: nope:1' } as const

const table: [string, ReturnType<typeof taskOf>[], number, string][] = [
  ['a service without a task', [], 1, 'starting'],
  ['a running task', [taskOf({ createdAt: at(1) })], 2, 'running'],
  ['a task with the digest of an old specification', [taskOf({ digest: 'old' })], 2, 'starting'],
  ['a task that is being stopped', [taskOf({ desired: 'shutdown' })], 2, 'starting'],
  ['a starting task', [taskOf({ state: 'starting', createdAt: at(1) })], 2, 'starting'],
  ['a starting task after two failures', [taskOf({ state: 'starting' }), failure(2), failure(1)], 3, 'starting'],
  [
    'a starting task after three failures',
    [taskOf({ state: 'starting' }), failure(3), failure(2), failure(1)],
    4,
    'failed',
  ],
  [
    'a starting task after three failures before this attempt',
    [taskOf({ state: 'starting' }), failure(-3), failure(-2), failure(-1)],
    4,
    'starting',
  ],
  [
    'a server that ended three times with exit code 0',
    [1, 2, 3].map((seconds) => failure(seconds, { state: 'complete', exitCode: 0 })),
    4,
    'failed',
  ],
  [
    'one failure because of a missing image',
    [taskOf({ state: 'pending' }), failure(1, { state: 'rejected', failure: imageMissing })],
    2,
    'failed',
  ],
  [
    'one failure of a server that ran after its missing image had been copied',
    [
      taskOf({ state: 'starting' }),
      failure(4, { exitCode: 137 }),
      ...[3, 2, 1].map((seconds) => failure(seconds, { state: 'rejected', exitCode: null, failure: imageMissing })),
    ],
    5,
    'starting',
  ],
  [
    'one failure because of a taken port',
    [
      failure(1, {
        failure: { reason: 'PortTaken', detail: 'listen tcp4 0.0.0.0:5432: bind: address already in use' },
      }),
    ],
    2,
    'failed',
  ],
  [
    'a task that has been pending without resources for nine seconds',
    [
      taskOf({
        state: 'pending',
        failure: { reason: 'InsufficientResources', detail: 'no suitable node (insufficient resources on 1 node)' },
        createdAt: at(0),
      }),
    ],
    9,
    'starting',
  ],
  [
    'a task that has been pending without resources for ten seconds',
    [
      taskOf({
        state: 'pending',
        failure: { reason: 'InsufficientResources', detail: 'no suitable node (insufficient resources on 1 node)' },
        createdAt: at(0),
      }),
    ],
    10,
    'failed',
  ],
  [
    'a task that was pending before this attempt and for nine seconds of it',
    [
      taskOf({
        state: 'pending',
        failure: { reason: 'PortTaken', detail: 'no suitable node (host-mode port already in use)' },
        createdAt: at(-60),
      }),
    ],
    9,
    'starting',
  ],
  [
    'an image whose pull has taken 14 minutes so far',
    [taskOf({ state: 'preparing', createdAt: at(0) })],
    14 * 60,
    'starting',
  ],
  [
    'an image whose pull has taken 15 minutes so far',
    [taskOf({ state: 'preparing', createdAt: at(0) })],
    15 * 60,
    'failed',
  ],
  [
    'a task that was created 170 seconds ago and is starting',
    [taskOf({ state: 'starting', createdAt: at(10) })],
    180,
    'starting',
  ],
  [
    'a task that was created 180 seconds ago and is starting',
    [taskOf({ state: 'starting', createdAt: at(10) })],
    190,
    'failed',
  ],
]

for (const [title, tasks, seconds, health] of table) {
  test(`reports ${title} as ${health}`, () => {
    assert.equal(taskHealth(tasks, 'digest', t0, t0 + seconds * 1000).is, health)
  })
}

const reasons: [string, Parameters<typeof taskOf>[0], TaskReason][] = [
  [
    'the failure if the engine reports its kind',
    { state: 'rejected', failure: { reason: 'ImageMissing', detail: 'No such image: nope:1' } },
    { reason: 'TaskFailed', failure: 'ImageMissing', detail: 'No such image: nope:1' },
  ],
  [
    'the exit code rather than a failure of unknown kind',
    { state: 'failed', failure: { reason: 'Other', detail: 'task: non-zero exit (3)' }, exitCode: 3 },
    { reason: 'TaskExited', exitCode: 3 },
  ],
  [
    'exit code 0 for a server that ended by itself',
    { state: 'complete', exitCode: 0 },
    { reason: 'TaskExited', exitCode: 0 },
  ],
  ['the state if there is no failure', { state: 'new' }, { reason: 'TaskNotStarted', state: 'new' }],
  [
    'the detail of a failure of unknown kind without an exit code',
    { state: 'rejected', failure: { reason: 'Other', detail: 'strange thing' } },
    { reason: 'TaskFailed', failure: 'Other', detail: 'strange thing' },
  ],
]

for (const [title, task, reason] of reasons) {
  test(`returns ${title}`, () => assert.deepEqual(taskReason(taskOf(task)), reason))
}

test('includes the time limit in the reason of a late task', () => {
  const reasonOf = (task: FoundTask, seconds: number) => {
    const health = taskHealth([task], 'digest', t0, t0 + seconds * 1000)
    return health.is === 'failed' ? health.reason : assert.fail(health.is)
  }
  const [preparing, starting] = [taskOf({ state: 'preparing' }), taskOf({ state: 'starting', createdAt: at(0) })]
  assert.deepEqual(reasonOf(preparing, 15 * 60), { reason: 'ImageTimeout', minutes: 15 })
  assert.deepEqual(reasonOf(starting, 180), { reason: 'StartTimeout', seconds: 180 })
})

test('a service without a deployment starts while Swarm lists no task of it', () => {
  assert.deepEqual(taskHealth([], 'digest', t0 - failureWindowMs, t0), { is: 'starting', task: null })
})
