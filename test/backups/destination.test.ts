/** Operations on destinations: the fields, and the mask of the secret. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { settingsOfDestination } from '../../src/backups/destinations/settings.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'

let berth: Berth
beforeEach(async () => {
  berth = await startBerth()
})
afterEach(() => berth.close())

const mask = '********'
const fields = {
  name: 'nightly',
  accessKey: 'AKIDEXAMPLE',
  bucket: 'my-backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.example.org',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
}

const create = async (more = {}) => (await berth.call('destination.create', { ...fields, ...more })).body
const read = async (destinationId: unknown) => (await berth.call('destination.one', { destinationId })).body

async function stored(id: unknown) {
  const row = await berth.app.db
    .selectFrom('destination')
    .selectAll()
    .where('id', '=', String(id))
    .executeTakeFirstOrThrow()
  return settingsOfDestination(berth.app.vault, row)
}

test('creates, reads, lists, updates and removes a destination, and masks the secret in each answer', async () => {
  const created = await create()
  const { destinationId, createdAt } = created
  const answered = { ...fields, kind: 's3', hostKey: null, secretAccessKey: mask, destinationId, createdAt }
  assert.deepEqual(created, answered)
  const other = await create({ name: 'other' })
  assert.deepEqual(await read(destinationId), created)
  assert.deepEqual((await berth.call('destination.all')).body, [created, other])
  const page = await berth.call('destination.all', { limit: 1 })
  assert.deepEqual([page.body, page.headers['berth-next-cursor']], [[created], destinationId])
  const changed = await berth.call('destination.update', { ...created, name: 'weekly', endpoint: 's3.example.org' })
  assert.deepEqual(changed.body, { ...created, name: 'weekly', endpoint: 's3.example.org' })
  assert.equal(changed.headers['berth-ignored-fields'], 'createdAt')
  assert.deepEqual((await berth.call('destination.remove', { destinationId })).body, changed.body)
  assert.deepEqual((await berth.call('destination.all')).body, [other])
  for (const name of ['one', 'remove', 'update', 'testConnection']) {
    assert.equal((await berth.call(`destination.${name}`, { ...fields, destinationId })).status, 404, name)
  }
})

test('keeps the stored secret in an update with the mask, and replaces it otherwise', async () => {
  const created = await create()
  const secret = async () => (await stored(created.destinationId)).secretAccessKey
  assert.equal(await secret(), fields.secretAccessKey)
  await berth.call('destination.update', { ...created, accessKey: 'ANOTHER' })
  assert.deepEqual(
    [await secret(), (await stored(created.destinationId)).accessKey],
    [fields.secretAccessKey, 'ANOTHER'],
  )
  await berth.call('destination.update', { ...created, secretAccessKey: 'another-secret-key' })
  assert.equal(await secret(), 'another-secret-key')
})

test('refuses the mask if no secret is stored', async () => {
  for (const name of ['create', 'testConnection']) {
    const { status, body } = await berth.call(`destination.${name}`, { ...fields, secretAccessKey: mask })
    assert.equal(status, 400)
    assert.deepEqual(
      (body.issues as { path: string }[]).map(({ path }) => path),
      ['secretAccessKey'],
    )
  }
  assert.deepEqual((await berth.call('destination.all')).body, [])
})

const invalidValues: Record<string, string[]> = {
  name: ['', 'a\nb', 'x'.repeat(256)],
  accessKey: ['', 'with space', 'ümlaut', 'a\r\nHost: b', 'x'.repeat(256)],
  bucket: ['', 'ab', '...', 'a/b', 'a b', 'a?b', 'ümlaut', 'x'.repeat(256)],
  region: ['a b', 'a/b', '-a', 'eu\n', 'x'.repeat(64)],
  endpoint: [
    '',
    'ftp://host',
    'http://',
    'a b',
    'https://user:pw@host',
    'https://host?x=1',
    'https://host/#x',
    'host name',
    'http://a\\b',
    'https://host:99999',
    '-host',
    'javascript:alert(1)',
    `${'x'.repeat(70)}.org`,
  ],
  secretAccessKey: ['', ' padded', 'a\u0000b', 'new\nline', 'x'.repeat(1001)],
}
const validValues: Record<string, string[]> = {
  bucket: ['abc', 'a.b-c', '1bucket', 'x'.repeat(63)],
  region: ['', 'auto', 'eu-central-1', 'x'],
  endpoint: [
    's3.example.org',
    'localhost:9000',
    'http://127.0.0.1:9000/',
    'https://[::1]:9000',
    'https://x.example/base/s3',
    'HTTPS://S3.EXAMPLE.ORG',
    'minio',
  ],
  secretAccessKey: ['a+b/c=', 'ümlaut😀'],
}

test('reports each invalid field as an issue of create, update and testConnection', async () => {
  const created = await create()
  for (const [field, values] of Object.entries(invalidValues)) {
    for (const value of values) {
      for (const name of ['create', 'update', 'testConnection']) {
        const { status, body } = await berth.call(`destination.${name}`, { ...created, ...fields, [field]: value })
        const paths = (body.issues as { path: string }[] | undefined)?.map(({ path }) => path) ?? []
        assert.deepEqual([status, ...new Set(paths)], [400, field], `${name}: ${field} = ${JSON.stringify(value)}`)
      }
    }
  }
  assert.deepEqual((await berth.call('destination.all')).body, [created])
  for (const [field, values] of Object.entries(validValues)) {
    for (const value of values) assert.notEqual((await create({ [field]: value })).destinationId, undefined, value)
  }
})

test('lets a user read destinations, but not change them', async () => {
  const created = await create()
  const { token } = await berth.user()
  assert.deepEqual((await berth.call('destination.all', {}, token)).body, [created])
  for (const name of ['create', 'update', 'remove', 'testConnection']) {
    assert.equal((await berth.call(`destination.${name}`, { ...created, ...fields }, token)).status, 403, name)
  }
})

test('refuses an endpoint with the bucket in its path, and says what to write', async () => {
  for (const endpoint of ['https://s3.example.org/my-backups', 'https://s3.example.org/my-backups/']) {
    const { status, body } = await berth.call('destination.create', { ...fields, endpoint })
    const [issue] = body.issues as { path: string; message: string }[]
    assert.deepEqual([status, issue?.path], [400, 'endpoint'])
    assert.match(issue!.message, /contains the bucket: write https:\/\/s3\.example\.org$/)
  }
})
