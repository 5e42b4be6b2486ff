/** Who else uses a volume. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf } from '../../test/fixtures/samples.ts'
import type { VolumeContainer, VolumeUse } from '../engine/engine.ts'
import { type StartingService, volumeUseReason, volumeUsers, type VolumeUsers } from './users.ts'

const starting: StartingService = { name: 'orders', owner: { installationId: 'inst', databaseId: 'db1' } }
const labelsOf = (databaseId: string) => ({ 'berth.installation': 'inst', 'berth.database': databaseId })
const own = serviceOf({ id: 'own', name: 'orders', labels: labelsOf('db1') })
const temporary = serviceOf({ id: 'temporary', name: 'berth-source-1', labels: labelsOf('db1') })
const other = serviceOf({ id: 'other', name: 'orders2', labels: labelsOf('db2') })
const foreign = serviceOf({ id: 'foreign', name: 'by-hand', labels: {} })
const containerOf = ({ id, name }: { id: string; name: string }): VolumeContainer => ({
  name: `${name}.1`,
  service: { name, id },
})
const plain: VolumeContainer = { name: 'plain', service: null }
const nobody: VolumeUsers = { services: [], containers: [], ending: [] }

type Use = Partial<VolumeUse>
const starts: [string, Use, Partial<VolumeUsers>][] = [
  ['nobody', {}, {}],
  ['the service itself, which runs', { services: [own], containers: [containerOf(own)] }, {}],
  [
    'the service itself, whose previous container still ends',
    { services: [{ ...own, replicas: 0 }], containers: [containerOf(own)] },
    { ending: ['orders.1'] },
  ],
  ['a removed service of the same name', { containers: [containerOf(own)] }, { ending: ['orders.1'] }],
  [
    'a removed service of the same name, of which a new one exists',
    { services: [own], containers: [containerOf({ ...own, id: 'previous' })] },
    { ending: ['orders.1'] },
  ],
  [
    "another database's service, which runs",
    { services: [other], containers: [containerOf(other)] },
    { services: ['orders2'] },
  ],
  [
    "another database's service, which is stopped",
    { services: [{ ...other, replicas: 0 }] },
    { services: ['orders2'] },
  ],
  [
    "another database's stopped service, whose container still ends",
    { services: [{ ...other, replicas: 0 }], containers: [containerOf(other)] },
    { services: ['orders2'] },
  ],
  ['a temporary server of the same database', { services: [temporary] }, { services: ['berth-source-1'] }],
  ['a stopped temporary server of the same database', { services: [{ ...temporary, replicas: 0 }] }, {}],
  ["somebody else's service", { services: [{ ...foreign, replicas: 0 }] }, { services: ['by-hand'] }],
  ["somebody else's container", { services: [own], containers: [plain] }, { containers: ['plain'] }],
  [
    'several users',
    { services: [own, other, foreign], containers: [containerOf(other), plain] },
    { services: ['orders2', 'by-hand'], containers: ['plain'] },
  ],
]
for (const [title, use, expected] of starts) {
  test(`before a start, finds the use of a volume by ${title}`, () => {
    const found = volumeUsers({ services: [], containers: [], ...use }, starting)
    assert.deepEqual(found, { ...nobody, ...expected })
  })
}

const removals: [string, Use, Partial<VolumeUsers>][] = [
  ['nobody', {}, {}],
  ['a service that runs', { services: [own], containers: [containerOf(own)] }, { services: ['orders'] }],
  ['a stopped service', { services: [{ ...own, replicas: 0 }] }, { services: ['orders'] }],
  ['a removed service', { containers: [containerOf(own)] }, { ending: ['orders.1'] }],
  ["somebody else's container", { containers: [plain] }, { containers: ['plain'] }],
]
for (const [title, use, expected] of removals) {
  test(`before a removal, finds the use of a volume by ${title}`, () => {
    const found = volumeUsers({ services: [], containers: [], ...use }, null)
    assert.deepEqual(found, { ...nobody, ...expected })
  })
}

test('gives a reason that names the volume, the starting service and all users', () => {
  const users = { services: ['orders2'], containers: ['plain'] }
  assert.deepEqual(volumeUseReason('v', 'orders', users), {
    reason: 'VolumeInUse',
    volume: 'v',
    service: 'orders',
    ...users,
  })
  assert.equal(volumeUseReason('v', null, nobody), null)
})
