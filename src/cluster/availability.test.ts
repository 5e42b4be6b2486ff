/** When a node counts as away, and why. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeReason } from '../deployments/reason.ts'
import type { FoundNode } from '../engine/engine.ts'
import { awayReason } from './availability.ts'

const home = { nodeId: 'n2', nodeName: 'two', nodeAddress: '10.0.0.2' }
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
  ['one that is ready', {}, null],
  ['one that takes nothing new', { availability: 'pause', active: false }, null],
  ['one of which the manager does not know yet', { state: 'unknown', ready: false }, null],
  ['one that is lost sight of only just now', { state: 'disconnected', ready: false }, null],
  ['one that is down', { state: 'down', ready: false }, 'NodeDown'],
  ["the engine's own, said to be down", { state: 'down', ready: false, local: true }, null],
  ['one that is drained', { availability: 'drain', active: false }, 'NodeDrained'],
  ['one that is gone', null, 'NodeMissing'],
]
for (const [title, changes, reason] of cases) {
  test(`${title} is ${reason === null ? 'there' : 'away'}`, () => {
    const others = [{ ...node, id: 'n1', state: 'down' as const }]
    const found = awayReason(changes === null ? others : [...others, { ...node, ...changes }], home)
    assert.deepEqual(found, reason && { reason, node: 'two', address: '10.0.0.2' })
  })
}
