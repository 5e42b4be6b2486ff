import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf, specOf, taskOf } from '../../../test/fixtures/samples.ts'
import { containerDigestOf, digestOf } from '../../engine/spec.ts'
import { decide, type Situation } from './decide.ts'

const database = specOf()
const ports = [{ published: 15432, target: 15000, protocol: 'tcp' as const }]
const gateway = specOf({ name: 'berth-gateway-db1', image: 'haproxy:3.0', ports })
const databaseService = serviceOf({ digest: digestOf(database) })
const gatewayService = serviceOf({ name: gateway.name, digest: digestOf(gateway) })
const newerService = serviceOf({ labels: { 'berth.installation': 'inst', 'berth.database': 'db2' } })
const running = taskOf({ digest: containerDigestOf(database) })
const gatewayTask = taskOf({ serviceName: gateway.name, digest: containerDigestOf(gateway) })

/** The database runs as wanted. Each case changes a part of this situation. */
const unchanged: Situation = {
  owner: { installationId: 'inst', databaseId: 'db1' },
  database,
  gateway: null,
  shouldKeepServer: false,
  existing: [databaseService],
  tasks: [running],
  since: 0,
  now: Date.parse('2026-01-01T00:00:01.000Z'),
  maxStartMs: null,
}
const failedGateway = { ...gatewayTask, state: 'failed', desired: 'shutdown', exitCode: 1 } as const
const starting = { state: 'starting', createdAt: '2026-01-01T00:00:00.500Z' } as const

const probeOfStart = { do: 'probe', database: { ...running, ...starting }, hasGateway: false }

const table: [string, Partial<Situation>, object][] = [
  [
    'creates a missing service',
    { existing: [], tasks: [] },
    { do: 'change', changes: [{ do: 'create', spec: database }] },
  ],
  [
    'waits while the previous server still ends, because both would write to the same files',
    { existing: [serviceOf({ digest: 'fenced' })], tasks: [{ ...running, desired: 'shutdown' }] },
    { do: 'wait' },
  ],
  [
    'updates the service after the previous server has ended',
    { existing: [serviceOf({ digest: 'fenced' })], tasks: [{ ...running, desired: 'shutdown', state: 'shutdown' }] },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  [
    'updates the service if the previous task was never assigned to a node',
    {
      existing: [serviceOf({ digest: 'fenced' })],
      tasks: [{ ...running, desired: 'shutdown', state: 'pending', nodeId: null }],
    },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  ['probes a running service that is as wanted', {}, { do: 'probe', database: running, hasGateway: false }],
  [
    'updates a service with another digest',
    { existing: [serviceOf({ digest: 'other' })] },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  [
    'probes a running server that should be kept, even if the service has another digest',
    { shouldKeepServer: true, existing: [serviceOf({ digest: 'other' })], tasks: [taskOf({ digest: 'old' })] },
    { do: 'probe', database: taskOf({ digest: 'old' }), hasGateway: false },
  ],
  [
    'updates a server that should be kept but has no container',
    { shouldKeepServer: true, existing: [serviceOf({ digest: null })], tasks: [{ ...running, state: 'pending' }] },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  [
    'probes a starting server that should be kept, even if the service has another digest',
    { shouldKeepServer: true, existing: [serviceOf({ digest: null })], tasks: [{ ...running, ...starting }] },
    probeOfStart,
  ],
  [
    'probes a starting server although its gateway has failed',
    {
      gateway,
      existing: [databaseService, gatewayService],
      tasks: [{ ...running, ...starting }, ...[1, 2, 3].map(() => failedGateway)],
    },
    probeOfStart,
  ],
  [
    'creates a server that should be kept but is missing',
    { shouldKeepServer: true, existing: [], tasks: [] },
    { do: 'change', changes: [{ do: 'create', spec: database }] },
  ],
  [
    'updates only the gateway if the server should be kept',
    {
      shouldKeepServer: true,
      gateway,
      tasks: [running, gatewayTask],
      existing: [serviceOf({ digest: null }), serviceOf({ name: gateway.name })],
    },
    { do: 'change', changes: [{ do: 'update', spec: gateway }] },
  ],
  ['creates a wanted gateway', { gateway }, { do: 'change', changes: [{ do: 'create', spec: gateway }] }],
  [
    'removes a gateway that is no longer wanted',
    { existing: [databaseService, gatewayService] },
    { do: 'change', changes: [{ do: 'remove', name: gateway.name }] },
  ],
  [
    'probes the server and the gateway if both run',
    { gateway, existing: [databaseService, gatewayService], tasks: [running, gatewayTask] },
    { do: 'probe', database: running, hasGateway: true },
  ],
  [
    'waits for a starting gateway',
    { gateway, existing: [databaseService, gatewayService], tasks: [running, { ...gatewayTask, ...starting }] },
    { do: 'wait' },
  ],
  ['probes a starting server', { tasks: [{ ...running, ...starting }] }, probeOfStart],
  [
    'waits for the last container of a stopped service',
    {
      database: { ...database, replicas: 0 },
      existing: [serviceOf({ digest: digestOf({ ...database, replicas: 0 }) })],
    },
    { do: 'drain' },
  ],
  ['waits for the last container of a removed service', { database: null, existing: [] }, { do: 'drain' }],
  [
    'removes the server and the gateway of a removed database',
    { database: null, existing: [databaseService, gatewayService] },
    {
      do: 'change',
      changes: [
        { do: 'remove', name: databaseService.name },
        { do: 'remove', name: gateway.name },
      ],
    },
  ],
  [
    'does not remove a foreign service with the name of a removed database',
    { database: null, existing: [serviceOf({ labels: {} })] },
    { do: 'drain' },
  ],
  [
    'removes only the gateway if a newer database has the service with the name of a removed one',
    { database: null, existing: [newerService, gatewayService] },
    { do: 'change', changes: [{ do: 'remove', name: gateway.name }] },
  ],
  [
    'ends a removal beside the service of a newer database',
    { database: null, existing: [newerService] },
    { do: 'drain' },
  ],
]

for (const [title, change, step] of table) {
  test(title, () => assert.deepEqual(decide({ ...unchanged, ...change }), step))
}

const foreignServices: [string, Record<string, string>][] = [
  ['a service that Berth did not create', {}],
  ['a service of another installation', { 'berth.installation': 'other', 'berth.database': 'db1' }],
  ['a service of another record', { 'berth.installation': 'inst', 'berth.database': 'db2' }],
]

for (const [title, labels] of foreignServices) {
  test(`never adopts ${title}`, () => {
    const step = decide({ ...unchanged, existing: [serviceOf({ labels, digest: digestOf(database) })] })
    assert.deepEqual(step, { do: 'fail', reason: { reason: 'AppNameTaken', service: 'shop-db' } })
  })
}

test('reports which service failed, and the cause', () => {
  const failure = { reason: 'PortTaken', detail: 'bind: address already in use' } as const
  const taken = { ...gatewayTask, state: 'failed', desired: 'shutdown', failure } as const
  const step = decide({ ...unchanged, gateway, existing: [databaseService, gatewayService], tasks: [running, taken] })
  assert.ok(step.do === 'failTask')
  assert.deepEqual(
    [step.of, step.cause],
    ['gateway', { reason: 'TaskFailed', failure: 'PortTaken', detail: failure.detail }],
  )
})
