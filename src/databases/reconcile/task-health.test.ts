import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskOf } from '../../../test/fixtures/samples.ts'
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import { taskHealth, taskReason } from './task-health.ts'

const t0 = Date.parse('2026-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString()
const failure = (seconds: number, more = {}) =>
  taskOf({ state: 'failed', desired: 'shutdown', exitCode: 1, createdAt: at(seconds), updatedAt: at(seconds), ...more })

const table: [string, ReturnType<typeof taskOf>[], number, string][] = [
  ['no task yet', [], 1, 'starting'],
  ['a task that runs', [taskOf({ createdAt: at(1) })], 2, 'running'],
  ['a task with the digest of an old specification is ignored', [taskOf({ digest: 'old' })], 2, 'starting'],
  ['a task that is being stopped does not count as running', [taskOf({ desired: 'shutdown' })], 2, 'starting'],
  ['a task that is starting', [taskOf({ state: 'starting', createdAt: at(1) })], 2, 'starting'],
  [
    'two ended containers are given another chance',
    [taskOf({ state: 'starting' }), failure(2), failure(1)],
    3,
    'starting',
  ],
  ['three failures are a crash loop', [taskOf({ state: 'starting' }), failure(3), failure(2), failure(1)], 4, 'failed'],
  [
    'ended containers from before this attempt do not count',
    [taskOf({ state: 'starting' }), failure(-3), failure(-2), failure(-1)],
    4,
    'starting',
  ],
  [
    'a server that ends by itself counts too',
    [1, 2, 3].map((it) => failure(it, { state: 'complete', exitCode: 0 })),
    4,
    'failed',
  ],
  [
    'an image that is not there fails at once',
    [
      taskOf({ state: 'pending' }),
      failure(1, { state: 'rejected', failure: { reason: 'ImageMissing', detail: 'No such image: nope:1' } }),
    ],
    2,
    'failed',
  ],
  [
    'a port that is taken fails at once',
    [
      failure(1, {
        failure: { reason: 'PortTaken', detail: 'listen tcp4 0.0.0.0:5432: bind: address already in use' },
      }),
    ],
    2,
    'failed',
  ],
  [
    'a node without room is given ten seconds',
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
    'and no more',
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
    'what waited before this attempt is given them anew',
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
    'pulling an image can take less than 15 minutes',
    [taskOf({ state: 'preparing', createdAt: at(0) })],
    14 * 60,
    'starting',
  ],
  ['pulling an image for 15 minutes has failed', [taskOf({ state: 'preparing', createdAt: at(0) })], 15 * 60, 'failed'],
  ['a server can take three minutes to start', [taskOf({ state: 'starting', createdAt: at(10) })], 180, 'starting'],
  [
    'the start time counts from the creation of the task',
    [taskOf({ state: 'starting', createdAt: at(10) })],
    190,
    'failed',
  ],
]

for (const [title, tasks, seconds, health] of table) {
  test(`task health: ${title}`, () => {
    assert.equal(taskHealth(tasks, 'digest', t0, t0 + seconds * 1000).is, health)
  })
}

const reasons: [string, Parameters<typeof taskOf>[0], TaskReason][] = [
  [
    'a failure that the engine names',
    { state: 'rejected', failure: { reason: 'ImageMissing', detail: 'No such image: nope:1' } },
    { reason: 'TaskFailed', failure: 'ImageMissing', detail: 'No such image: nope:1' },
  ],
  [
    'the exit code, before a failure that has no name',
    { state: 'failed', failure: { reason: 'Other', detail: 'task: non-zero exit (3)' }, exitCode: 3 },
    { reason: 'TaskExited', exitCode: 3 },
  ],
  ['a server that ended by itself', { state: 'complete', exitCode: 0 }, { reason: 'TaskExited', exitCode: 0 }],
  ['a state without further detail', { state: 'new' }, { reason: 'TaskNotStarted', state: 'new' }],
  [
    'what it does not know',
    { state: 'rejected', failure: { reason: 'Other', detail: 'strange thing' } },
    { reason: 'TaskFailed', failure: 'Other', detail: 'strange thing' },
  ],
]

for (const [title, task, reason] of reasons) {
  test(`task reason: ${title}`, () => assert.deepEqual(taskReason(taskOf(task)), reason))
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
