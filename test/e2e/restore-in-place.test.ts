/**
 * Dumps of locked tables, and restores into databases of the kinds whose restore replaces the volume: everything else on
 * the server stays as it is, and a restore that fails, or whose tool or server is killed, changes nothing.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { checkLockedDump, lockingKinds } from './backup-lock-suite.ts'
import { type BackupEnvironment, createBackup, openBackupEnvironment, type RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn, type Fields } from './database-clients.ts'
import { representative, shouldTestAll } from './representative.ts'
import { lossesOf, type Surroundings, surroundingsOf, withMysql } from './restore-surroundings.ts'
import { containersNamed, docker } from './swarm.ts'

/** Half of it is the time for which a dump waits for a lock. */
const idleSeconds = 60

let environment: BackupEnvironment
const opened = new AsyncDisposableStack()
before(async () => {
  environment = await openBackupEnvironment(opened, idleSeconds)
})
after(() => opened.disposeAsync())

const texts = ['first', 'second']
const wait = { prefer: 'wait=300' }

describe('restores in place', { concurrency: true }, () => {
  // The first is the fastest.
  const thorough = representative(['mongo', 'mariadb', 'mysql'])
  // A dump of MongoDB can be restored only under its own name.
  const withOtherName = representative(['mariadb', 'mysql'])
  for (const [name, surroundings] of Object.entries(surroundingsOf)) {
    describe(name, { concurrency: 1 }, () =>
      restoreTests(name, surroundings, thorough.includes(name), withOtherName.includes(name)),
    )
  }
})

/**
 * @param isThorough whether to test failures, too; the kinds differ only in their programs
 * @param hasOtherName whether to restore under another name, too
 */
function restoreTests(name: string, surroundings: Surroundings, isThorough: boolean, hasOtherName: boolean): void {
  const kind = kindNamed(name)
  let databaseClients: DatabaseClients
  let database: Database
  let source: { backupId: string; runId: string }
  let key: string
  let present: unknown
  const call = (operation: string, input: Fields, headers: Record<string, string> = wait) =>
    environment.berth.call<RunAnswer>(`backup.${operation}`, input, undefined, headers)
  const restore = (more: Fields = {}, headers = wait) => {
    const input = { ...source, [kind.idField]: database[kind.idField], confirm: database.appName, ...more }
    return call('restore', { skipSafetyDump: true, ...input }, headers)
  }
  const adminUrl = async (pathname = '/shop') => {
    const { databaseRootPassword: password } = await databaseClients.one(database)
    const root = typeof password === 'string' ? { username: 'root', password, pathname } : {}
    return Object.assign(new URL(await databaseClients.urlOf(database)), root).href
  }
  const write = (text: string) => databaseClients.open(database, (session) => session.write(text))
  /** Compares the texts in the database, and everything else on the server. */
  const compare = (expected: string[]) =>
    compareData('the server', async () => {
      assert.deepEqual(await databaseClients.open(database, (session) => session.read()), expected)
      assert.deepEqual(await surroundings.read(await adminUrl()), present)
      assert.ok(await surroundings.logIn(await adminUrl()))
    })
  const endOf = async (runId: string) =>
    until(
      'the end of the restore',
      async () => {
        const { body } = await environment.berth.call<RunAnswer[]>('backup.runs', { serviceId: database[kind.idField] })
        return body.find((run) => run.runId === runId && run.status !== 'running') ?? null
      },
      240_000,
    )
  const isOpen = async (runId: string) => {
    const { db } = environment.berth.app
    const run = db.selectFrom('backupRun').select('finishedAt').where('id', '=', runId)
    return (await run.executeTakeFirstOrThrow()).finishedAt === null
  }
  /** The id of the deployment of the restore, as soon as it has begun. */
  const deploymentOf = (runId: string) =>
    until('the deployment of the restore', async () => {
      const { db } = environment.berth.app
      const run = db.selectFrom('backupRun').select('deploymentId').where('id', '=', runId)
      return (await run.executeTakeFirst())?.deploymentId ?? null
    })

  before(async () => {
    databaseClients = databaseClientsOn(environment.berth, kind, clients[name]!)
    database = await databaseClients.deployed()
    for (const text of texts) await write(text)
    await surroundings.fill(await adminUrl())
    const { body } = await createBackup(environment, kind, database, { prefix: `in-place-${name}` })
    const { body: run } = await call(kind.manualBackup!, { backupId: body.backupId })
    assert.equal(run.status, 'done', JSON.stringify(run))
    source = { backupId: body.backupId, runId: run.runId }
    key = run.key
    await write('written later')
    present = await surroundings.read(await adminUrl())
  })
  after(() => database && databaseClients.clear(database))

  if (lockingKinds.includes(name)) {
    test('a dump reports that it waited for a lock, and does not delay another dump', () =>
      checkLockedDump(environment, databaseClients, database))
  }

  test('replaces one database, and keeps everything else on the server and the old volume', async () => {
    const { volume } = await databaseClients.one(database)
    const { status, body } = await restore({ skipSafetyDump: false })
    assert.deepEqual([status, body.message, body.status, body.data], [200, undefined, 'done', 'replaced'])
    assert.deepEqual([body.safety, typeof body.safetyRunId], [null, 'string'])
    await compare(texts)
    await write('written later')
    const { body: volumes } = await environment.berth.call<{ name: string; state: string }[]>('volume.all', {})
    assert.equal(volumes.find((it) => it.name === volume)?.state, 'kept')
  })

  if (isThorough) failureTests()
  if (hasOtherName) otherNameTest()

  for (const { state, safety, cause } of lossesOf[name]!) {
    test(`brings back a database ${state}, with everything in it`, async () => {
      await cause(await adminUrl('/'))
      const { status, body } = await restore({ skipSafetyDump: false })
      assert.deepEqual([status, body.message, body.status, body.safety], [200, undefined, 'done', safety])
      assert.equal(body.safetyRunId === null, safety !== null)
      await compareData('the restored texts', async () =>
        assert.deepEqual(await databaseClients.open(database, (session) => session.read()), texts),
      )
      assert.ok(await surroundings.logIn(await adminUrl()))
    })
  }

  function failureTests() {
    /** Kills the container as soon as the load runs, and asserts that the answer of the run is true. */
    const killDuringLoad = async (containerOf: (deploymentId: string) => string) => {
      const { body } = await restore({}, { prefer: 'respond-async' })
      const deploymentId = await deploymentOf(body.runId)
      const killed = async () => {
        if (!(await isOpen(body.runId))) return true
        const [load] = await containersNamed(`berth-load-${deploymentId}`)
        const [id] = await containersNamed(containerOf(deploymentId))
        if (load === undefined || id === undefined) return null
        return docker('kill', id).then(
          () => true,
          () => null,
        )
      }
      await until('the kill', killed, 120_000)
      const run = await endOf(body.runId)
      assert.equal(run.data, run.status === 'done' ? 'replaced' : 'unchanged', JSON.stringify(run))
      await compare(run.data === 'replaced' ? texts : [...texts, 'written later'])
      if (run.data === 'replaced') await write('written later')
    }

    test('replaces the data or changes nothing if the tool of the load is killed', () =>
      killDuringLoad((deploymentId) => `berth-load-${deploymentId}`))

    if (shouldTestAll) {
      test('replaces the data or changes nothing if the server on the new volume is killed', () =>
        killDuringLoad((deploymentId) => `berth-target-${deploymentId}`))
    }

    test('changes nothing if the object in the storage is damaged', async () => {
      const path = join(environment.storage.filesOf('backups'), key)
      const object = readFileSync(path)
      writeFileSync(path, object.toReversed())
      const { body } = await restore({}, { prefer: 'respond-async' })
      const run = await endOf(body.runId)
      writeFileSync(path, object)
      assert.deepEqual([run.status, run.data], ['error', 'unchanged'], JSON.stringify(run))
      await compare([...texts, 'written later'])
    })
  }

  function otherNameTest() {
    test('restores under another name beside the database', async () => {
      const { status, body } = await restore({ database: 'another' })
      assert.deepEqual([status, body.message, body.data], [200, undefined, 'replaced'])
      await compare([...texts, 'written later'])
      const url = await adminUrl('/another')
      const notes = await withMysql(url, (sql) => sql('select it from note order by at'))
      assert.deepEqual(
        notes.map(({ it }) => it as string),
        texts,
      )
    })
  }
}
