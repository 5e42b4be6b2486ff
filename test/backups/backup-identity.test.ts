/** Dumps for the installation's own identity require an export of the identity. Berth decrypts these dumps itself. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Manifest } from '../../src/dumps/manifest.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { run as runCommand } from '../installation/run-command.ts'
import { createDestination, insertDump } from './backups.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { newIdentity } from '../../src/lib/crypto/encryption.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const foreign = 'age1w2j83d77vfdw3qls9uhl5a4j8jks7ccmcc3c4fdc27cnrld55p0qp2gjsf'
let testBerth: TestBerth
let service: Database
let destinationId: string
beforeEach(async () => {
  testBerth = await startTestBerth({}, { attempts: 1 })
  service = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  destinationId = await createDestination(testBerth)
})
afterEach(() => testBerth.close())

type Backup = Input & { backupId: string; recipient: string | null }
type Run = Input & { runId: string; status: string; encrypted: boolean }

const backupFields = (more: Input = {}): Input => ({
  schedule: '0 3 * * *',
  prefix: 'nightly',
  destinationId,
  database: 'shop',
  databaseType: 'postgres',
  postgresId: service.postgresId,
  ...more,
})
const create = (more: Input = {}) => testBerth.ok<Backup>('backup.create', backupFields(more))
const rowOf = (id: string) =>
  testBerth.app.db.selectFrom('backupRun').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** Exports the identity of the installation. @returns the recipient and the identity */
async function exportIdentity() {
  const { out, err } = await runCommand(testBerth.folder, ['key', 'export-backup-identity'])
  assert.doesNotMatch(err, /Error/)
  return { recipient: /public key: (\S+)/.exec(out)![1]!, identity: /AGE-SECRET-KEY-\S+/.exec(out)![0] }
}

/** Inserts the row of a good dump of the backup, encrypted for `recipient`. */
async function insertEncryptedDump({ backupId }: Backup, recipient: string | null): Promise<string> {
  const id = testBerth.app.newId()
  const at = testBerth.now().toISOString()
  const manifest: Manifest = {
    format: 1,
    kind: 'postgres',
    appName: service.appName,
    image: 'postgres:15',
    serverVersion: '15',
    settings: {},
    server: null,
    database: 'shop',
    runId: id,
    startedAt: at,
    finishedAt: at,
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    rawBytes: 1,
    encryptedFor: recipient,
    contents: { tables: {}, objects: {}, roles: null, database: null },
  }
  const ended = {
    status: 'done',
    finishedAt: at,
    key: `nightly/${id}`,
    recipient,
    manifest: JSON.stringify(manifest),
  } as const
  const databaseId = service.postgresId as string
  return insertDump(testBerth, { id, backupId, databaseId, destinationId, ...ended })
}

/** Calls an operation that starts a run, and cancels the run, because this test has no storage. */
async function startAndCancel(name: string, input: Input): Promise<Run> {
  const run = await testBerth.ok<Run>(name, input)
  await testBerth.app.transact((tx) =>
    tx.updateTable('backupRun').set({ cancelled: 1 }).where('id', '=', run.runId).execute(),
  )
  testBerth.app.wake('backups')
  await until('the run to end', async () => (await rowOf(run.runId)).finishedAt !== null)
  return run
}

test('refuses the recipient installation until its identity was exported, and says how to export it', async () => {
  const command = /berth key export-backup-identity/
  const refusal = await testBerth.refused(
    'PRECONDITION_FAILED',
    'backup.create',
    backupFields({ recipient: 'installation' }),
  )
  assert.match(refusal.message, command)
  const backup = await create()
  const sent = backupFields({ backupId: backup.backupId, databaseType: undefined, postgresId: undefined })
  const more = { ...sent, recipient: 'installation' }
  assert.match((await testBerth.refused('PRECONDITION_FAILED', 'backup.update', more)).message, command)
  assert.deepEqual(await testBerth.ok('backup.all'), [backup], 'nothing was stored')

  const { recipient } = await exportIdentity()
  assert.equal((await testBerth.ok<Backup>('backup.update', more)).recipient, 'installation')
  assert.equal((await create({ recipient: 'installation' })).recipient, 'installation')
  const shown = await testBerth.ok<Input>('backup.installationRecipient', {}, {}, testBerth.user)
  assert.deepEqual([shown.recipient, typeof shown.exportedAt], [recipient, 'string'])
  assert.equal((await testBerth.ok<Backup>('backup.update', { ...sent, recipient: foreign })).recipient, foreign)
  assert.equal((await testBerth.ok<Backup>('backup.update', { ...sent, recipient: null })).recipient, null)
})

test('refuses the recipient installation if its identity exists but was not exported', async () => {
  await exportIdentity()
  await testBerth.app.transact((tx) => tx.updateTable('backupIdentity').set({ exportedAt: null }).execute())
  await testBerth.refused('PRECONDITION_FAILED', 'backup.create', backupFields({ recipient: 'installation' }))
})

test('stores the age recipient in each run, scheduled or manual', async () => {
  const { recipient } = await exportIdentity()
  const backup = await create({ recipient: 'installation', verifySchedule: '0 4 * * *' })
  const run = await startAndCancel('backup.manualBackupPostgres', { backupId: backup.backupId })
  assert.deepEqual([(await rowOf(run.runId)).recipient, run.encrypted], [recipient, true])
  testBerth.pass(4 * 3600_000)
  testBerth.app.wake('backups')
  const runs = await until('two scheduled runs', async () => {
    const rows = await testBerth.app.db.selectFrom('backupRun').selectAll().where('trigger', '=', 'schedule').execute()
    return rows.length === 2 ? rows : null
  })
  assert.deepEqual(
    runs.map((row) => row.recipient),
    [recipient, recipient],
  )
})

test('starts a drill of a dump for the installation, and refuses one for another recipient', async () => {
  const { recipient } = await exportIdentity()
  const backup = await create({ recipient: 'installation' })
  const { backupId } = backup
  const foreignDump = await insertEncryptedDump(backup, foreign)
  const refusal = await testBerth.refused('PRECONDITION_FAILED', 'backup.verify', { backupId })
  assert.match(refusal.message, /encrypted for age1w2j8/)
  const own = await insertEncryptedDump(backup, recipient)
  const run = await startAndCancel('backup.verify', { backupId })
  const row = await rowOf(run.runId)
  assert.deepEqual([row.sourceRunId, row.recipient, row.identity], [own, recipient, null])
  await testBerth.refused('PRECONDITION_FAILED', 'backup.verify', { backupId, runId: foreignDump })
})

test('starts a scheduled drill of a dump for the installation, and skips one for another recipient', async () => {
  const { recipient } = await exportIdentity()
  const [own, foreignDump] = [
    await create({ recipient: 'installation', verifySchedule: '0 1 * * *' }),
    await create({ recipient: foreign, verifySchedule: '0 1 * * *' }),
  ]
  const source = await insertEncryptedDump(own, recipient)
  await insertEncryptedDump(foreignDump, foreign)
  testBerth.pass(3600_000)
  testBerth.app.wake('backups')
  const rows = await until('two drills', async () => {
    const all = await testBerth.app.db
      .selectFrom('backupRun')
      .selectAll()
      .where('action', '=', 'verify')
      .orderBy('backupId')
      .execute()
    return all.length === 2 ? all : null
  })
  assert.deepEqual(
    rows.map(({ backupId, sourceRunId }) => [backupId, sourceRunId]),
    [
      [own.backupId, source],
      [foreignDump.backupId, null],
    ],
  )
  assert.equal(rows[1]!.status, 'skipped')
})

test('requires an identity only for the restore of a dump for another recipient', async () => {
  const { recipient, identity } = await exportIdentity()
  const backup = await create({ recipient: 'installation' })
  const { backupId } = backup
  const target = { backupId, postgresId: service.postgresId, confirm: service.appName }
  const other = await newIdentity()
  const [own, foreignDump, open] = [
    await insertEncryptedDump(backup, recipient),
    await insertEncryptedDump(backup, other.recipient),
    await insertEncryptedDump(backup, null),
  ]
  const run = await startAndCancel('backup.restore', { ...target, runId: own })
  assert.deepEqual([(await rowOf(run.runId)).identity, run.encrypted], [null, true])
  await startAndCancel('backup.restore', { ...target, runId: own, identity })
  const { message } = await testBerth.refused(
    'BAD_REQUEST',
    'backup.restore',
    { ...target, runId: foreignDump },
    'identity',
  )
  assert.match(message, new RegExp(`encrypted for ${other.recipient}`))
  await testBerth.refused('BAD_REQUEST', 'backup.restore', { ...target, runId: foreignDump, identity }, 'identity')
  await startAndCancel('backup.restore', { ...target, runId: foreignDump, identity: other.identity })
  await testBerth.refused('BAD_REQUEST', 'backup.restore', { ...target, runId: open, identity }, 'identity')
})
