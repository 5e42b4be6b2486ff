/** Drift as what Berth expects and what it found. status-message.test.ts tests the messages of the same reasons. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driftDetail } from './drift-details.ts'
import type { Drift } from './status.ts'

const node = { node: 'two', address: '10.0.0.2' }

const cases: [Drift, string][] = [
  [{ reason: 'ServiceMissing' }, 'service: present / missing'],
  [{ reason: 'ServiceChanged' }, 'service: the deployed configuration / changed outside Berth'],
  [{ reason: 'ContainerNotRunning', state: null, detail: null }, 'container: running / Swarm runs no container for it'],
  [{ reason: 'ContainerNotRunning', state: 'failed', detail: 'exit 1' }, 'container: running / failed (exit 1)'],
  [{ reason: 'ContainerDetached' }, "container: on Berth's network / disconnected from the network"],
  [{ reason: 'GatewayUnwanted' }, 'gateway: none, because no external port is deployed / present'],
  [{ reason: 'GatewayNotRunning', state: 'preparing', detail: null }, 'gateway: running / preparing'],
  [{ reason: 'NodeDown', ...node }, 'node: two ready / down'],
  [{ reason: 'NodeDrained', ...node }, 'node: two active / drained'],
  [{ reason: 'NodeMissing', ...node }, 'node: two in the swarm / not in the swarm'],
  [
    { reason: 'NodeReturned', ...node, nodeId: 'n2', foundOn: 'new' },
    'node: two in the swarm / left the swarm, its volume is on new',
  ],
  [
    {
      reason: 'PlacedElsewhere',
      service: 'x',
      recorded: { volume: 'a', node: 'one', generation: 1 },
      found: { volume: 'b', node: 'two', generation: 2 },
    },
    'service: volume a on node one (generation 1) / volume b on node two (generation 2)',
  ],
  [
    { reason: 'PlacedElsewhere', service: 'x', recorded: null, found: { volume: 'b', node: null, generation: 0 } },
    'service: no volume / volume b',
  ],
  [{ reason: 'AppNameTaken', service: 'x' }, "service: x of this database / somebody else's service of this name"],
  [{ reason: 'Legacy', message: 'It is gone' }, 'other: the deployed configuration / It is gone'],
]
for (const [drift, text] of cases) {
  test(`renders ${drift.reason} as ${text}`, () => {
    const { code, subject, expected, found } = driftDetail(drift)
    assert.deepEqual([code, `${subject}: ${expected} / ${found}`], [drift.reason, text])
  })
}
