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
    [
      taskOf({ state: 'pending' }),
      failure(1, { state: 'rejected', failure: { reason: 'ImageMissing', detail: 'No such image: nope:1' } }),
    ],
    2,
    'failed',
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
    'a container that has been starting for a week',
    [taskOf({ state: 'starting', createdAt: at(1) })],
    604_800,
    'starting',
  ],
  ['a task that has been pending for 179 seconds', [taskOf({ state: 'pending', createdAt: at(10) })], 189, 'starting'],
  ['a task that has been pending for 180 seconds', [taskOf({ state: 'pending', createdAt: at(10) })], 190, 'failed'],
  ['a service whose task Swarm does not list for 180 seconds', [], 180, 'failed'],
]

for (const [title, tasks, seconds, health] of table) {
  test(`reports ${title} as ${health}`, () => {
    assert.equal(taskHealth(tasks, 'digest', t0, t0 + seconds * 1000, null).is, health)
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

const limits: [string, FoundTask[], number, number | null, TaskReason | null][] = [
  ['the limit of a pull', [taskOf({ state: 'preparing' })], 15 * 60, null, { reason: 'ImageTimeout', minutes: 15 }],
  [
    'the state of a task that Swarm does not start',
    [taskOf({ state: 'pending', createdAt: at(0) })],
    180,
    null,
    { reason: 'TaskNotStarted', state: 'pending' },
  ],
  ['the state new for a task that Swarm does not list', [], 180, null, { reason: 'TaskNotStarted', state: 'new' }],
  ['nothing before the limit of the owner', [taskOf({ state: 'starting', updatedAt: at(9) })], 128, 120_000, null],
  [
    'the limit of the owner, from the start of the container',
    [taskOf({ state: 'starting', createdAt: at(0), updatedAt: at(9) })],
    129,
    120_000,
    { reason: 'StartTimeout', minutes: 2 },
  ],
]

for (const [title, tasks, seconds, maxStartMs, reason] of limits) {
  test(`reports ${title} of a late task`, () => {
    const health = taskHealth(tasks, 'digest', t0, t0 + seconds * 1000, maxStartMs)
    assert.deepEqual(health.is === 'failed' ? health.reason : null, reason)
  })
}

test('a service without a deployment starts while Swarm lists no task of it', () => {
  assert.deepEqual(taskHealth([], 'digest', t0 - failureWindowMs, t0, null), { is: 'starting', task: null })
})
