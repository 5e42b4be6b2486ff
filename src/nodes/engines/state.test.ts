/** The state of a port by what was observed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundNode, FoundTask } from '../../engine/engine.ts'
import { contactState, taskState, unavailableState } from './state.ts'

const now = Date.parse('2030-01-01T00:00:00.000Z')
const node = { hostname: 'two', state: 'ready', ready: true, availability: 'active' } as FoundNode
const port = { node: 'two', address: '10.0.0.2', port: 2376 }

test('a node that is down or drained is unavailable, a paused one is not', () => {
  assert.equal(unavailableState(node), null)
  assert.equal(unavailableState({ ...node, availability: 'pause' }), null)
  assert.deepEqual(unavailableState({ ...node, availability: 'drain' })?.reason, { reason: 'NodeDrained', node: 'two' })
  const down = unavailableState({ ...node, state: 'down', ready: false })
  assert.deepEqual(down?.reason, { reason: 'NodeDown', node: 'two', state: 'down' })
})

const task = (changes: Partial<FoundTask>): FoundTask => ({
  id: 't',
  serviceName: 's',
  state: 'running',
  desired: 'running',
  failure: null,
  exitCode: null,
  containerId: null,
  nodeId: 'n',
  address: null,
  digest: 'd',
  createdAt: new Date(now - 5000).toISOString(),
  updatedAt: new Date(now - 4000).toISOString(),
  ...changes,
})
const rejected = task({
  state: 'rejected',
  desired: 'shutdown',
  failure: { reason: 'ImageMissing', detail: 'No such image' },
})
const exited = task({ state: 'failed', desired: 'shutdown', exitCode: 1 })
const crashed = { ...exited, exitCode: 139 }
const waiting = task({ state: 'pending' })

const tasks: [title: string, tasks: FoundTask[], isPaused: boolean, expected: [string, string | undefined]][] = [
  ['a task that runs', [task({})], false, ['running', undefined]],
  ['a task of another specification', [task({ digest: 'old' })], false, ['starting', undefined]],
  ['a task that waits', [waiting], false, ['starting', undefined]],
  ['a task that waits on a paused node', [waiting], true, ['unreachable', 'NodePaused']],
  ['a task that runs on a paused node', [task({})], true, ['running', undefined]],
  ['an image that is missing', [waiting, rejected], false, ['unreachable', 'ImageMissing']],
  ['HAProxy that cannot listen', [waiting, exited, exited, exited], false, ['unreachable', 'PortTaken']],
  ['HAProxy that was killed once', [waiting, task({ ...exited, exitCode: 137 })], false, ['starting', undefined]],
  ['HAProxy that crashes', [waiting, crashed, crashed, crashed], false, ['unreachable', 'PortTaskFailed']],
]
for (const [title, found, isPaused, expected] of tasks) {
  test(`${title}: ${expected.filter(Boolean).join(' ')}`, () => {
    const observed = taskState({ ...port, image: 'haproxy:3.0', isPaused }, found, 'd', now)
    assert.deepEqual([observed.state, 'reason' in observed ? observed.reason?.reason : undefined], expected)
  })
}

test('a failed contact is a reason only some seconds after the start of HAProxy', () => {
  const failure = { fault: 'refused', detail: 'connect ECONNREFUSED' } as const
  assert.deepEqual(contactState(port, null, '10.0.0.1', 0), { state: 'reachable', reason: null })
  assert.deepEqual(contactState(port, failure, '10.0.0.1', 1000), { state: 'starting', reason: null })
  assert.deepEqual(contactState(port, failure, '10.0.0.1', 4000), {
    state: 'unreachable',
    reason: { reason: 'PortUnreachable', source: '10.0.0.1', ...failure, ...port },
  })
})
