import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf, taskOf } from '../../../test/fixtures/samples.ts'
import type { Drift } from '../status.ts'
import { driftOf, type Remedy, type DriftInput } from './drift.ts'

const gatewayTask = taskOf({ id: 'gateway', containerId: 'gateway container' })
const unchanged: DriftInput = {
  wanted: { database: 'd', gateway: 'g' },
  database: serviceOf({ digest: 'd' }),
  gateway: serviceOf({ digest: 'g' }),
  databaseTasks: [taskOf()],
  gatewayTasks: [gatewayTask],
  isDetached: () => false,
}
const failed = taskOf({ state: 'preparing' })

const noContainer: Drift = { reason: 'ContainerNotRunning', state: null, detail: null }

const table: [title: string, change: Partial<DriftInput>, drift: Drift[], remedy: Remedy][] = [
  ['everything is as wanted', {}, [], 'none'],
  ['no port wanted, and no gateway', { wanted: { database: 'd', gateway: null }, gateway: undefined }, [], 'none'],
  ['the service is missing', { database: undefined, databaseTasks: [] }, [{ reason: 'ServiceMissing' }], 'repair'],
  ['the service was changed, and runs', { database: serviceOf() }, [{ reason: 'ServiceChanged' }], 'none'],
  [
    'the service was changed, and does not run',
    { database: serviceOf(), databaseTasks: [] },
    [{ reason: 'ServiceChanged' }, noContainer],
    'repair',
  ],
  [
    'the service is fenced, for its node was away',
    { database: serviceOf({ digest: 'held', replicas: 0 }), databaseTasks: [] },
    [{ reason: 'ServiceFenced' }, noContainer],
    'repair',
  ],
  [
    'the service was stopped by someone else',
    { database: serviceOf({ replicas: 0 }), databaseTasks: [] },
    [{ reason: 'ServiceChanged' }, noContainer],
    'repair',
  ],
  [
    'the service is of another version',
    { database: serviceOf({ digest: 'old' }) },
    [{ reason: 'ServiceOutdated' }],
    'none',
  ],
  [
    'the container is on its way',
    { databaseTasks: [failed] },
    [{ reason: 'ContainerNotRunning', state: 'preparing', detail: null }],
    'none',
  ],
  [
    'the engine says why',
    { databaseTasks: [{ ...failed, state: 'pending', failure: { reason: 'Other', detail: 'no node' } }] },
    [{ reason: 'ContainerNotRunning', state: 'pending', detail: 'no node' }],
    'none',
  ],
  [
    'the container is off the network',
    { isDetached: ({ id }) => id === 'task' },
    [{ reason: 'ContainerDetached' }],
    'reattach',
  ],
  [
    'the gateway is off the network',
    { isDetached: ({ id }) => id === 'gateway' },
    [{ reason: 'GatewayDetached' }],
    'recreateGateway',
  ],
  [
    'both are off the network',
    { isDetached: () => true },
    [{ reason: 'ContainerDetached' }, { reason: 'GatewayDetached' }],
    'reattach',
  ],
  ['the gateway is missing', { gateway: undefined, gatewayTasks: [] }, [{ reason: 'GatewayMissing' }], 'repair'],
  ['the gateway was changed', { gateway: serviceOf() }, [{ reason: 'GatewayChanged' }], 'repair'],
  [
    'the gateway is of another version: it holds connections',
    { gateway: serviceOf({ digest: 'old' }) },
    [{ reason: 'GatewayOutdated' }],
    'none',
  ],
  [
    'the gateway does not run',
    { gatewayTasks: [{ ...failed, failure: { reason: 'PortTaken', detail: 'port' } }] },
    [{ reason: 'GatewayNotRunning', state: 'preparing', detail: 'port' }],
    'none',
  ],
  [
    'a gateway that is wanted no longer',
    { wanted: { database: 'd', gateway: null } },
    [{ reason: 'GatewayUnwanted' }],
    'repair',
  ],
]

for (const [title, change, drift, remedy] of table) {
  test(`drift: ${title}`, () => assert.deepEqual(driftOf({ ...unchanged, ...change }), { drift, remedy }))
}
