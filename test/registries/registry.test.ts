/** Registries as records, each change after a login to a registry in this process; passwords nowhere in clear. */
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

/** As it is answered. */
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
const tried = (changes: Input) => testBerth.ok<Registry>('registry.testRegistry', { ...fields, ...changes })
const asBasic = (username: string, word: string) => `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`

async function stored({ registryId }: Registry) {
  const row = await testBerth.app.db
    .selectFrom('registry')
    .selectAll()
    .where('id', '=', registryId)
    .executeTakeFirstOrThrow()
  return openRegistryPassword(testBerth.app.vault, row)
}

test('a registry is made, read, listed, changed and removed, its password masked in each answer', async () => {
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

test('create, update and testRegistry log in with what is given, and with what is stored for a mask', async () => {
  const made = await make()
  const bob = { username: 'bob', password: 'the-password-of-bob' }
  await update(made, { registryName: 'x' })
  await update(made, { password: mask })
  assert.deepEqual(new Set(registry.seen), new Set([asBasic('ann', password)]))
  await update(made, bob)
  assert.deepEqual([registry.seen.at(-1), await stored(made)], [asBasic('bob', bob.password), bob.password])
  const { registryId } = made
  assert.deepEqual(await tried({ ...bob, password: mask, registryId }), {
    message: `Logged in to ${registry.host} as bob`,
    host: registry.host,
    isChecked: true,
  })
  assert.deepEqual([(await tried({ registryId })).isChecked, registry.seen.at(-1)], [true, asBasic('ann', password)])
  await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', { ...fields, password: mask, registryId }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', { ...fields, password: mask }, 'password')
  await testBerth.refused('NOT_FOUND', 'registry.testRegistry', { ...fields, registryId: unknownId })
  await testBerth.refused('BAD_REQUEST', 'registry.create', { ...fields, password: mask }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, password: 'wrong' }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, username: 'ann' }, 'password')
})

test('a stored password goes to no other place than its own, a new one does', async () => {
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
    assert.match(message, /Give the password for this address as well/)
    const asked = { ...fields, registryId, registryUrl, password: mask }
    await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', asked, 'registryUrl')
  }
  assert.deepEqual(other.seen, [])
  assert.equal((await tried({ registryId, registryUrl: other.host })).host, other.host)
  assert.equal((await update(made, { registryUrl: `${registry.host}/v1/`, registryName: 'x' })).host, registry.host)
  const moved = await update(made, { registryUrl: other.host, password })
  assert.deepEqual([moved.host, other.seen.at(-1)], [other.host, asBasic('ann', password)])
})

test('createdAt is taken as it is stored and in no other way, adminId of an administrator alone', async () => {
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

test('each wrong field is an issue of its own, and nobody is asked', async () => {
  const { registryId } = await make()
  const asked = registry.seen.length
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
  assert.equal(registry.seen.length, asked)
})

test('every printable character, and more bytes than bcrypt reads, reach a registry as they are', async () => {
  const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))
  const made = await make()
  for (const word of [printable, ' a ', ':', 'é'.repeat(100), '日本語-😀', 'x'.repeat(5000)]) {
    registry.users = { ann: word }
    assert.equal((await tried({ password: word })).isChecked, true)
    await update(made, { password: word })
    assert.equal(await stored(made), word)
    assert.equal((await update(made, { registryName: 'x' })).password, mask)
  }
})

test('a certificate that a registry signed itself is taken only where that is told', async () => {
  await using own = await startFakeRegistry({ users: { ann: password }, tls: true })
  const safe = { ...fields, registryUrl: own.host }
  for (const name of ['create', 'testRegistry']) {
    const { message } = await testBerth.refused('BAD_GATEWAY', `registry.${name}`, safe, 'registryUrl')
    assert.match(message, /does not know.*With insecure any certificate/)
  }
  assert.deepEqual(own.seen, [])
  assert.equal((await tried({ registryUrl: own.host, insecure: true })).isChecked, true)
  const made = await make({ registryUrl: own.host, insecure: true })
  const { registryId } = made
  assert.deepEqual([made.insecure, (await update(made, { registryName: 'x' })).insecure], [true, true])
  await testBerth.refused('BAD_GATEWAY', 'registry.update', { registryId, insecure: false }, 'registryUrl')
  assert.equal((await read(registryId)).insecure, true)
})

test('of two updates at once neither undoes the other, and no login is stored that nobody tried', async () => {
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

test('a user reads registries and changes none', async () => {
  const made = await make()
  const { registryId } = made
  const asked = registry.seen.length
  assert.deepEqual((await testBerth.call('registry.all', {}, {}, testBerth.user)).body, [made])
  assert.deepEqual((await testBerth.call('registry.one', { registryId }, {}, testBerth.user)).body, made)
  for (const name of ['create', 'update', 'remove', 'testRegistry']) {
    assert.equal(
      (await testBerth.call(`registry.${name}`, { ...made, ...fields }, {}, testBerth.user)).status,
      403,
      name,
    )
  }
  assert.deepEqual([await read(registryId), registry.seen.length], [made, asked])
})

test('a registry whose images services run, or are to run, is kept unless it is forced', async () => {
  const kind = kinds[0]!
  const databaseClients = databaseClientsOf(testBerth, kind)
  serveWith(testBerth, kind, [settingsOf(kind)])
  const { registryId } = await make()
  const image = `${registry.host}/team/${resolved(kind.defaultImage)}`
  const running = await databaseClients.up({ dockerImage: image, appName: 'runs' })
  await databaseClients.act('update', running, { dockerImage: kind.defaultImage })
  await databaseClients.create({ dockerImage: image, appName: 'waits' })
  const { message } = await testBerth.refused('CONFLICT', 'registry.remove', { registryId })
  assert.match(message, /used by runs, waits: /)
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

test('each change is in the audit log under its record, and a repeated key changes nothing twice', async () => {
  const key = { 'idempotency-key': 'one of mine' }
  const made = await testBerth.ok<Registry>('registry.create', fields, key)
  const asked = registry.seen.length
  assert.deepEqual(await testBerth.ok('registry.create', fields, key), made)
  assert.equal((await testBerth.call('registry.create', { ...fields, password: 'other' }, key)).status, 422)
  assert.equal(registry.seen.length, asked)
  const { registryId } = made
  await tried({})
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
