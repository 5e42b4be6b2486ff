/** Tests of `berth backup restore`: which dump it takes, and which database it replaces. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { manifestKeyOf } from '../../src/dumps/manifest.ts'
import { memoryBucket } from '../backups/memory-bucket.ts'
import { startCommandLine } from './cli-fixture.ts'

const bucket = await memoryBucket()
const cli = await startCommandLine()
after(async () => {
  await cli[Symbol.asyncDispose]()
  await bucket[Symbol.asyncDispose]()
})

const key = 'nightly/orders.dump.zst'

/** Stores the manifest of a dump. */
function putManifest(encryptedFor: string | null) {
  const manifest = {
    format: 1,
    kind: 'postgres',
    appName: 'removed',
    image: 'postgres:17',
    serverVersion: null,
    settings: { databaseName: 'orders', databaseUser: 'orders' },
    database: 'orders',
    runId: 'r1',
    startedAt: '2026-11-22T03:00:00.000Z',
    finishedAt: '2026-11-22T03:00:01.000Z',
    sizeBytes: 10,
    sha256: 'a'.repeat(64),
    rawBytes: 20,
    encryptedFor,
    contents: { tables: {}, objects: {}, roles: null, database: null },
  }
  bucket.objects.set(manifestKeyOf(key), Buffer.from(JSON.stringify(manifest)))
}

before(async () => {
  await cli.ok('create', 'postgres', 'orders', '--project', 'shop')
  await cli.ok('create', 'postgres', 'orders', '--project', 'staging')
  const options = ['--endpoint', bucket.endpoint, '--bucket', 'backups', '--access-key', 'key', '--no-test']
  await cli.command(['destination', 'add', 's3', ...options], {
    ...cli.env,
    BERTH_SECRET_KEY: 'a-secret-of-the-storage',
  })
  putManifest(null)
})

interface Run {
  key: string
  databaseId: string
}

const idOf = async (name: string) =>
  (JSON.parse(await cli.ok('show', name, '--json')) as { postgresId: string }).postgresId

async function restore(...args: string[]): Promise<Run> {
  return JSON.parse(
    await cli.ok('backup', 'restore', ...args, '--from', 's3', '--key', key, '--no-wait', '--json'),
  ) as Run
}

test('restores a dump of a bucket into a new database', async () => {
  const run = await restore('--into', 'orders-old', '--project', 'shop')
  assert.deepEqual([run.key, run.databaseId], [key, await idOf('orders-old')])
  assert.match(await cli.ok('ls'), /^shop\/orders-old\tpostgres\t\S+\tpostgres:17\t/m)
})

test('replaces the data of a database only after a confirmation', async () => {
  for (const target of [['shop/orders'], ['shop/orders', '--into', 'staging/orders'], ['--into', 'staging-orders']]) {
    const words = ['backup', 'restore', ...target, '--from', 's3', '--key', key]
    const { status, stderr } = await cli.command(words)
    const path = target.length === 1 ? 'shop/orders' : 'staging/orders'
    assert.deepEqual(
      [status, stderr.includes(`This replaces the data of ${path} by the dump ${key} in s3.`)],
      [2, true],
    )
  }
  assert.doesNotMatch(await cli.ok('backup', 'ls', 'shop/orders'), /restore/)
  const run = await restore('shop/orders', '--into', 'staging/orders', '--yes')
  assert.equal(run.databaseId, await idOf('staging/orders'))
  assert.match(await cli.ok('backup', 'ls', 'staging/orders'), /restore/)
  assert.doesNotMatch(await cli.ok('backup', 'ls', 'shop/orders'), /restore/)
})

test('opens an encrypted dump with the identity in a file', async () => {
  const identity = await generateIdentity()
  const recipient = await identityToRecipient(identity)
  putManifest(recipient)
  const missing = await cli.command([
    'backup',
    'restore',
    '--into',
    'sealed',
    '--from',
    's3',
    '--key',
    key,
    '--project',
    'shop',
  ])
  assert.match(missing.stderr, /identity: is required/)
  const file = join(cli.folder, 'identity')
  writeFileSync(file, `# created: 2030-01-31\n# public key: ${recipient}\n${identity}\n`)
  const run = await restore('--into', 'sealed', '--project', 'shop', '--identity', file)
  assert.equal(run.databaseId, await idOf('sealed'))
  writeFileSync(file, '# public key\n')
  const empty = await cli.command(['backup', 'restore', 'shop/orders', '--identity', file])
  assert.deepEqual([empty.status, /has no identity/.test(empty.stderr)], [2, true])
})

test('refuses what does not name one dump and one database', async () => {
  const refusals: [args: string, status: number, text: RegExp][] = [
    ['', 2, /Name the database of the dump/],
    ['shop/orders --key k', 2, /Give both --key and --from/],
    ['shop/orders --from s3', 2, /Give both --key and --from/],
    ['shop/orders --run r --key k --from s3', 2, /Give either --run or --key/],
    ['--key k --from s3', 2, /Name the database to restore into/],
    ['shop/orders --into staging/ordres --key k --from s3', 3, /Did you mean staging\/orders/],
    ['shop/orders --into staging/orders', 3, /shop\/orders has no good dump/],
    ['shop/orders --key k --from s4', 3, /Did you mean s3/],
  ]
  for (const [args, status, text] of refusals) {
    const result = await cli.command(['backup', 'restore', ...args.split(' ').filter(Boolean), '--yes'])
    assert.deepEqual([result.status, text.test(result.stderr)], [status, true], `${args}: ${result.stderr}`)
  }
})
