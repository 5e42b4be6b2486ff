/** Which names a certificate of a database may have: none of Berth or of another database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf, settingsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds.find(({ isAppNameOptional }) => isAppNameOptional)!
const url = { BERTH_PUBLIC_URL: 'https://berth.example.org', BERTH_NETWORK: 'inside' }

test('refuses the names of another database and of Berth in the certificate of a database', async () => {
  await using testBerth = await startTestBerth(url)
  const clients = databaseClientsOf(testBerth, kind)
  await clients.create({ appName: 'Shop-orders' })
  const own = await clients.create({ appName: 'mine' })
  const taken = ['shop-orders', 'tasks.SHOP-orders', 'shop-orders.inside', 'tasks.shop-orders.inside']
  const reserved = ['berth.example.org', 'BERTH.example.org', '*.example.org']
  const created = { name: 'db', appName: 'other', projectId: testBerth.projectId, ...settingsOf(kind) }
  for (const [code, names] of [['CONFLICT', taken] as const, ['BAD_REQUEST', reserved] as const]) {
    for (const name of names) {
      const tlsNames = ['db.example.org', name]
      const update = { [kind.idField]: own[kind.idField as never], tlsNames }
      const { message } = await testBerth.refused(code, `${kind.name}.update`, update, 'tlsNames')
      assert.ok(message.includes(name))
      await testBerth.refused(code, `${kind.name}.create`, { ...created, tlsNames }, 'tlsNames')
    }
  }
  const allowed = ['mine', 'tasks.mine.inside', 'db.example.org', '*.berth.example.org', '*.db.example.org']
  assert.deepEqual((await clients.ok('update', own, { tlsNames: allowed })).tlsNames, allowed)
})

test('refuses an appName that the certificate of another database has, or that is the host of Berth', async () => {
  await using testBerth = await startTestBerth({ ...url, BERTH_PUBLIC_URL: 'https://berth' })
  const clients = databaseClientsOf(testBerth, kind)
  const tlsNames = ['orders', 'tasks.Billing.inside']
  const own = await clients.create({ appName: 'mine', tlsNames })
  const input = { name: 'db', projectId: testBerth.projectId, ...settingsOf(kind) }
  for (const appName of ['orders', 'billing', 'Berth']) {
    await testBerth.refused('CONFLICT', `${kind.name}.create`, { ...input, appName }, 'appName')
  }
  assert.notEqual((await clients.create({ name: 'orders', appName: '' })).appName, 'orders')
  assert.equal((await clients.ok('update', own, { appName: 'orders' })).appName, 'orders')
})

test('names the address of the node in verified URLs if the public host is that of Berth', async () => {
  await using testBerth = await startTestBerth({ ...url, BERTH_PUBLIC_HOST: 'berth.example.org' })
  const clients = databaseClientsOf(testBerth, kind)
  const database = await clients.createDeployed({ externalPort: 15_432 })
  const connection: Record<string, string | null> = { ...database.connection }
  assert.match(String(connection.externalUrl), /@berth\.example\.org:15432/)
  assert.doesNotMatch(String(connection.verifiedExternalUrl), /berth\.example\.org/)
  assert.match(String(connection.verifiedExternalUrl), /:15432/)
})
