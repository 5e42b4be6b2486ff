/** Housekeeping deletes expired records and no others. A second turn changes nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import { insertAccount } from '../accounts/accounts.ts'
import { insertRun } from '../backups/run-queries.ts'
import type { BackupRunTable } from '../backups/table.ts'
import { openStore, type Store } from '../store/sqlite/open.ts'
import { housekeep } from './housekeeping.ts'

const hour = 3600_000
const day = 24 * hour
const now = new Date('2030-06-01T00:00:00.000Z')
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString()

const end = new AsyncDisposableStack()
const folder = folderUnder(end)
let store: Store
before(async () => {
  store = await openStore(folder)
  await store.transact(async (tx) => {
    for (const id of ['ada', 'eve']) {
      await insertAccount(tx, { id, email: id, passwordHash: '', rol: 'user' }, new Date())
    }
  })
})
end.defer(() => store.close())
after(() => end.disposeAsync())

/**
 * Adds a session that expires in `leftMs` (negative: it has expired), or an API token if `leftMs` is null. It was last
 * used `unusedMs` ago.
 */
async function addToken(id: string, accountId: string, unusedMs: number, leftMs: number | null) {
  const expiresAt = leftMs === null ? null : ago(-leftMs)
  const kind = leftMs === null ? ('api' as const) : ('session' as const)
  const row = {
    id,
    hash: id,
    kind,
    accountId,
    createdAt: ago(400 * day),
    lastUsedAt: ago(unusedMs),
    expiresAt,
    address: '',
    name: null,
    scope: null,
    passed2FA: 0,
    attempts: 0,
  } as const
  await store.transact((tx) => tx.insertInto('token').values(row).execute())
}

async function turn() {
  await housekeep(store.transact, now)
}

async function idsOf(table: 'token' | 'deployment') {
  return (await store.db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)
}

async function keysOf(table: 'attempt' | 'idempotency') {
  return (await store.db.selectFrom(table).select('key').execute()).map(({ key }) => key)
}

test('keeps the 20 most recently used ended sessions of each account, and valid tokens', async () => {
  for (let i = 10; i < 40; i++) await addToken(`ada ended ${i}`, 'ada', i * day, (i - 20) * day)
  await addToken('ada live', 'ada', 6 * day, 1)
  await addToken('ada used long ago', 'ada', 365 * day, null)
  await addToken('eve ended', 'eve', 365 * day, -300 * day)
  const kept = Array.from({ length: 20 }, (_, i) => `ada ended ${10 + i}`)
  for (let i = 0; i < 2; i++) {
    await turn()
    assert.deepEqual(await idsOf('token'), [...kept, 'ada live', 'ada used long ago', 'eve ended'])
  }
})

test('deletes failed attempts one hour after the last one', async () => {
  for (const ageMs of [hour - 1, hour + 1]) {
    const row = { key: String(ageMs), failures: 12, blockedUntil: ago(0), updatedAt: ago(ageMs) }
    await store.transact((tx) => tx.insertInto('attempt').values(row).execute())
  }
  await turn()
  assert.deepEqual(await keysOf('attempt'), [String(hour - 1)])
})

test('deletes a stored response to an Idempotency-Key 24 hours after the request', async () => {
  for (const key of [day - 1, day + 1]) {
    const row = {
      key: String(key),
      accountId: 'ada',
      operation: 'project.create',
      bodyHash: '',
      answer: '',
      deploymentIds: '',
      createdAt: ago(key),
    }
    await store.transact((tx) => tx.insertInto('idempotency').values(row).execute())
  }
  await turn()
  assert.deepEqual(await keysOf('idempotency'), [String(day - 1)])
})

const deployments: [id: string, state: DeploymentTable['state'], finishedAt: string | null][] = [
  ['done 89 days ago', 'done', ago(89 * day)],
  ['done 91 days ago', 'done', ago(91 * day)],
  ['failed 91 days ago', 'error', ago(91 * day)],
  ['superseded 91 days ago', 'superseded', ago(91 * day)],
  ['running for 91 days', 'running', null],
]
test('deletes ended deployments after 90 days and keeps running deployments', async () => {
  for (const [id, state, finishedAt] of deployments) {
    const row = {
      id,
      subjectKind: 'database' as const,
      subjectId: 'x',
      action: 'deploy' as const,
      state,
      phase: 'apply' as const,
      reason: null,
    }
    const times = { startedAt: ago(91 * day), phaseAt: ago(91 * day), finishedAt }
    await store.transact((tx) =>
      tx
        .insertInto('deployment')
        .values({ ...row, ...times })
        .execute(),
    )
  }
  await turn()
  assert.deepEqual(await idsOf('deployment'), ['done 89 days ago', 'running for 91 days'])
})

test('deletes backup runs after 400 days, except open runs and runs whose dump exists', async () => {
  const columns = {
    backupId: 'b',
    trigger: 'manual',
    kind: 'postgres',
    databaseId: 'd',
    database: 'shop',
    destinationId: 'd',
    status: 'done',
  } as const
  const add = (id: string, changes: Partial<BackupRunTable>) =>
    store.transact((tx) =>
      insertRun(tx, { ...columns, id, action: 'dump', finishedAt: ago(401 * day), ...changes }, now),
    )
  await add('deleted dump', {})
  await add('dump that exists', { key: 'k', manifest: '{}' })
  await add('drill', { action: 'verify' })
  await add('old restore', { action: 'restore', key: 'k' })
  await add('skipped', { status: 'skipped' })
  await add('still open', { status: 'running', finishedAt: null })
  await add('young', { finishedAt: ago(399 * day) })
  for (const _ of [1, 2]) {
    await turn()
    const rows = await store.db.selectFrom('backupRun').select(['id', 'manifest']).orderBy('id').execute()
    assert.deepEqual(
      rows.map(({ id, manifest }) => [id, manifest]),
      [
        ['dump that exists', '{}'],
        ['still open', null],
        ['young', null],
      ],
    )
  }
})
