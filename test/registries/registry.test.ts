/** The operations on registries, with logins to a fake registry in this process. Passwords never appear unencrypted. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { openRegistryPassword } from '../../src/registries/queries.ts'
import { startFakeRegistry, type FakeRegistry } from '../fixtures/fake-registry.ts'
import { appNameFor, databaseClientsOf, resolved, serveWith, settingsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const mask = '********'
const unknownId = '01900000-0000-7000-8000-000000000000'
const password = 'the-password-of-ann'

/** A registry in the form of answers. */
type Registry = Record<'registryId' | 'registryUrl' | 'createdAt' | 'adminId', string> & Record<string, unknown>

let testBerth: TestBerth
let registry: FakeRegistry
let fields: Input
beforeEach(async () => {
  testBerth = await startTestBerth()
  registry = await startFakeRegistry({ users: { ann: password, bob: 'the-password-of-bob' } })
  fields = {
    registryName: 'ours',
    username: 'ann',
    password,
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix: 'team',
  }
})
afterEach(async () => {
  await testBerth.close()
  await registry[Symbol.asyncDispose]()
})

const make = (more: Input = {}) => testBerth.ok<Registry>('registry.create', { ...fields, ...more })
const read = (registryId: string) => testBerth.ok<Registry>('registry.one', { registryId })
const update = ({ registryId }: Registry, changes: Input) =>
  testBerth.ok<Registry>('registry.update', { registryId, ...changes })
const testLogin = (changes: Input) => testBerth.ok<Registry>('registry.testRegistry', { ...fields, ...changes })
const asBasic = (username: string, word: string) => `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`

async function stored({ registryId }: Registry) {
  const row = await testBerth.app.db
    .selectFrom('registry')
    .selectAll()
    .where('id', '=', registryId)
    .executeTakeFirstOrThrow()
  return openRegistryPassword(testBerth.app.vault, row)
}

test('creates, reads, lists, updates and removes registries, with a masked password in each answer', async () => {
  const { id: adminId } = await testBerth.app.db
    .selectFrom('account')
    .select('id')
    .where('rol', '=', 'admin')
    .executeTakeFirstOrThrow()
  const made = await make()
  const { registryId, createdAt } = made
  const whole = {
    ...fields,
    password: mask,
    host: registry.host,
    insecure: false,
    registryId,
    adminId,
    createdAt,
    server: null,
  }
  assert.deepEqual(made, whole)
  const other = await make({ registryName: 'theirs', imagePrefix: null, registryUrl: `http://${registry.host}/v2/` })
  assert.deepEqual([other.imagePrefix, other.host], [null, registry.host])
  assert.deepEqual([await read(registryId), await stored(made)], [made, password])
  assert.deepEqual(await testBerth.ok('registry.all'), [made, other])
  const page = await testBerth.call('registry.all', { limit: 1 })
  assert.deepEqual([page.body, page.headers['berth-next-cursor']], [[made], registryId])
  assert.deepEqual(await testBerth.ok('registry.all', { cursor: registryId }), [other])
  const { host: _, server: __, ...sent } = made
  const changed = await update(made, { ...sent, registryName: 'mine', imagePrefix: null, insecure: true })
  assert.deepEqual(changed, { ...made, registryName: 'mine', imagePrefix: null, insecure: true })
  assert.deepEqual([await read(registryId), await stored(made)], [changed, password])
  assert.deepEqual(await testBerth.ok('registry.remove', { registryId }), { ...changed, note: null })
  assert.deepEqual(await testBerth.ok('registry.all'), [other])
  for (const name of ['one', 'remove', 'update', 'testRegistry']) {
    assert.equal((await testBerth.call(`registry.${name}`, { ...fields, registryId })).status, 404, name)
  }
})

test('logs in with the given password, and with the stored one for a mask', async () => {
  const made = await make()
  const bob = { username: 'bob', password: 'the-password-of-bob' }
  await update(made, { registryName: 'x' })
  await update(made, { password: mask })
  assert.deepEqual(new Set(registry.seen), new Set([asBasic('ann', password)]))
  await update(made, bob)
  assert.deepEqual([registry.seen.at(-1), await stored(made)], [asBasic('bob', bob.password), bob.password])
  const { registryId } = made
  assert.deepEqual(await testLogin({ ...bob, password: mask, registryId }), {
    message: `Logged in to ${registry.host} as bob`,
    host: registry.host,
    isChecked: true,
  })
  assert.deepEqual(
    [(await testLogin({ registryId })).isChecked, registry.seen.at(-1)],
    [true, asBasic('ann', password)],
  )
  await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', { ...fields, password: mask, registryId }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', { ...fields, password: mask }, 'password')
  await testBerth.refused('NOT_FOUND', 'registry.testRegistry', { ...fields, registryId: unknownId })
  await testBerth.refused('BAD_REQUEST', 'registry.create', { ...fields, password: mask }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, password: 'wrong' }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, username: 'ann' }, 'password')
})

test('sends a stored password to its own host only, and a new one to any host', async () => {
  await using other = await startFakeRegistry({ users: { ann: password } })
  const made = await make({ registryUrl: `http://${registry.host}` })
  const { registryId } = made
  for (const registryUrl of [other.host, `http://${other.host}/v2/`, 'docker.io']) {
    const { message } = await testBerth.refused(
      'BAD_REQUEST',
      'registry.update',
      { registryId, registryUrl },
      'registryUrl',
    )
    assert.match(message, /Send the password for this address as well/)
    const input = { ...fields, registryId, registryUrl, password: mask }
    await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', input, 'registryUrl')
  }
  assert.deepEqual(other.seen, [])
  assert.equal((await testLogin({ registryId, registryUrl: other.host })).host, other.host)
  assert.equal((await update(made, { registryUrl: `${registry.host}/v1/`, registryName: 'x' })).host, registry.host)
  const moved = await update(made, { registryUrl: other.host, password })
  assert.deepEqual([moved.host, other.seen.at(-1)], [other.host, asBasic('ann', password)])
})

test('refuses to change createdAt, and the adminId of anybody but an administrator', async () => {
  const made = await make()
  const { registryId, createdAt, adminId } = made
  assert.deepEqual(await update(made, { createdAt, adminId }), made)
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

const wrong: Record<string, unknown[]> = {
  registryName: ['', 'a\nb', 'x'.repeat(256)],
  username: ['', 'a:b', 'a\nb', 'x'.repeat(256)],
  password: ['', 'a\u0000b', 'new\nline', 'x'.repeat(10_001)],
  registryUrl: ['ftp://host', 'https://', 'a b', 'https://user:pw@host', 'host/path', 'host:0', 'x'.repeat(301)],
  registryType: ['', 'other'],
  imagePrefix: ['Upper', '/a', 'a/', 'a//b', 'a b', 'x'.repeat(201)],
  insecure: ['true', 1, null],
}

test('refuses each invalid field without a login', async () => {
  const { registryId } = await make()
  const loginsBefore = registry.seen.length
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      for (const name of ['create', 'update', 'testRegistry']) {
        await testBerth.refused('BAD_REQUEST', `registry.${name}`, { ...fields, registryId, [field]: value }, field)
      }
    }
  }
  for (const registryUrl of ['', ' ']) {
    const own = { ...fields, registryType: 'selfHosted', registryUrl }
    await testBerth.refused('BAD_REQUEST', 'registry.create', own, 'registryUrl')
    await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', own, 'registryUrl')
  }
  assert.equal(registry.seen.length, loginsBefore)
})

test('sends passwords unchanged, also with special characters and beyond 72 bytes', async () => {
  const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))
  const made = await make()
  for (const word of [printable, ' a ', ':', 'é'.repeat(100), '日本語-😀', 'x'.repeat(5000)]) {
    registry.users = { ann: word }
    assert.equal((await testLogin({ password: word })).isChecked, true)
    await update(made, { password: word })
    assert.equal(await stored(made), word)
    assert.equal((await update(made, { registryName: 'x' })).password, mask)
  }
})

test('accepts a self-signed certificate only with insecure', async () => {
  await using own = await startFakeRegistry({ users: { ann: password }, tls: true })
  const safe = { ...fields, registryUrl: own.host }
  for (const name of ['create', 'testRegistry']) {
    const { message } = await testBerth.refused('BAD_GATEWAY', `registry.${name}`, safe, 'registryUrl')
    assert.match(message, /does not know.*With insecure any certificate/)
  }
  assert.deepEqual(own.seen, [])
  assert.equal((await testLogin({ registryUrl: own.host, insecure: true })).isChecked, true)
  const made = await make({ registryUrl: own.host, insecure: true })
  const { registryId } = made
  assert.deepEqual([made.insecure, (await update(made, { registryName: 'x' })).insecure], [true, true])
  await testBerth.refused('BAD_GATEWAY', 'registry.update', { registryId, insecure: false }, 'registryUrl')
  assert.equal((await read(registryId)).insecure, true)
})

test('merges concurrent updates, and refuses credentials that were not tested together', async () => {
  const made = await make()
  const { registryId } = made
  const during = (other: () => Promise<unknown>) => {
    registry.answer = (_, response) => {
      registry.answer = () => false
      void other().finally(() => response.end('{}'))
      return true
    }
  }
  during(() => update(made, { imagePrefix: 'others' }))
  assert.deepEqual(await update(made, { registryName: 'both' }), {
    ...made,
    registryName: 'both',
    imagePrefix: 'others',
  })
  registry.users = null
  during(() => update(made, { password: 'another-password' }))
  const late = await testBerth.call('registry.update', { registryId, username: 'carl' })
  assert.deepEqual([late.status, late.body.code], [409, 'CONFLICT'])
  assert.deepEqual([(await read(registryId)).username, await stored(made)], ['ann', 'another-password'])
  during(() => testBerth.ok('registry.remove', { registryId }))
  assert.equal((await testBerth.call('registry.update', { registryId, username: 'carl' })).status, 404)
  assert.deepEqual(await testBerth.ok('registry.all'), [])
})

test('lets a user read registries but not change them', async () => {
  const made = await make()
  const { registryId } = made
  const loginsBefore = registry.seen.length
  assert.deepEqual((await testBerth.call('registry.all', {}, {}, testBerth.user)).body, [made])
  assert.deepEqual((await testBerth.call('registry.one', { registryId }, {}, testBerth.user)).body, made)
  for (const name of ['create', 'update', 'remove', 'testRegistry']) {
    assert.equal(
      (await testBerth.call(`registry.${name}`, { ...made, ...fields }, {}, testBerth.user)).status,
      403,
      name,
    )
  }
  assert.deepEqual([await read(registryId), registry.seen.length], [made, loginsBefore])
})

test('refuses to remove a registry whose images services use, unless forced', async () => {
  const kind = kinds[0]!
  const databaseClients = databaseClientsOf(testBerth, kind)
  serveWith(testBerth, kind, [settingsOf(kind)])
  const { registryId } = await make()
  const image = `${registry.host}/team/${resolved(kind.defaultImage)}`
  const running = await databaseClients.up({ dockerImage: image, appName: 'runs' })
  await databaseClients.act('update', running, { dockerImage: kind.defaultImage })
  await databaseClients.create({ dockerImage: image, appName: 'waits' })
  const { message } = await testBerth.refused('CONFLICT', 'registry.remove', { registryId })
  assert.match(message, /use images of this registry: runs, waits\./)
  const second = await make({ registryUrl: `http://${registry.host}` })
  await testBerth.ok('registry.remove', { registryId })
  await testBerth.refused('CONFLICT', 'registry.remove', { registryId: second.registryId })
  await testBerth.ok('registry.remove', { registryId: second.registryId, force: true })
  assert.deepEqual(await testBerth.ok('registry.all'), [])
  const hub = await make()
  await testBerth.app.transact((tx) => tx.updateTable('registry').set({ registryUrl: '' }).execute())
  await databaseClients.create({ appName: appNameFor(kind) })
  assert.equal((await testBerth.ok('registry.remove', hub)).host, 'docker.io')
})

test('records each change in the audit log, and repeats nothing for a repeated idempotency key', async () => {
  const key = { 'idempotency-key': 'one of mine' }
  const made = await testBerth.ok<Registry>('registry.create', fields, key)
  const loginsBefore = registry.seen.length
  assert.deepEqual(await testBerth.ok('registry.create', fields, key), made)
  assert.equal((await testBerth.call('registry.create', { ...fields, password: 'other' }, key)).status, 422)
  assert.equal(registry.seen.length, loginsBefore)
  const { registryId } = made
  await testLogin({})
  await update(made, { registryName: 'x' })
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
