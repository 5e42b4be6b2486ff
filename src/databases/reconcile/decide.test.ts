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
const running = taskOf({ digest: containerDigestOf(database) })
const gatewayTask = taskOf({ serviceName: gateway.name, digest: containerDigestOf(gateway) })

const unchanged: Situation = {
  installationId: 'inst',
  database,
  gateway: null,
  shouldKeepServer: false,
  existing: [databaseService],
  tasks: [running],
  since: 0,
  now: Date.parse('2026-01-01T00:00:01.000Z'),
}
const notYet = { state: 'starting', createdAt: '2026-01-01T00:00:00.500Z' } as const

const table: [string, Partial<Situation>, object][] = [
  [
    'the service is missing: create it',
    { existing: [], tasks: [] },
    { do: 'change', changes: [{ do: 'create', spec: database }] },
  ],
  [
    'the one before still ends: wait, for both would write to the same files',
    { existing: [serviceOf({ digest: 'held' })], tasks: [{ ...running, desired: 'shutdown' }] },
    { do: 'wait' },
  ],
  [
    'the one before has ended: update',
    { existing: [serviceOf({ digest: 'held' })], tasks: [{ ...running, desired: 'shutdown', state: 'shutdown' }] },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  [
    'the one before waits for a node that is gone: update',
    {
      existing: [serviceOf({ digest: 'held' })],
      tasks: [{ ...running, desired: 'shutdown', state: 'pending', nodeId: null }],
    },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  ['the service is as wanted and runs: log in', {}, { do: 'probe', database: running, hasGateway: false }],
  [
    'another digest: update',
    { existing: [serviceOf({ digest: 'other' })] },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  [
    'another digest, and the server is to be kept: log in',
    { shouldKeepServer: true, existing: [serviceOf({ digest: 'other' })], tasks: [taskOf({ digest: 'old' })] },
    { do: 'probe', database: taskOf({ digest: 'old' }), hasGateway: false },
  ],
  [
    'a server to be kept that does not run: update',
    { shouldKeepServer: true, existing: [serviceOf({ digest: null })], tasks: [{ ...running, ...notYet }] },
    { do: 'change', changes: [{ do: 'update', spec: database }] },
  ],
  [
    'a server to be kept that is gone: create',
    { shouldKeepServer: true, existing: [], tasks: [] },
    { do: 'change', changes: [{ do: 'create', spec: database }] },
  ],
  [
    'a server to be kept, and a gateway changed: update that',
    {
      shouldKeepServer: true,
      gateway,
      tasks: [running, gatewayTask],
      existing: [serviceOf({ digest: null }), serviceOf({ name: gateway.name })],
    },
    { do: 'change', changes: [{ do: 'update', spec: gateway }] },
  ],
  ['a gateway is wanted: create it', { gateway }, { do: 'change', changes: [{ do: 'create', spec: gateway }] }],
  [
    'a gateway is wanted no longer: remove it',
    { existing: [databaseService, gatewayService] },
    { do: 'change', changes: [{ do: 'remove', name: gateway.name }] },
  ],
  [
    'both run: log in through both',
    { gateway, existing: [databaseService, gatewayService], tasks: [running, gatewayTask] },
    { do: 'probe', database: running, hasGateway: true },
  ],
  [
    'the gateway is on its way: wait',
    { gateway, existing: [databaseService, gatewayService], tasks: [running, { ...gatewayTask, ...notYet }] },
    { do: 'wait' },
  ],
  ['the server is starting: wait', { tasks: [{ ...running, ...notYet }] }, { do: 'wait' }],
  [
    'stopped: wait for the last container',
    {
      database: { ...database, replicas: 0 },
      existing: [serviceOf({ digest: digestOf({ ...database, replicas: 0 }) })],
    },
    { do: 'drain' },
  ],
  ['the service is removed: wait for the last container', { database: null, existing: [] }, { do: 'drain' }],
  [
    'removed and still there: remove both',
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
    "removed, and the name is someone else's: leave that alone",
    { database: null, existing: [serviceOf({ labels: {} })] },
    { do: 'drain' },
  ],
]

for (const [title, change, step] of table) {
  test(`decide: ${title}`, () => assert.deepEqual(decide({ ...unchanged, ...change }), step))
}

const foreignServices: [string, Record<string, string>][] = [
  ["a service that is not Berth's", {}],
  ['a service of another installation', { 'berth.installation': 'other', 'berth.database': 'db1' }],
  ['a service of another record', { 'berth.installation': 'inst', 'berth.database': 'db2' }],
]

for (const [title, labels] of foreignServices) {
  test(`never adopts ${title}`, () => {
    const step = decide({ ...unchanged, existing: [serviceOf({ labels, digest: digestOf(database) })] })
    assert.deepEqual(step, { do: 'fail', reason: { reason: 'AppNameTaken', service: 'shop-db' } })
  })
}

test('names the service that failed', () => {
  const failure = { reason: 'PortTaken', detail: 'bind: address already in use' } as const
  const taken = { ...gatewayTask, state: 'failed', desired: 'shutdown', failure } as const
  const step = decide({ ...unchanged, gateway, existing: [databaseService, gatewayService], tasks: [running, taken] })
  assert.ok(step.do === 'failTask')
  assert.deepEqual(
    [step.of, step.cause],
    ['gateway', { reason: 'TaskFailed', failure: 'PortTaken', detail: failure.detail }],
  )
})
