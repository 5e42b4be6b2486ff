/** Tests of `berth destination` and `berth backup`, against a storage in memory. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { memoryBucket } from '../backups/memory-bucket.ts'
import { memorySftp } from '../backups/memory-sftp.ts'
import { until } from '../engine/until.ts'
import { startCommandLine } from './cli-fixture.ts'

const bucket = await memoryBucket()
const cli = await startCommandLine()
after(async () => {
  await cli[Symbol.asyncDispose]()
  await bucket[Symbol.asyncDispose]()
})
await cli.ok('create', 'postgres', 'orders', '--project', 'shop')

test('adds a destination without the secret among the arguments, and tests it', async () => {
  const options = ['--endpoint', bucket.endpoint, '--bucket', 'backups', '--access-key', 'key', '--no-test']
  const added = await cli.command(['destination', 'add', 's3', ...options], {
    ...cli.env,
    BERTH_SECRET_KEY: 'a-secret-of-the-storage',
  })
  assert.deepEqual([added.status, added.stdout], [0, 'Added s3.\n'], added.stderr)
  assert.match(await cli.ok('destination', 'ls'), /^s3\s+s3\s+http:\/\/127\.0\.0\.1:\d+\s+backups\s+-$/m)
})

test('adds a folder of an SFTP server, and asks for a host key that is not known', async () => {
  await using server = await memorySftp()
  const { port, secret, hostKey } = server.settings
  const env = { ...cli.env, BERTH_SECRET_KEY: secret }
  const options = ['--host', `127.0.0.1:${port}`, '--user', 'berth', '--folder', '/backups']
  const asked = await cli.command(['destination', 'add-sftp', 'sftp', ...options], env)
  assert.deepEqual([asked.status, asked.stderr.includes(`--host-key ${hostKey}`)], [2, true], asked.stderr)
  const added = await cli.command(['destination', 'add-sftp', 'sftp', ...options, '--host-key', hostKey!], env)
  assert.deepEqual([added.status, added.stdout], [0, 'Added sftp. A probe object was written, read and deleted.\n'])
  assert.match(await cli.ok('destination', 'test', 'sftp'), /^sftp works: write \d+ ms, read/)
  assert.match(await cli.ok('destination', 'ls'), /^sftp\s+sftp\s+127\.0\.0\.1:\d+\s+\/backups\s+-$/m)
  await cli.ok('destination', 'rm', 'sftp', '-y')
})

test('schedules a backup, changes the schedule and lists it', async () => {
  assert.match(
    await cli.ok('backup', 'schedule', 'orders', '@daily', '--to', 's3', '--keep', '7'),
    /^shop\/orders is backed up to s3\. The next dump is due in \d+ /,
  )
  await cli.ok('backup', 'schedule', 'orders', '@hourly', '--to', 's3', '--keep-days', '30', '--verify', '@weekly')
  const list = await cli.ok('backup', 'ls')
  assert.match(list, /^shop\/orders\s+@hourly\s+in \d+ min\s+s3\s+@weekly\s+7, 30 days$/m)
  assert.equal(list.split('\n').length, 2, 'the second schedule replaces the first')
})

test('schedules a backup of all databases of Redis', async () => {
  await cli.ok('create', 'redis', 'cache', '--project', 'shop')
  const named = await cli.command(['backup', 'schedule', 'cache', '@daily', '--to', 's3', '--database-name', '0'])
  assert.deepEqual([named.status, /has all databases of the server/.test(named.stderr)], [2, true])
  await cli.ok('backup', 'schedule', 'cache', '@daily', '--to', 's3')
  await cli.ok('backup', 'schedule', 'cache', '@hourly', '--to', 's3', '--keep', '3')
  assert.match(await cli.ok('backup', 'ls'), /^shop\/cache\s+@hourly\s+in \d+ min\s+s3\s+-\s+3$/m)
  cli.engine.onJob = async () => 1
  const { status, stderr } = await cli.command(['backup', 'now', 'cache'])
  assert.deepEqual([status, /The dump of shop\/cache failed: ./.test(stderr)], [1, true], stderr)
  await cli.ok('backup', 'unschedule', 'cache', '-y')
})

test('a dump that fails ends with its reason, and is listed', async () => {
  cli.engine.onJob = async () => 1
  const { status, stderr } = await cli.command(['backup', 'now', 'orders'])
  assert.equal(status, 1, stderr)
  assert.match(stderr, /^error: The dump of shop\/orders failed: ./m)
  assert.match(await cli.ok('backup', 'ls', 'orders'), /dump\s+error/)
  const restore = await cli.command(['backup', 'restore', 'orders', '--yes'])
  assert.deepEqual([restore.status, /has no good dump\nMake one: berth backup now/.test(restore.stderr)], [3, true])
})

test('ends a dump that is in progress', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  cli.engine.onJob = () => promise
  assert.match(await cli.ok('backup', 'now', 'orders', '--no-wait'), /has begun: run \S+\.$/m)
  assert.match(await cli.ok('backup', 'cancel', 'orders'), /^Ended the dump of shop\/orders\.$/m)
  resolve(0)
  await until('the end of the run', async () => !(await cli.ok('backup', 'ls', 'orders')).includes('running'))
  const none = await cli.command(['backup', 'cancel', 'orders'])
  assert.deepEqual([none.status, /has no run in progress/.test(none.stderr)], [3, true])
})

test('ends a schedule after a confirmation, and removes the destination', async () => {
  assert.equal((await cli.command(['backup', 'unschedule', 'orders'])).status, 2)
  assert.match(await cli.ok('backup', 'unschedule', 'orders', '-y'), /is not backed up any more/)
  assert.match(await cli.ok('destination', 'rm', 's3', '-y'), /^Removed s3\.$/m)
})
