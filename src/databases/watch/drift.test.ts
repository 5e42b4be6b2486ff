import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf, taskOf } from '../../../test/fixtures/samples.ts'
import type { Drift } from '../status.ts'
import { driftOf, type Remedy, type DriftInput } from './drift.ts'

const gatewayTask = taskOf({ id: 'gateway', containerId: 'gateway container' })
/** Everything runs as wanted. Each case changes a part of this input. */
const unchanged: DriftInput = {
  wanted: { database: 'd', gateway: 'g', openGateway: 'open' },
  database: serviceOf({ digest: 'd' }),
  gateway: serviceOf({ digest: 'g' }),
  databaseTasks: [taskOf()],
  gatewayTasks: [gatewayTask],
  isDetached: () => false,
}
const preparing = taskOf({ state: 'preparing' })

const noContainer: Drift = { reason: 'ContainerNotRunning', state: null, detail: null }

const table: [title: string, change: Partial<DriftInput>, drift: Drift[], remedy: Remedy][] = [
  ['nothing if everything is as wanted', {}, [], 'none'],
  [
    'nothing if no gateway is wanted and none exists',
    { wanted: { database: 'd', gateway: null, openGateway: null }, gateway: undefined },
    [],
    'none',
  ],
  [
    'nothing if the gateway is that of an earlier version of Berth',
    { gateway: serviceOf({ digest: 'open' }) },
    [],
    'none',
  ],
  ['a missing service', { database: undefined, databaseTasks: [] }, [{ reason: 'ServiceMissing' }], 'repair'],
  ['a changed service that runs', { database: serviceOf() }, [{ reason: 'ServiceChanged' }], 'none'],
  [
    'a changed service that does not run',
    { database: serviceOf(), databaseTasks: [] },
    [{ reason: 'ServiceChanged' }, noContainer],
    'repair',
  ],
  [
    'a fenced service whose node is available again',
    { database: serviceOf({ digest: 'fenced', replicas: 0 }), databaseTasks: [] },
    [{ reason: 'ServiceFenced' }, noContainer],
    'repair',
  ],
  [
    'a service that someone scaled to zero',
    { database: serviceOf({ replicas: 0 }), databaseTasks: [] },
    [{ reason: 'ServiceChanged' }, noContainer],
    'repair',
  ],
  [
    'a service of another version of Berth',
    { database: serviceOf({ digest: 'old' }) },
    [{ reason: 'ServiceOutdated' }],
    'none',
  ],
  [
    'a container that is being prepared',
    { databaseTasks: [preparing] },
    [{ reason: 'ContainerNotRunning', state: 'preparing', detail: null }],
    'none',
  ],
  [
    'a container that does not run, with the detail of the engine',
    { databaseTasks: [{ ...preparing, state: 'pending', failure: { reason: 'Other', detail: 'no node' } }] },
    [{ reason: 'ContainerNotRunning', state: 'pending', detail: 'no node' }],
    'none',
  ],
  [
    'a container that is disconnected from the network',
    { isDetached: ({ id }) => id === 'task' },
    [{ reason: 'ContainerDetached' }],
    'reattach',
  ],
  [
    'a gateway that is disconnected from the network',
    { isDetached: ({ id }) => id === 'gateway' },
    [{ reason: 'GatewayDetached' }],
    'recreateGateway',
  ],
  [
    'a container and a gateway that are disconnected from the network',
    { isDetached: () => true },
    [{ reason: 'ContainerDetached' }, { reason: 'GatewayDetached' }],
    'reattach',
  ],
  ['a missing gateway', { gateway: undefined, gatewayTasks: [] }, [{ reason: 'GatewayMissing' }], 'repair'],
  ['a changed gateway', { gateway: serviceOf() }, [{ reason: 'GatewayChanged' }], 'repair'],
  [
    'a gateway of another version of Berth, without a repair that would end its connections',
    { gateway: serviceOf({ digest: 'old' }) },
    [{ reason: 'GatewayOutdated' }],
    'none',
  ],
  [
    'a gateway that does not run',
    { gatewayTasks: [{ ...preparing, failure: { reason: 'PortTaken', detail: 'port' } }] },
    [{ reason: 'GatewayNotRunning', state: 'preparing', detail: 'port' }],
    'none',
  ],
  [
    'a gateway that is no longer wanted',
    { wanted: { database: 'd', gateway: null, openGateway: null } },
    [{ reason: 'GatewayUnwanted' }],
    'repair',
  ],
]

for (const [title, change, drift, remedy] of table) {
  test(`reports ${title}`, () => assert.deepEqual(driftOf({ ...unchanged, ...change }), { drift, remedy }))
}
