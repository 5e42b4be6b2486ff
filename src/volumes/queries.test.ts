/** Queries on volumes. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { openStore } from '../store/sqlite/open.ts'
import * as volumes from './queries.ts'
import type { VolumeTable } from './table.ts'

const end = new AsyncDisposableStack()
const store = await openStore(folderUnder(end))
end.defer(() => store.close())
after(() => end.disposeAsync())

const now = new Date('2030-01-01T00:00:00.000Z')
const at = now.toISOString()
const volume: VolumeTable = {
  ...volumes.newVolume(
    'v',
    {
      kind: 'redis',
      ownerKind: 'database',
      ownerId: 'd',
      dataPath: '/data',
      nodeId: 'n',
      nodeName: 'n',
      nodeAddress: 'a',
      appName: 'cache',
      dockerImage: 'redis:8',
      settings: '{}',
      secrets: 'sealed',
    },
    now,
  ),
  serverVersion: '8',
  startSecrets: 'sealed too',
  identity: 'mark',
  fault: 'DataReplaced',
}

beforeEach(() =>
  store.transact(async (tx) => {
    await volumes.drop(tx, 'v')
    await volumes.insert(tx, volume)
  }),
)

const proof = {
  settings: '{"a":1}',
  secrets: 's2',
  startSecrets: 's1',
  serverVersion: '9',
  dataPath: '/d',
  dockerImage: 'i',
  appName: 'b',
}
type Change = Parameters<typeof store.transact<void>>[0]
const changes: [name: string, change: Change, expected: Partial<VolumeTable>][] = [
  ['insert', async () => undefined, {}],
  ['keep', (tx) => volumes.keep(tx, 'v', now), { state: 'kept', ownerId: null, keptAt: at }],
  [
    'keep and attach',
    async (tx) => {
      await volumes.keep(tx, 'v', now)
      await volumes.attach(tx, 'v', { ownerKind: 'database', ownerId: 'e', appName: 'other' })
    },
    { ownerId: 'e', appName: 'other', generation: 2 },
  ],
  [
    'beginRemoval',
    (tx) => volumes.beginRemoval(tx, volume, '1', now),
    { state: 'removing', ownerId: null, deploymentId: '1' },
  ],
  [
    'a failed removal',
    async (tx) => {
      await volumes.beginRemoval(tx, volume, '2', now)
      await volumes.keepAfterFailedRemoval(tx, 'v')
    },
    { state: 'kept', ownerId: null },
  ],
  ['setFault', (tx) => volumes.setFault(tx, 'v', 'VolumeMissing'), { fault: 'VolumeMissing' }],
  [
    'acceptNewData',
    (tx) => volumes.acceptNewData(tx, 'v'),
    { identity: null, serverVersion: null, startSecrets: null, fault: null },
  ],
  ['recordTried', (tx) => volumes.recordTried(tx, 'v', 'sealed'), { tried: 'sealed' }],
  [
    'recordTried and recordProof',
    async (tx) => {
      await volumes.recordTried(tx, 'v', 'sealed')
      await volumes.recordProof(tx, 'v', { ...proof, identity: 'next' })
    },
    { ...proof, identity: 'next', fault: null },
  ],
]

for (const [name, change, expected] of changes) {
  test(`stores the expected row after ${name}`, async () => {
    await store.transact(change)
    assert.deepEqual(await volumes.get(store.db, 'v'), { ...volume, ...expected })
  })
}

test('records a removal as a deployment whose subject is the volume', async () => {
  await store.transact((tx) => volumes.beginRemoval(tx, volume, '3', now))
  const row = await store.db.selectFrom('deployment').selectAll().where('id', '=', '3').executeTakeFirstOrThrow()
  const { subjectKind, subjectId, action, state } = row
  assert.deepEqual([subjectKind, subjectId, action, state], ['volume', 'v', 'removeVolume', 'running'])
})

test('returns the most recently kept volume of an owner kind on a node', async () => {
  const insertKept = async (id: string, columns: Partial<VolumeTable>, minute: number) =>
    store.transact(async (tx) => {
      await volumes.insert(tx, { ...volume, id, name: id, ownerKind: 'registry', ...columns })
      await volumes.keep(tx, id, new Date(now.getTime() + minute * 60_000))
    })
  await insertKept('first', {}, 1)
  await insertKept('last', {}, 2)
  await insertKept('on another node', { nodeId: 'm' }, 3)
  await insertKept('of a database', { ownerKind: 'database' }, 4)
  assert.equal((await volumes.lastKept(store.db, 'registry', 'n'))?.id, 'last')
  assert.equal(await volumes.lastKept(store.db, 'registry', 'gone'), null)
  assert.equal(await volumes.find(store.db, null), null)
})
