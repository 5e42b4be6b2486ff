/** Tests of `berth state` for backups of Berth's own state, against a storage in memory. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { memoryBucket } from '../backups/memory-bucket.ts'
import { until } from '../engine/until.ts'
import { startCommandLine } from './cli-fixture.ts'

const bucket = await memoryBucket()
/** A storage that never answers. */
const silent = createServer().listen(0, '127.0.0.1')
await once(silent, 'listening')
const cli = await startCommandLine()
after(async () => {
  await cli[Symbol.asyncDispose]()
  silent.closeAllConnections()
  silent.close()
  await bucket[Symbol.asyncDispose]()
})

async function addDestination(name: string, endpoint: string) {
  const options = ['--endpoint', endpoint, '--bucket', 'backups', '--access-key', 'key', '--no-test']
  const env = { ...cli.env, BERTH_SECRET_KEY: 'a-secret-of-the-storage' }
  const { status, stderr } = await cli.command(['destination', 'add', name, ...options], env)
  assert.equal(status, 0, stderr)
}
await addDestination('s3', bucket.endpoint)

test('a backup needs a schedule', async () => {
  for (const verb of ['now', 'show', 'unschedule', 'cancel']) {
    const { status, stderr } = await cli.command(['state', verb, ...(verb === 'unschedule' ? ['-y'] : [])])
    assert.notEqual(status, 0)
    assert.match(stderr, verb === 'cancel' ? /has no run in progress/ : /has no backup schedule/)
  }
  const unknown = await cli.command(['state', 'schedule', '@daily', '--to', 's4'])
  assert.deepEqual([unknown.status, /Did you mean s3\?/.test(unknown.stderr)], [3, true])
})

test("schedules backups of Berth's own state, and a change keeps what is not named", async () => {
  const added = await cli.ok('state', 'schedule', '@daily', '--to', 's3', '--keep', '7', '--prefix', 'own')
  assert.match(added, /^Berth's own state is backed up to s3\. The next backup is due in \d+ /)
  await cli.ok('state', 'schedule', '@hourly', '--to', 's3', '--keep-days', '30')
  const shown = await cli.ok('state', 'show')
  assert.match(shown, /^schedule\s@hourly \(UTC\)\nnext\sin \d+ min\nto\ss3\nprefix\sown\nkeep\s7, 30 days$/m)
})

test('backs up now and lists the backup', async () => {
  assert.match(await cli.ok('state', 'now'), /^The backup of Berth's own state succeeded \(.*\)\.$/m)
  assert.match(await cli.ok('state', 'ls'), /done\s.*\sown\/berth\/state\/\S+\.berth/)
})

test('ends a backup that is in progress', async () => {
  await addDestination('silent', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  await cli.ok('state', 'schedule', '@hourly', '--to', 'silent')
  assert.match(await cli.ok('state', 'now', '--no-wait'), /has begun: run \S+\.$/m)
  assert.equal(await cli.ok('state', 'cancel'), "Ended the backup of Berth's own state.\n")
  await until('the end of the run', async () => !(await cli.ok('state', 'ls')).includes('running'))
})

test('ends the schedule after a confirmation', async () => {
  const refused = await cli.command(['state', 'unschedule'])
  assert.deepEqual([refused.status, /Its backups stay in the bucket/.test(refused.stderr)], [2, true])
  assert.match(await cli.ok('state', 'unschedule', '-y'), /is not backed up any more/)
})
