/** The messages of the reasons of a database's status and drift. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import type { Drift, StatusReason } from './status.ts'
import {
  driftAnswer,
  driftMessage,
  driftReasons,
  statusAnswer,
  statusMessage,
  statusReasons,
} from './status-message.ts'

const wentDown = { reason: 'WentDown', since: '2030-01-01', cause: null } as const

const statuses: [StatusReason, RegExp][] = [
  [{ reason: 'Recovered', cause: wentDown }, /^Running again\. Before that: Went down at 2030-01-01$/],
  [
    { reason: 'Repairing', drift: [{ reason: 'ServiceMissing' }, { reason: 'GatewayMissing' }] },
    /^The Swarm service is missing\. The gateway of the external port is missing\. Berth is repairing it$/,
  ],
  [
    { reason: 'ProcessKilled', at: '2030-01-01', memoryLimitMiB: 64 },
    /killed at 2030-01-01.*memoryLimit is 64 MiB: raise it$/,
  ],
  [{ reason: 'ProcessKilled', at: '2030-01-01', memoryLimitMiB: null }, /The node has too little memory$/],
  [{ reason: 'Moving', node: 'two' }, /^Stopped while its data is moved to node two$/],
  [{ reason: 'Restoring', runId: '7' }, /^Stopped while a backup is restored into it \(run 7\)$/],
  [
    { reason: 'DataLost', node: 'two' },
    /^The data was on node two, which was removed from the swarm by force\. Restore/,
  ],
  [{ reason: 'NoNodeReady' }, /^No node of the swarm is ready/],
  [wentDown, /^Went down at 2030-01-01$/],
]
for (const [status, sentence] of statuses) {
  test(`renders the status ${status.reason} as ${sentence.source.slice(0, 60)}`, () =>
    assert.match(statusMessage(status), sentence))
}

const drifts: [Drift, RegExp][] = [
  [{ reason: 'ServiceMissing' }, /^The Swarm service is missing$/],
  [{ reason: 'ServiceFenced' }, /scaled to zero while its node was unavailable$/],
  [{ reason: 'ServiceOutdated' }, /another version of Berth or from other records\. Deploy/],
  [{ reason: 'ServiceChanged' }, /changed outside Berth\. Deploy to undo the change$/],
  [
    { reason: 'ContainerNotRunning', state: null, detail: null },
    /^The container does not run: Swarm runs no container for it$/,
  ],
  [{ reason: 'ContainerNotRunning', state: 'pending', detail: 'no node' }, /does not run: pending \(no node\)$/],
  [{ reason: 'ContainerDetached' }, /^The container was disconnected from the network$/],
  [{ reason: 'GatewayUnwanted' }, /^No external port is deployed, but its gateway still exists$/],
  [{ reason: 'GatewayMissing' }, /^The gateway of the external port is missing$/],
  [{ reason: 'GatewayOutdated' }, /gateway .* another version of Berth\. Deploy/],
  [{ reason: 'GatewayChanged' }, /gateway .* changed outside Berth$/],
  [{ reason: 'GatewayNotRunning', state: 'preparing', detail: null }, /^The gateway .* does not run: preparing$/],
  [{ reason: 'GatewayDetached' }, /^The gateway .* disconnected from the network$/],
  [{ reason: 'NodeDown', node: 'two', address: '10.0.0.2' }, /^Node two .* is down$/],
  [{ reason: 'NodeDrained', node: 'two', address: '10.0.0.2' }, /^Node two .* is drained$/],
  [
    { reason: 'NodeReturned', node: 'two', address: '10.0.0.2', nodeId: 'n2', foundOn: 'new' },
    /^Node two .* node new has a volume of this name/,
  ],
  [{ reason: 'NodeMissing', node: 'two', address: '10.0.0.2' }, /^Node two .* not in the swarm/],
  [
    { reason: 'PlacedElsewhere', service: 'x', recorded: null, found: { volume: 'b', node: null, generation: 1 } },
    /^The service x has the volume b/,
  ],
  [{ reason: 'AppNameTaken', service: 'x' }, /^Another Swarm service is already called x\./],
  [{ reason: 'Legacy', message: 'It is gone' }, /^It is gone$/],
]
for (const [drift, sentence] of drifts) {
  test(`renders the drift ${drift.reason} as ${sentence.source.slice(0, 60)}`, () =>
    assert.match(driftMessage(drift), sentence))
}

test('covers every drift reason; lists status reasons of databases and none of ports', () => {
  const named = new Set(drifts.map(([{ reason }]) => reason))
  assert.deepEqual(
    driftReasons.filter((name) => !named.has(name)),
    [],
  )
  assert.ok(statusReasons.includes('TaskExited') && !(statusReasons as string[]).includes('GatewayCreating'))
})

test('returns each message together with its code', () => {
  assert.deepEqual(statusAnswer(null), { statusReason: null, statusCode: null })
  const answer = statusAnswer(toJson<StatusReason>({ reason: 'Legacy', message: 'It is gone' }))
  assert.deepEqual(answer, { statusReason: 'It is gone', statusCode: 'Legacy' })
  const drift = driftAnswer(toJson<readonly Drift[]>([{ reason: 'GatewayMissing' }]))
  assert.deepEqual(drift, {
    drift: ['The gateway of the external port is missing'],
    driftCodes: ['GatewayMissing'],
    driftDetails: [{ code: 'GatewayMissing', subject: 'gateway', expected: 'present', found: 'missing' }],
  })
})
