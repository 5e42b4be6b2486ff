/** Operations on destinations: fields, masks, and a secret that is never stored in clear. */
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

const make = async (more = {}) => (await berth.call('destination.create', { ...fields, ...more })).body
const read = async (destinationId: unknown) => (await berth.call('destination.one', { destinationId })).body

async function stored(id: unknown) {
  const row = await berth.app.db
    .selectFrom('destination')
    .selectAll()
    .where('id', '=', String(id))
    .executeTakeFirstOrThrow()
  return settingsOfDestination(berth.app.vault, row)
}

test('creates, reads, lists, updates and removes a destination with its secret masked in each answer', async () => {
  const made = await make()
  const { destinationId, createdAt } = made
  assert.deepEqual(made, { ...fields, secretAccessKey: mask, destinationId, createdAt })
  const other = await make({ name: 'other' })
  assert.deepEqual(await read(destinationId), made)
  assert.deepEqual((await berth.call('destination.all')).body, [made, other])
  const page = await berth.call('destination.all', { limit: 1 })
  assert.deepEqual([page.body, page.headers['berth-next-cursor']], [[made], destinationId])
  const changed = await berth.call('destination.update', { ...made, name: 'weekly', endpoint: 's3.example.org' })
  assert.deepEqual(changed.body, { ...made, name: 'weekly', endpoint: 's3.example.org' })
  assert.equal(changed.headers['berth-ignored-fields'], 'createdAt')
  assert.deepEqual((await berth.call('destination.remove', { destinationId })).body, changed.body)
  assert.deepEqual((await berth.call('destination.all')).body, [other])
  for (const name of ['one', 'remove', 'update', 'testConnection']) {
    assert.equal((await berth.call(`destination.${name}`, { ...fields, destinationId })).status, 404, name)
  }
})

test('an update with the mask keeps the secret; another text changes it', async () => {
  const made = await make()
  const secret = async () => (await stored(made.destinationId)).secretAccessKey
  assert.equal(await secret(), fields.secretAccessKey)
  await berth.call('destination.update', { ...made, accessKey: 'ANOTHER' })
  assert.deepEqual([await secret(), (await stored(made.destinationId)).accessKey], [fields.secretAccessKey, 'ANOTHER'])
  await berth.call('destination.update', { ...made, secretAccessKey: 'another-secret-key' })
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

const wrong: Record<string, string[]> = {
  name: ['', 'a\nb', 'x'.repeat(256)],
  accessKey: ['', 'with space', 'ümlaut', 'a\r\nHost: b', 'x'.repeat(256)],
  bucket: ['', 'ab', 'Upper', 'under_score', 'a..b', '-ab', 'ab-', '192.168.1.1', 'a/b', 'x'.repeat(64)],
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
const right: Record<string, string[]> = {
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

test('create, update and testConnection report each wrong field as an issue', async () => {
  const made = await make()
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      for (const name of ['create', 'update', 'testConnection']) {
        const { status, body } = await berth.call(`destination.${name}`, { ...made, ...fields, [field]: value })
        const paths = (body.issues as { path: string }[] | undefined)?.map(({ path }) => path) ?? []
        assert.deepEqual([status, ...new Set(paths)], [400, field], `${name}: ${field} = ${JSON.stringify(value)}`)
      }
    }
  }
  assert.deepEqual((await berth.call('destination.all')).body, [made])
  for (const [field, values] of Object.entries(right)) {
    for (const value of values) assert.notEqual((await make({ [field]: value })).destinationId, undefined, value)
  }
})

test('a user can read destinations but not change them', async () => {
  const made = await make()
  const { token } = await berth.user()
  assert.deepEqual((await berth.call('destination.all', {}, token)).body, [made])
  for (const name of ['create', 'update', 'remove', 'testConnection']) {
    assert.equal((await berth.call(`destination.${name}`, { ...made, ...fields }, token)).status, 403, name)
  }
})
