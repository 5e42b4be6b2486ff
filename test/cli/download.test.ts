/** Tests of `berth backup download` and `berth backup url`, against a storage in memory. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { insertDump } from '../backups/backups.ts'
import { memoryBucket } from '../backups/memory-bucket.ts'
import { startCommandLine } from './cli-fixture.ts'

const bucket = await memoryBucket()
const cli = await startCommandLine()
const folder = mkdtempSync(join(tmpdir(), 'berth-download-'))
after(async () => {
  await cli[Symbol.asyncDispose]()
  await bucket[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
await cli.ok('create', 'postgres', 'orders', '--project', 'shop')
const [database] = JSON.parse(await cli.ok('ls', '--json')) as [{ databaseId: string }]
const { body: destination } = await cli.berth.call<{ destinationId: string }>('destination.create', {
  name: 's3',
  ...bucket.settings,
})

const { body: backup } = await cli.berth.call<{ backupId: string }>('backup.create', {
  databaseType: 'postgres',
  postgresId: database.databaseId,
  destinationId: destination.destinationId,
  database: 'orders',
  prefix: 'nightly',
  schedule: '@daily',
})
const content = Buffer.from('the dump of a shop\n'.repeat(20_000))
const sha256 = createHash('sha256').update(content).digest('hex')
const key = 'nightly/shop/orders/20261122T030000Z-it.dump.zst'
bucket.objects.set(key, content)
const runId = await insertDump(
  { app: cli.berth.app, now: cli.berth.app.now },
  {
    backupId: backup.backupId,
    databaseId: database.databaseId,
    destinationId: destination.destinationId,
    status: 'done',
    key,
    sizeBytes: content.length,
    sha256,
    finishedAt: '2026-11-22T03:00:01.000Z',
  },
)

test('saves a dump for the owner only, and never replaces a file without --force', async () => {
  const file = join(folder, 'orders.dump.zst')
  const saved = await cli.ok('backup', 'download', runId, file)
  assert.equal(saved, `Saved ${file}: 371 KiB, SHA-256 ${sha256}\n`)
  assert.ok(readFileSync(file).equals(content))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  writeFileSync(file, 'mine')
  const refused = await cli.command(['backup', 'download', runId, file])
  assert.deepEqual([refused.status, /exists already\n--force/.test(refused.stderr)], [2, true], refused.stderr)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
  const answer = JSON.parse(await cli.ok('backup', 'download', 'shop/orders', file, '--force', '--json')) as object
  assert.deepEqual(answer, { runId, form: 'stored', file, sizeBytes: content.length, sha256 })
  assert.ok(readFileSync(file).equals(content))
})

test('writes a dump to standard output', async () => {
  assert.equal(await cli.ok('backup', 'download', runId, '-'), content.toString())
})

test('leaves no file if the dump is damaged', async () => {
  const before = readdirSync(folder)
  const damaged = Buffer.from(content)
  damaged[5]! ^= 1
  bucket.objects.set(key, damaged)
  const { status, stderr } = await cli.command(['backup', 'download', runId, join(folder, 'damaged')])
  bucket.objects.set(key, content)
  assert.notEqual(status, 0)
  assert.match(stderr, /^error: /m)
  assert.deepEqual(readdirSync(folder), before)
})

test('prints a URL that downloads the dump', async () => {
  const { stdout, stderr } = await cli.command(['backup', 'url', 'shop/orders', '--seconds', '60'])
  assert.match(stderr, /^Valid until \S+ \(in \d+ .*\)\.$/m)
  const answer = await fetch(stdout.trim())
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(content))
  assert.equal((await cli.command(['backup', 'url', runId, '--seconds', '4000'])).status, 2)
})

test('refuses a word that is neither a run nor a database', async () => {
  const unknown = '01900000-0000-7000-8000-000000000000'
  assert.equal((await cli.command(['backup', 'download', unknown, join(folder, 'new')])).status, 3)
  assert.equal((await cli.command(['backup', 'download', 'nothing', join(folder, 'new')])).status, 3)
  const api = await cli.command(['api', 'backup.download', '--runId', runId])
  assert.deepEqual([api.status, /answers a file/.test(api.stderr)], [2, true])
})
