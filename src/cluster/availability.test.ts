/** When a node counts as unavailable. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeReason } from '../deployments/reason.ts'
import type { FoundNode } from '../engine/engine.ts'
import { nodeUnavailableReason } from './availability.ts'

const placement = { nodeId: 'n2', nodeName: 'two', nodeAddress: '10.0.0.2' }
const node: FoundNode = {
  id: 'n2',
  hostname: 'two',
  address: '10.0.0.2',
  role: 'worker',
  availability: 'active',
  state: 'ready',
  ready: true,
  active: true,
  local: false,
  manager: null,
  engineVersion: '20.10.0',
  cpuCores: 1,
  memoryBytes: 1,
  labels: {},
}

const cases: [title: string, changes: Partial<FoundNode> | null, reason: NodeReason['reason'] | null][] = [
  ['a ready node', {}, null],
  ['a paused node', { availability: 'pause', active: false }, null],
  ['a node whose state the manager does not know yet', { state: 'unknown', ready: false }, null],
  ['a node that has just lost its connection', { state: 'disconnected', ready: false }, null],
  ['a node that is down', { state: 'down', ready: false }, 'NodeDown'],
  ["the engine's own node with the state down", { state: 'down', ready: false, local: true }, null],
  ['a drained node', { availability: 'drain', active: false }, 'NodeDrained'],
  ['a node that left the swarm', null, 'NodeMissing'],
]
test('names the node on which the volume of a node that left was found', () => {
  assert.deepEqual(nodeUnavailableReason([], { ...placement, foundNodeName: 'new' }), {
    ...{ reason: 'NodeReturned', node: 'two', address: '10.0.0.2', nodeId: 'n2', foundOn: 'new' },
  })
  assert.equal(nodeUnavailableReason([node], { ...placement, foundNodeName: 'new' }), null)
})

for (const [title, changes, reason] of cases) {
  test(`treats ${title} as ${reason === null ? 'available' : 'unavailable'}`, () => {
    const others = [{ ...node, id: 'n1', state: 'down' as const }]
    const actual = nodeUnavailableReason(changes === null ? others : [...others, { ...node, ...changes }], placement)
    assert.deepEqual(actual, reason && { reason, node: 'two', address: '10.0.0.2' })
  })
}
