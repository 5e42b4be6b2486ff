/**
 * Tests of one kind's backups on a real swarm with real storage: dump, drill, restore into the same service, restore
 * into a new service and into an emptied database. The tests share one database and run in order.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Manifest } from '../../src/dumps/manifest.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { emptiedTests } from './backup-empty-suite.ts'
import { identitySuite } from './backup-identity-suite.ts'
import type { Client } from './clients.ts'
import { type AnyBerth, type Fields, type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type Storage, startStorage } from './storage.ts'
import { freePort } from '../fixtures/free-port.ts'
import { onSwarm, type Swarm, uniqueName } from './swarm.ts'

export interface RunAnswer extends Fields {
  runId: string
  status: string
  reason: string | null
  key: string
  sizeBytes: number
  message?: string
  safetyRunId: string | null
  data: string | null
  appName: string
}

export interface BackupEnvironment {
  berth: Swarm
  storage: Storage
  destinationId: string
}

/**
 * Starts a storage and a Berth for backups of several databases at the same time. Both end with `opened`.
 * @param idleSeconds how long a tool may transfer nothing. A dump waits for a lock for half of it. On a busy machine, even the
 *   start of a tool can take some ten seconds
 */
export async function openBackupEnvironment(
  opened: AsyncDisposableStack,
  idleSeconds = 120,
): Promise<BackupEnvironment> {
  const storage = opened.use(await startStorage())
  const env = { BERTH_BACKUP_IDLE_SECONDS: String(idleSeconds), BERTH_BACKUP_CONCURRENCY: '6' }
  const berth = opened.use(await onSwarm({ env }))
  storage.makeBucket('backups')
  const { status, body } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  assert.equal(status, 200)
  return { berth, storage, destinationId: body.destinationId }
}

/** Creates a backup of the database `shop`, or of the whole server if dumps of the kind have that. */
export function createBackup(
  { berth, destinationId }: { berth: Pick<AnyBerth, 'call'>; destinationId: string },
  kind: Kind,
  database: Fields,
  fields: Fields,
) {
  const { idField, name, createBackup: ownOperation } = kind
  const named = ownOperation === undefined ? { database: 'shop', databaseType: name } : {}
  return berth.call<{ backupId: string }>(`backup.${ownOperation ?? 'create'}`, {
    schedule: restingSchedule,
    destinationId,
    ...named,
    [idField]: database[idField],
    ...fields,
  })
}

const wait = { prefer: 'wait=300' }
const texts = ['first', 'é☃ "quoted" \\ \'', 'x'.repeat(50_000)]

/** The database that the tests of a suite share, and its first dump. */
export interface BackedUp {
  databaseClients: DatabaseClients
  database: Database
  backupId: string
  runId: string
  key: string
}

/** @param isThorough whether to test everything, or only a dump, its drill and its restore into an emptied database */
export function backupSuite(
  kind: Kind,
  client: Client,
  isThorough: boolean,
  environment: () => BackupEnvironment,
): void {
  describe(kind.name, { concurrency: 1 }, () => {
    const context = {} as BackedUp
    const call = (name: string, input: Fields) =>
      environment().berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
    const compareTexts = (what: string, expected: string[], database = context.database) =>
      compareData(what, async () =>
        assert.deepEqual(await context.databaseClients.open(database, (session) => session.read()), expected),
      )
    before(async () => {
      const { berth } = environment()
      context.databaseClients = databaseClientsOn(berth, kind, client)
      context.database = await context.databaseClients.deployed()
      await context.databaseClients.open(context.database, async (session) => {
        for (const text of texts) await session.write(text)
      })
      const { status, body } = await createBackup(environment(), kind, context.database, { prefix: 'nightly' })
      assert.equal(status, 200, JSON.stringify(body))
      context.backupId = body.backupId
    })
    // If the database was not created, closing Berth's swarm fixture removes what is left.
    after(() => context.database && context.databaseClients.clear(context.database))

    test('a manual backup stores its dump and its manifest in the bucket', async () => {
      const { status, body } = await call(kind.manualBackup!, { backupId: context.backupId })
      assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
      Object.assign(context, { runId: body.runId, key: body.key })
      const { body: files } = await environment().berth.call<Fields[]>('backup.files', { backupId: context.backupId })
      const own = files.filter(({ key }) => (key as string).startsWith(body.key))
      assert.deepEqual(
        own.map(({ key }) => key),
        [body.key, `${body.key}.json`],
      )
      assert.equal(own[0]!.sizeBytes, body.sizeBytes)
    })

    test('a drill restores the dump into a scratch server and finds equal contents', async () => {
      const { status, body } = await call('verify', { backupId: context.backupId })
      assert.deepEqual([status, body.message], [200, undefined])
      assert.match(body.reason!, /^Restored and equal: \d+ tables? with \d+ rows/)
    })

    if (isThorough) thoroughTests()
    emptiedTests(kind.name, environment, context, texts)

    function thoroughTests() {
      test('a restore reverts later changes, and its safety dump brings them back', async () => {
        await context.databaseClients.open(context.database, (session) => session.write('written later'))
        const input = {
          backupId: context.backupId,
          runId: context.runId,
          [kind.idField]: context.database[kind.idField],
        }
        const unconfirmed = await call('restore', input)
        assert.equal(unconfirmed.status, 400, 'a restore needs the appName as confirmation')
        const { status, body } = await call('restore', { ...input, confirm: context.database.appName })
        assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
        await compareTexts('the restored texts', texts)
        const undo = { ...input, runId: body.safetyRunId, confirm: context.database.appName, skipSafetyDump: true }
        await call('restore', undo)
        await compareTexts('the texts of the safety dump', [...texts, 'written later'])
      })

      test('a restore under another database name succeeds, or is refused without any change', async () => {
        const manifest = readFileSync(`${environment().storage.filesOf('backups')}/${context.key}.json`, 'utf8')
        const { contents } = JSON.parse(manifest) as Manifest
        const { status, body } = await call('restore', {
          backupId: context.backupId,
          runId: context.runId,
          [kind.idField]: context.database[kind.idField],
          confirm: context.database.appName,
          database: 'another',
          skipSafetyDump: true,
        })
        if (contents.database !== null || kind.backup!.database !== undefined) {
          assert.equal(status, 400)
          assert.deepEqual(
            (body.issues as Fields[]).map(({ path }) => path),
            ['database'],
          )
        } else {
          assert.deepEqual([status, body.message], [200, undefined])
          const { databaseRootPassword: password } = await context.databaseClients.one(context.database)
          // The user has grants on the original database only.
          const root = typeof password === 'string' ? { username: 'root', password } : {}
          const url = Object.assign(new URL(await context.databaseClients.urlOf(context.database)), {
            pathname: '/another',
            ...root,
          })
          const session = await client.connect(url.href)
          await compareData('the texts under the other name', async () =>
            assert.deepEqual(await session.read().finally(session.close), texts),
          )
        }
        await compareTexts('the texts under the former name', [...texts, 'written later'])
      })

      identitySuite(kind, environment, context)

      test('a restore that is given only an object key creates a new service', async () => {
        const { destinationId } = environment()
        const appName = uniqueName(`${kind.name}-new`)
        const { status, body } = await call('restore', { destinationId, key: context.key, appName })
        assert.deepEqual([status, body.message], [200, undefined])
        const created = { ...context.database, [kind.idField]: body.databaseId }
        await context.databaseClients.done('saveExternalPort', created, { externalPort: await freePort() })
        await compareTexts('the texts of the new service', texts, created)
        await context.databaseClients.done('remove', created, { removeData: true })
      })
    }
  })
}
