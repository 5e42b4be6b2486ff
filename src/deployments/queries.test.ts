/** Queries on deployments. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { toJson } from '../lib/json.ts'
import { openStore } from '../store/sqlite/open.ts'
import * as deployments from './queries.ts'
import type { DeploymentReason } from './reason.ts'

const end = new AsyncDisposableStack()
const store = await openStore(folderUnder(end))
end.defer(() => store.close())
after(() => end.disposeAsync())

const [first, later] = [new Date('2030-01-01T00:00:00.000Z'), new Date('2030-01-01T00:01:00.000Z')]
const subject = deployments.databaseSubject({ id: 'd', kind: 'redis', appName: 'cache' })
const rows = () => store.db.selectFrom('deployment').selectAll().orderBy('id').execute()

beforeEach(() =>
  store.transact(async (tx) => {
    await deployments.deleteEndedBefore(tx, new Date('2040-01-01'))
    await deployments.begin(tx, { id: '1', action: 'deploy', subject }, first)
  }),
)

const begun = {
  id: '1',
  subjectKind: 'database',
  subjectId: 'd',
  databaseId: 'd',
  kind: 'redis',
  appName: 'cache',
  action: 'deploy',
  state: 'running',
  phase: 'apply',
  reason: null,
  startedAt: first.toISOString(),
  phaseAt: first.toISOString(),
  finishedAt: null,
}

const reason: DeploymentReason = { reason: 'NoNodeReady' }
const at = later.toISOString()
type Change = Parameters<typeof store.transact<void>>[0]
const changes: [name: string, change: Change, expected: object][] = [
  ['begin', async () => undefined, {}],
  [
    'finish',
    (tx) => deployments.finish(tx, '1', 'error', reason, later),
    { state: 'error', reason: toJson(reason), finishedAt: at },
  ],
  ['supersede', (tx) => deployments.supersede(tx, '1', later), { state: 'superseded', finishedAt: at }],
  [
    'enterPhase',
    (tx) => deployments.enterPhase(tx, '1', 'rollback', reason, later),
    { phase: 'rollback', reason: toJson(reason), phaseAt: at },
  ],
  ['restartPhase', (tx) => deployments.restartPhase(tx, '1', undefined, later), { phaseAt: at }],
  ['recordReason', (tx) => deployments.recordReason(tx, '1', reason), { reason: toJson(reason) }],
  [
    'movePhases after the clock was set forward',
    (tx) => deployments.movePhases(tx, later.getTime(), 60_000),
    { phaseAt: at },
  ],
  [
    'movePhases for a phase that began after the clock was set',
    (tx) => deployments.movePhases(tx, first.getTime(), 60_000),
    {},
  ],
  ['deleteEndedBefore for a running deployment', (tx) => deployments.deleteEndedBefore(tx, new Date('2040-01-01')), {}],
]

for (const [name, change, expected] of changes) {
  test(`stores the expected row after ${name}`, async () => {
    await store.transact(change)
    assert.deepEqual(await rows(), [{ ...begun, ...expected }])
    await store.transact((tx) => deployments.finish(tx, '1', 'done', undefined, later))
  })
}

test('does not change a deployment that has ended', async () => {
  await store.transact((tx) => deployments.finish(tx, '1', 'done', { reason: 'NothingToCollect' }, later))
  const ended = await rows()
  for (const [, change] of changes.slice(1, -1)) await store.transact(change)
  assert.deepEqual(await rows(), ended)
})

test('keeps the recorded reason if the deployment ends without one', async () => {
  await store.transact((tx) => deployments.recordReason(tx, '1', reason))
  await store.transact((tx) => deployments.finish(tx, '1', 'done', undefined, later))
  assert.equal((await deployments.get(store.db, '1')).reason, toJson(reason))
})

test('returns the newest deployment of a subject, and deployments by id', async () => {
  await store.transact(async (tx) => {
    const other = { ...subject, kind: 'volume' as const }
    await deployments.recordEnded(tx, { id: '2', action: 'restart', subject, reason }, first, later)
    await deployments.recordEnded(tx, { id: '3', action: 'removeVolume', subject: other }, first, later)
    await deployments.finish(tx, '1', 'done', null, later)
  })
  const last = await deployments.lastOf(store.db, 'database', 'd')
  const expected = { id: '2', action: 'restart', state: 'done', reason: toJson(reason), finishedAt: at }
  assert.deepEqual(last, { ...begun, ...expected })
  assert.equal(await deployments.lastOf(store.db, 'node', 'd'), null)
  assert.deepEqual([...(await deployments.byId(store.db, ['1', '2', 'none'])).keys()].sort(), ['1', '2'])
  assert.equal(await deployments.find(store.db, null), null)
})

test('a volume as subject names its last database, and other subjects name none', async () => {
  const volume = deployments.volumeSubject({ id: 'v', kind: 'redis', appName: 'cache', databaseId: 'd' })
  await store.transact(async (tx) => {
    await deployments.begin(tx, { id: '2', action: 'removeVolume', subject: volume }, first)
    const node = { kind: 'node', id: 'n', type: 'node', name: 'web-1' } as const
    await deployments.begin(tx, { id: '3', action: 'removeNode', subject: node }, first)
  })
  assert.deepEqual(
    (await rows()).map(({ subjectId, databaseId }) => [subjectId, databaseId]),
    [
      ['d', 'd'],
      ['v', 'd'],
      ['n', null],
    ],
  )
})
