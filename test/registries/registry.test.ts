/** The operations on registries: records, refusals, access and the audit log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import {
  appNameFor,
  databaseClientsOf,
  resolved,
  fakeDatabaseServer,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { credentialsFrom } from '../../src/registries/credentials.ts'
import { basicAuth, mask, password, startRegistryTest, unknownId, type Registry } from './registry-fixture.ts'

test('creates, reads, lists, updates and removes registries, with a masked password in each answer', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, fields, create, read, update, storedPassword } = registryTest
  const { id: adminId } = await testBerth.app.db
    .selectFrom('account')
    .select('id')
    .where('rol', '=', 'admin')
    .executeTakeFirstOrThrow()
  const created = await create()
  const { registryId, createdAt } = created
  const expected = {
    ...fields,
    password: mask,
    host: registry.host,
    insecure: false,
    registryId,
    adminId,
    createdAt,
    server: null,
  }
  assert.deepEqual(created, expected)
  const other = await create({ registryName: 'theirs', imagePrefix: 'b', registryUrl: `http://${registry.host}/v2/` })
  assert.deepEqual([other.imagePrefix, other.host], ['b', registry.host])
  assert.deepEqual([await read(registryId), await storedPassword(created)], [created, password])
  assert.deepEqual(await testBerth.ok('registry.all'), [created, other])
  const page = await testBerth.call('registry.all', { limit: 1 })
  assert.deepEqual([page.body, page.headers['berth-next-cursor']], [[created], registryId])
  assert.deepEqual(await testBerth.ok('registry.all', { cursor: registryId }), [other])
  const { host: _, server: __, ...sent } = created
  const changed = await update(created, { ...sent, registryName: 'mine', imagePrefix: null, insecure: true })
  assert.deepEqual(changed, { ...created, registryName: 'mine', imagePrefix: null, insecure: true })
  assert.deepEqual([await read(registryId), await storedPassword(created)], [changed, password])
  assert.deepEqual(await testBerth.ok('registry.remove', { registryId }), { ...changed, note: null })
  assert.deepEqual(await testBerth.ok('registry.all'), [other])
  for (const name of ['one', 'remove', 'update', 'testRegistry']) {
    assert.equal((await testBerth.call(`registry.${name}`, { ...fields, registryId })).status, 404, name)
  }
})

test('refuses to change createdAt, and refuses an adminId that is not an administrator', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, create, update } = registryTest
  const created = await create()
  const { registryId, createdAt, adminId } = created
  assert.deepEqual(await update(created, { createdAt, adminId }), created)
  const other = { registryId, createdAt: '2020-01-01T00:00:00.000Z' }
  await testBerth.refused('BAD_REQUEST', 'registry.update', other, 'createdAt')
  const { id: userId } = await testBerth.app.db
    .selectFrom('account')
    .select('id')
    .where('rol', '=', 'user')
    .executeTakeFirstOrThrow()
  for (const id of [userId, unknownId]) {
    await testBerth.refused('NOT_FOUND', 'registry.update', { registryId, adminId: id }, 'adminId')
  }
})

const invalidValues: Record<string, unknown[]> = {
  registryName: ['', 'a\nb', 'x'.repeat(256)],
  username: ['', 'a:b', 'a\nb', 'x'.repeat(256)],
  password: ['', 'a\u0000b', '\n', 'x'.repeat(10_001)],
  registryUrl: ['ftp://host', 'https://', 'a b', 'https://user:pw@host', 'host/path', 'host:0', 'x'.repeat(301)],
  registryType: ['', 'other'],
  imagePrefix: ['Upper', '/a', 'a/', 'a//b', 'a b', 'x'.repeat(201)],
  insecure: ['true', 1, null],
}

test('refuses each invalid field before a login', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, fields, create } = registryTest
  const { registryId } = await create()
  const loginsBefore = registry.authorizations.length
  for (const [field, values] of Object.entries(invalidValues)) {
    for (const value of values) {
      for (const name of ['create', 'update', 'testRegistry']) {
        await testBerth.refused('BAD_REQUEST', `registry.${name}`, { ...fields, registryId, [field]: value }, field)
      }
    }
  }
  for (const registryUrl of ['', ' ']) {
    const selfHosted = { ...fields, registryType: 'selfHosted', registryUrl }
    await testBerth.refused('BAD_REQUEST', 'registry.create', selfHosted, 'registryUrl')
    await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', selfHosted, 'registryUrl')
  }
  assert.equal(registry.authorizations.length, loginsBefore)
})

test('allows a user to read registries but not to change them', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, fields, create, read } = registryTest
  const created = await create()
  const { registryId } = created
  const loginsBefore = registry.authorizations.length
  assert.deepEqual((await testBerth.call('registry.all', {}, {}, testBerth.user)).body, [created])
  assert.deepEqual((await testBerth.call('registry.one', { registryId }, {}, testBerth.user)).body, created)
  for (const name of ['create', 'update', 'remove', 'testRegistry']) {
    assert.equal(
      (await testBerth.call(`registry.${name}`, { ...created, ...fields }, {}, testBerth.user)).status,
      403,
      name,
    )
  }
  assert.deepEqual([await read(registryId), registry.authorizations.length], [created, loginsBefore])
})

test('refuses to remove a registry whose images services use, unless forced', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, create } = registryTest
  const kind = kinds[0]!
  const databaseClients = databaseClientsOf(testBerth, kind)
  fakeDatabaseServer(testBerth, kind, [settingsOf(kind)])
  const { registryId } = await create()
  const image = `${registry.host}/team/${resolved(kind.defaultImage)}`
  const running = await databaseClients.createDeployed({ dockerImage: image, appName: 'runs' })
  await databaseClients.ok('update', running, { dockerImage: kind.defaultImage })
  await databaseClients.create({ dockerImage: image, appName: 'waits' })
  const sibling = await create({ imagePrefix: 'other' })
  const { message } = await testBerth.refused('CONFLICT', 'registry.remove', { registryId })
  await testBerth.ok('registry.remove', { registryId: sibling.registryId })
  assert.match(message, /use images of this registry: runs, waits\./)
  const second = await create({ registryUrl: `http://${registry.host}`, imagePrefix: null })
  await testBerth.ok('registry.remove', { registryId })
  await testBerth.refused('CONFLICT', 'registry.remove', { registryId: second.registryId })
  await testBerth.ok('registry.remove', { registryId: second.registryId, force: true })
  assert.deepEqual(await testBerth.ok('registry.all'), [])
  const hub = await create()
  await testBerth.app.transact((tx) => tx.updateTable('registry').set({ registryUrl: '' }).execute())
  await databaseClients.create({ appName: appNameFor(kind) })
  assert.equal((await testBerth.ok('registry.remove', hub)).host, 'docker.io')
})

test('accepts a file as a password, and sends it unchanged', async () => {
  const key = JSON.stringify({ type: 'service_account', private_key: 'x'.repeat(2300) }, null, 2)
  await using registryTest = await startRegistryTest({ _json_key: key })
  const created = await registryTest.create({ username: '_json_key', password: key })
  assert.equal(await registryTest.storedPassword(created), key)
  assert.equal(registryTest.registry.authorizations.at(-1), basicAuth('_json_key', key))
})

test('refuses the address of a group of images, and names its host and prefix', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, fields } = registryTest
  const cases: [registryUrl: string, expected: RegExp][] = [
    ['registry.gitlab.com/acme/shop', /registryUrl is the host registry\.gitlab\.com, and imagePrefix is acme\/shop$/],
    ['https://ghcr.io/acme/', /registryUrl is the host https:\/\/ghcr\.io, and imagePrefix is acme$/],
    ['https://index.docker.io/v1/acme', /registryUrl is empty for Docker Hub, and imagePrefix is acme$/],
    ['ghcr.io/UPPER', /must be a host like/],
  ]
  for (const [registryUrl, expected] of cases) {
    const body = await testBerth.refused('BAD_REQUEST', 'registry.create', { ...fields, registryUrl }, 'registryUrl')
    assert.match(body.message, expected)
  }
})

test('refuses a second registry with the same host and prefix, and takes the longest prefix of an image', async () => {
  await using registryTest = await startRegistryTest({ carl: 'of-carl', dora: 'of-dora' })
  const { testBerth, registry, fields, create } = registryTest
  await create()
  const again = { ...fields, registryUrl: `http://${registry.host}` }
  assert.match((await testBerth.refused('CONFLICT', 'registry.create', again)).message, /ours has the same host.*team/)
  await create({ imagePrefix: 'team/shop', username: 'carl', password: 'of-carl' })
  const all = await create({ imagePrefix: '', username: 'dora', password: 'of-dora' })
  const input = { registryId: all.registryId, imagePrefix: 'team' }
  await testBerth.refused('CONFLICT', 'registry.update', input)
  const credentialsFor = credentialsFrom(testBerth.app.db, testBerth.app.vault)
  for (const [path, username] of [
    ['team/redis:8', 'ann'],
    ['team/shop/redis:8', 'carl'],
    ['team/shop', 'carl'],
    ['teams/redis', 'dora'],
    ['redis', 'dora'],
  ] as const)
    assert.equal((await credentialsFor(`${registry.host}/${path}`))?.username, username, path)
  assert.equal(await credentialsFor('other.example/team/redis'), null)
})

test('records each change in the audit log, and does not repeat a call with the same idempotency key', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, fields, update, testLogin } = registryTest
  const key = { 'idempotency-key': 'create-registry' }
  const created = await testBerth.ok<Registry>('registry.create', fields, key)
  const loginsBefore = registry.authorizations.length
  assert.deepEqual(await testBerth.ok('registry.create', fields, key), created)
  assert.equal((await testBerth.call('registry.create', { ...fields, password: 'other' }, key)).status, 422)
  assert.equal(registry.authorizations.length, loginsBefore)
  const { registryId } = created
  await testLogin({})
  await update(created, { registryName: 'x' })
  await testBerth.ok('registry.remove', { registryId })
  await testBerth.call('registry.remove', { registryId })
  const entries = await testBerth.app.db
    .selectFrom('audit')
    .selectAll()
    .where('operation', 'like', 'registry.%')
    .orderBy('seq')
    .execute()
  assert.deepEqual(
    entries
      .filter(({ result }) => result !== 'UNPROCESSABLE_CONTENT')
      .map(({ operation, record, result }) => [operation, record, result]),
    [
      ['registry.create', registryId, 'OK'],
      ['registry.update', registryId, 'OK'],
      ['registry.remove', registryId, 'OK'],
      ['registry.remove', registryId, 'NOT_FOUND'],
    ],
  )
  assert.ok(!JSON.stringify(entries).includes(password))
})
