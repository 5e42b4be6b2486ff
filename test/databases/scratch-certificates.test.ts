/** The certificates of scratch servers: who has one, and how long its volume exists. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { issueScratchTls, writeScratchCertificate } from '../../src/databases/tls/scratch.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Runtime } from '../../src/runtime.ts'
import { createDestination, insertDump } from '../backups/backups.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const kind = kindNamed('postgres')
const signal = new AbortController().signal

async function start() {
  const testBerth = await startTestBerth()
  const runtime = testBerth.app as unknown as Runtime
  return { testBerth, runtime: { ...runtime, engine: testBerth.engine } as Runtime }
}

test('a scratch server has a certificate with its own name only, and accepts TLS only', async () => {
  const { testBerth, runtime } = await start()
  await using _ = testBerth
  const database = await databaseClientsOf(testBerth, kind).createDeployed()
  const tls = (await issueScratchTls(runtime, kind, database.postgresId as string, 'scratch-1'))!
  assert.deepEqual([tls.mode, tls.serverName], ['require', 'scratch-1'])
  const certificate = new X509Certificate(tls.certificatePem)
  assert.equal(certificate.subjectAltName, 'DNS:scratch-1')
  assert.ok(certificate.verify(new X509Certificate(tls.ca).publicKey))
  assert.notEqual(await issueScratchTls(runtime, kind, null, 'scratch-2'), null, 'the database was removed')
})

test('a scratch server of a database without TLS has none', async () => {
  const { testBerth, runtime } = await start()
  await using _ = testBerth
  const database = await databaseClientsOf(testBerth, kind).createDeployed({ tls: 'off' })
  assert.equal(await issueScratchTls(runtime, kind, database.postgresId as string, 'scratch-1'), null)
})

test('the volume of the certificate exists until the run has ended, also if the run is repeated', async () => {
  const { testBerth, runtime } = await start()
  await using _ = testBerth
  const { app, engine } = testBerth
  const destinationId = await createDestination(testBerth)
  const dueAt = '2031-01-01T00:00:00.000Z'
  const due = { action: 'verify', status: 'waiting', dueAt } as const
  const run = { backupId: null, databaseId: null, destinationId, ...due }
  const runId = await insertDump(testBerth, run)
  const tls = (await issueScratchTls(runtime, kind, null, 'scratch-1'))!
  const nodeId = (await engine.nodes())[0]!.id
  const subject = { runId, kind, image: kind.defaultImage, nodeId }
  const volume = await writeScratchCertificate(runtime, subject, tls, signal)
  assert.deepEqual(await writeScratchCertificate(runtime, subject, tls, signal), volume)
  const rows = () => app.db.selectFrom('tlsVolume').select('name').execute()
  // A later turn of the loop removes another volume that no server uses.
  await engine.writeFiles({ ...filesOf(volume.name, nodeId), volume: 'berth-tls-unused' }, signal)
  const unused = { name: 'berth-tls-unused', volumeId: 'none', nodeId, digest: null, createdAt: '2030-01-01T00:00:00Z' }
  await app.transact((tx) => tx.insertInto('tlsVolume').values(unused).execute())
  const untilRows = (names: string[]) =>
    testBerth.until('the removal of a volume', async () => {
      app.wake('certificates')
      const found = (await rows()).map(({ name }) => name)
      return found.join() === names.join() ? found : null
    })
  await untilRows([volume.name])
  assert.equal(await engine.hasVolume(volume.name, nodeId), true)
  await app.transact((tx) => tx.updateTable('backupRun').set({ status: 'error' }).where('id', '=', runId).execute())
  await untilRows([])
  assert.equal(await engine.hasVolume(volume.name, nodeId), false)
})

test('a volume that is used again while another one is removed stays', async () => {
  await using testBerth = await startTestBerth()
  const { app, engine } = testBerth
  const nodeId = (await engine.nodes())[0]!.id
  const destinationId = await createDestination(testBerth)
  const ended = { action: 'verify', status: 'error', dueAt: '2031-01-01T00:00:00.000Z' } as const
  const runId = await insertDump(testBerth, { backupId: null, databaseId: null, destinationId, ...ended })
  for (const [name, volumeId] of [
    ['berth-tls-1', 'none'],
    ['berth-tls-2', runId],
  ] as const) {
    await engine.writeFiles(filesOf(name, nodeId), signal)
    const row = { name, volumeId, nodeId, digest: null, createdAt: '2030-01-01T00:00:00Z' }
    await app.transact((tx) => tx.insertInto('tlsVolume').values(row).execute())
  }
  const { removeVolume } = engine
  engine.removeVolume = async (...volume) => {
    await app.transact((tx) => tx.updateTable('backupRun').set({ status: 'running' }).where('id', '=', runId).execute())
    await removeVolume(...volume)
  }
  app.wake('certificates')
  const names = () => app.db.selectFrom('tlsVolume').select('name').execute()
  await testBerth.until('the first removal', async () => ((await names()).length === 1 ? true : null))
  assert.equal(await engine.hasVolume('berth-tls-2', nodeId), true)
})

const filesOf = (volume: string, nodeId: string) => ({
  volume,
  nodeId,
  image: kind.defaultImage,
  owner: 'postgres',
  labels: {},
  files: [],
  recordId: 'x',
})
