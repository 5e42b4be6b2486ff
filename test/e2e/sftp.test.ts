/** Dumps on a real SFTP server: uploaded, read back, drilled, restored, downloaded and expired. The objects on it, too. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createClient } from '../../client/client.ts'
import { openSftp } from '../../src/lib/sftp/sftp.ts'
import { bytesOf, storageSuite } from '../backups/storage-suite.ts'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { type BackupFixture, openBackupFixture, wait } from './backup-fixture.ts'
import { openFaultyProxy } from './faulty-proxy.ts'
import { type SshServer, startSshServer } from './ssh-server.ts'
import { digestOf } from './storage-samples.ts'

const MiB = 1024 ** 2
const rows = 3000

const opened = new AsyncDisposableStack()
let server: SshServer
let runtime: BackupFixture
before(async () => {
  server = opened.use(await startSshServer())
  runtime = opened.use(await openBackupFixture(rows))
})
after(() => opened.disposeAsync())

storageSuite('OpenSSH', () => ({
  open: (options) => openSftp(server.settings, { waitMs: 1, ...options }),
  listsUploads: true,
  hasPages: true,
}))

/** The paths of all files below a folder of the server. */
const filesIn = (prefix: string): string[] =>
  readdirSync(`${server.data}/${prefix}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()

test('an upload continues over a connection that is cut several times', async () => {
  await using line = await openFaultyProxy(server.settings.port)
  using storage = openSftp({ ...server.settings, port: line.port }, { waitMs: 1 })
  line.cut('up', 5 * MiB, 3)
  await storage.upload('cut/dump', bytesOf(24 * MiB), { signal: new AbortController().signal })
  assert.equal(line.faultCounts.cut, 3)
  line.cut('down', 5 * MiB, 2)
  assert.deepEqual(await digestOf(storage.get('cut/dump')), await digestOf(bytesOf(24 * MiB)))
  assert.deepEqual(filesIn('cut'), ['dump'])
})

test('a full disk is called so, and the upload leaves nothing', async (t) => {
  const folder = `${server.data}/small`
  execFileSync('mkdir', [folder])
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder])
  t.after(() => execFileSync('umount', ['--lazy', folder]))
  using storage = openSftp({ ...server.settings, folder }, { waitMs: 1 })
  const upload = storage.upload('dump', bytesOf(24 * MiB), { signal: new AbortController().signal })
  await assert.rejects(upload, { name: 'StorageFault', kind: 'full' })
  assert.deepEqual(filesIn('small'), [])
})

test('a dump is read back, drilled, restored, downloaded and expired', async () => {
  const destinationId = await runtime.destination(server.destination)
  const tested = await runtime.berth.call('destination.testConnection', { name: 'sftp', ...server.destination })
  assert.equal(tested.status, 200, JSON.stringify(tested.body))
  const backupId = await runtime.create('nightly', { destinationId, keepLatest: 1 })
  const { status, body: first } = await runtime.run(backupId)
  assert.deepEqual([status, first.status, first.reason], [200, 'done', null])
  const name = first.key.split('/').at(-1)!
  assert.deepEqual(filesIn('nightly'), [name, `${name}.json`])
  const verify = { backupId, runId: first.runId }
  const drill = await runtime.berth.call<RunAnswer>('backup.verify', verify, undefined, wait)
  assert.deepEqual([drill.status, drill.body.status], [200, 'done'], JSON.stringify(drill.body))
  const client = createClient({ url: await runtime.berth.listen(), token: (await runtime.berth.admin()).token })
  const { bytes } = await client.backup.download({ runId: first.runId })
  assert.equal(Buffer.concat(await Array.fromAsync(bytes)).length, first.sizeBytes)
  const restore = await runtime.restore({ backupId, key: first.key })
  assert.deepEqual([restore.status, restore.body.status], [200, 'done'], JSON.stringify(restore.body))
  await runtime.compareCount(rows)
  const second = await runtime.run(backupId)
  assert.equal(second.body.status, 'done')
  const left = second.body.key.split('/').at(-1)!
  await until(
    'the deletion of the expired dump',
    async () => filesIn('nightly').join() === [left, `${left}.json`].join(),
  )
})
