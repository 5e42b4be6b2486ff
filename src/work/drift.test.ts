import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf, taskOf } from '../../test/samples.ts'
import { driftOf, type Remedy, type Sighted } from './drift.ts'

const gatewayTask = taskOf({ id: 'gateway', containerId: 'gateway container' })
const calm: Sighted = {
  wanted: { database: 'd', gateway: 'g' },
  database: serviceOf({ digest: 'd' }),
  gateway: serviceOf({ digest: 'g' }),
  databaseTasks: [taskOf()],
  gatewayTasks: [gatewayTask],
  isDetached: () => false,
}
const failed = taskOf({ state: 'preparing' })

const table: [what: string, change: Partial<Sighted>, sentences: RegExp[], remedy: Remedy][] = [
  ['all as it is to be', {}, [], 'none'],
  ['no port wanted, and no gateway', { wanted: { database: 'd', gateway: null }, gateway: undefined }, [], 'none'],
  ['the service is gone', { database: undefined, databaseTasks: [] }, [/^Its service is gone/], 'repair'],
  ['the service was changed, and runs', { database: serviceOf() }, [/changed behind Berth's back. Deploy/], 'none'],
  [
    'the service was changed, and does not run',
    { database: serviceOf(), databaseTasks: [] },
    [/changed behind/, /container does not run: there is none/],
    'repair',
  ],
  [
    'the service is held, for its node was away',
    { database: serviceOf({ digest: 'held', replicas: 0 }), databaseTasks: [] },
    [/^Its service was stopped while its node was away/, /does not run: there is none/],
    'repair',
  ],
  [
    'the service was stopped by someone else',
    { database: serviceOf({ replicas: 0 }), databaseTasks: [] },
    [/changed behind/, /does not run: there is none/],
    'repair',
  ],
  ['the service is of another version', { database: serviceOf({ digest: 'old' }) }, [/another version/], 'none'],
  ['the container is on its way', { databaseTasks: [failed] }, [/does not run: preparing$/], 'none'],
  [
    'the engine says why',
    { databaseTasks: [{ ...failed, state: 'pending', failure: { reason: 'Other', detail: 'no node' } }] },
    [/does not run: pending \(no node\)$/],
    'none',
  ],
  ['the container is off the network', { isDetached: ({ id }) => id === 'task' }, [/off the network/], 'reattach'],
  [
    'the gateway is off the network',
    { isDetached: ({ id }) => id === 'gateway' },
    [/^The gateway .* off the network/],
    'remakeGateway',
  ],
  ['both are off the network', { isDetached: () => true }, [/^Its container/, /^The gateway/], 'reattach'],
  ['the gateway is gone', { gateway: undefined, gatewayTasks: [] }, [/^The gateway .* is gone/], 'repair'],
  ['the gateway was changed', { gateway: serviceOf() }, [/^The gateway .* was changed/], 'repair'],
  [
    'the gateway is of another version: it holds connections',
    { gateway: serviceOf({ digest: 'old' }) },
    [/^The gateway .* another version/],
    'none',
  ],
  [
    'the gateway does not run',
    { gatewayTasks: [{ ...failed, failure: { reason: 'PortTaken', detail: 'port' } }] },
    [/not run: preparing \(port\)/],
    'none',
  ],
  ['a gateway that is wanted no longer', { wanted: { database: 'd', gateway: null } }, [/is to be closed/], 'repair'],
]

for (const [what, change, sentences, remedy] of table) {
  test(`drift: ${what}`, () => {
    const drift = driftOf({ ...calm, ...change })
    assert.equal(drift.remedy, remedy)
    assert.equal(drift.sentences.length, sentences.length, drift.sentences.join())
    for (const [at, pattern] of sentences.entries()) assert.match(drift.sentences[at]!, pattern)
  })
}
