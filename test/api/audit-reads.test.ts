/** Reads that reveal a secret are recorded in the audit log before they are answered. Other reads are not recorded. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { databaseClientsOf, sampleKind } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const entries = async (testBerth: TestBerth) =>
  (await testBerth.app.db.selectFrom('audit').selectAll().orderBy('seq').execute()).map(
    ({ operation, record, result, email }) => ({ operation, record, result, email }),
  )

/** The entries that `work` adds to the log. */
async function added(testBerth: TestBerth, work: () => Promise<unknown>) {
  const before = (await entries(testBerth)).length
  await work()
  return (await entries(testBerth)).slice(before)
}

const tokenOf = async (testBerth: TestBerth, scope: string) =>
  (await testBerth.ok<{ token: string }>('auth.createToken', { name: scope, scope })).token

describe('passwords of databases', () => readTests(sampleKind))
for (const kind of kinds) maskTests(kind)

function readTests(kind: Kind): void {
  test('records reads once for each token and service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [first, second] = [
      databaseClients.idOf(await databaseClients.create()),
      databaseClients.idOf(await databaseClients.create()),
    ]
    const one = (id: string, as = testBerth.admin) => testBerth.ok(`${kind.name}.one`, { [kind.idField]: id }, {}, as)
    const entry = { operation: `${kind.name}.one`, result: 'OK' }
    const reads = await added(testBerth, async () => {
      for (const id of [first, first, second, first]) await one(id)
      await one(first, testBerth.user)
    })
    assert.deepEqual(
      reads.map(({ email, ...rest }) => rest),
      [
        { ...entry, record: first },
        { ...entry, record: second },
        { ...entry, record: first },
      ],
    )
    assert.notEqual(reads[2]!.email, reads[0]!.email)
    const masked = { read: await tokenOf(testBerth, 'read'), deploy: await tokenOf(testBerth, 'deploy') }
    const unmasked = await tokenOf(testBerth, 'admin')
    assert.deepEqual(await added(testBerth, () => one(first, masked.read)), [])
    assert.deepEqual(await added(testBerth, () => one(first, masked.deploy)), [])
    assert.equal((await added(testBerth, () => one(first, unmasked))).length, 1)
  })
}

function maskTests(kind: Kind): void {
  test(`masks the passwords of ${kind.name} and records nothing if the caller does not need them`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const input = { [kind.idField]: databaseClients.idOf(await databaseClients.create()) }
    const name = `${kind.name}.one`
    const read = (masked: string) => testBerth.call(name, { ...input, masked })
    const [masked, entry] = [await read('true'), await added(testBerth, () => read('true'))]
    assert.deepEqual(entry, [])
    const revealed = await read('false')
    for (const secret of kind.secrets) {
      assert.equal(masked.body[secret], '********')
      assert.notEqual(revealed.body[secret], '********')
    }
    assert.ok(revealed.headers.etag !== undefined)
    assert.equal(masked.headers.etag, revealed.headers.etag)
    await testBerth.refused('BAD_REQUEST', name, { ...input, masked: 'yes' }, 'masked')
  })
}

describe('join tokens', () => {
  test('records reads of join tokens, but not refused reads or reads without secrets', async () => {
    await using testBerth = await startTestBerth()
    const names = ['cluster.addWorker', 'cluster.addManager']
    const reads = await added(testBerth, async () => {
      for (const name of names) await testBerth.ok(name)
    })
    assert.deepEqual(
      reads.map(({ operation }) => operation),
      names,
    )
    const others = await added(testBerth, async () => {
      for (const name of ['cluster.getNodes', 'project.all', 'volume.all', 'auth.get']) await testBerth.ok(name)
      assert.equal((await testBerth.call('cluster.addWorker', {}, {}, testBerth.user)).status, 403)
    })
    assert.deepEqual(others, [])
  })

  test('does not record a failed read, and does not answer a read that cannot be recorded', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.setDown(true)
    assert.deepEqual(
      await added(testBerth, async () => {
        assert.equal((await testBerth.call('cluster.addWorker')).status, 503)
      }),
      [],
    )
    testBerth.engine.setDown(false)
    using store = new DatabaseSync(join(testBerth.folder, 'berth.db'))
    store.exec('alter table audit rename to hidden')
    assert.equal((await testBerth.call('cluster.addWorker')).status, 500)
    store.exec('alter table hidden rename to audit')
    assert.equal((await added(testBerth, () => testBerth.ok('cluster.addWorker'))).length, 1)
  })
})
