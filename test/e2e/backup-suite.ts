/**
 * A backup of every kind that can be dumped, on a real swarm and a real storage: dumped, proven by a drill, wiped,
 * restored into itself and into a new service. One database goes through all of it, in order.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Manifest } from '../../src/dumps/manifest.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { identitySuite } from './backup-identity-suite.ts'
import type { Client } from './clients.ts'
import { type Fields, type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import type { Storage } from './storage.ts'
import { freePort, type Swarm, uniqueName } from './swarm.ts'

export interface RunAnswer extends Fields {
  runId: string
  status: string
  reason: string | null
  key: string
  sizeBytes: number
  message?: string
  safetyRunId: string | null
  appName: string
}

export interface BackupEnvironment {
  berth: Swarm
  storage: Storage
  destinationId: string
}

const wait = { prefer: 'wait=300' }
const texts = ['first', 'é☃ "quoted" \\ \'', 'x'.repeat(50_000)]

interface Case {
  databaseClients: DatabaseClients
  database: Database
  backupId: string
  runId: string
  key: string
}

export function backupSuite(kind: Kind, client: Client, opened: () => BackupEnvironment): void {
  describe(kind.name, { concurrency: 1 }, () => {
    const it = {} as Case
    const call = (name: string, input: Fields) =>
      opened().berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
    before(async () => {
      const { berth, destinationId } = opened()
      it.databaseClients = databaseClientsOn(berth, kind, client)
      it.database = await it.databaseClients.deployed()
      await it.databaseClients.open(it.database, async (session) => {
        for (const text of texts) await session.write(text)
      })
      const { status, body } = await berth.call<{ backupId: string }>('backup.create', {
        schedule: '0 3 * * *',
        prefix: 'nightly',
        destinationId,
        database: 'shop',
        databaseType: kind.name,
        [kind.idField]: it.database[kind.idField],
      })
      assert.equal(status, 200, JSON.stringify(body))
      it.backupId = body.backupId
    })
    // Where it was not made, there is nothing to clear: the swarm's Berth takes what is left.
    after(() => it.database && it.databaseClients.clear(it.database))

    test('a manual backup is good, and lies in the bucket with its manifest', async () => {
      const { status, body } = await call(kind.manualBackup!, { backupId: it.backupId })
      assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
      Object.assign(it, { runId: body.runId, key: body.key })
      const { body: files } = await opened().berth.call<Fields[]>('backup.files', { backupId: it.backupId })
      const own = files.filter(({ key }) => (key as string).startsWith(body.key))
      assert.deepEqual(
        own.map(({ key }) => key),
        [body.key, `${body.key}.json`],
      )
      assert.equal(own[0]!.sizeBytes, body.sizeBytes)
    })

    test('a drill restores it elsewhere and finds it equal', async () => {
      const { status, body } = await call('verify', { backupId: it.backupId })
      assert.deepEqual([status, body.message], [200, undefined])
      assert.match(body.reason!, /^Restored and equal: \d+ tables? with \d+ rows/)
    })

    test('a restore brings back what was written over, and a dump of that before', async () => {
      await it.databaseClients.open(it.database, (session) => session.write('written later'))
      const input = { backupId: it.backupId, runId: it.runId, [kind.idField]: it.database[kind.idField] }
      const unasked = await call('restore', input)
      assert.equal(unasked.status, 400, 'not without its name')
      const { status, body } = await call('restore', { ...input, confirm: it.database.appName })
      assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
      assert.deepEqual(await it.databaseClients.open(it.database, (session) => session.read()), texts)
      await call('restore', { ...input, runId: body.safetyRunId, confirm: it.database.appName, skipSafetyDump: true })
      assert.deepEqual(await it.databaseClients.open(it.database, (session) => session.read()), [
        ...texts,
        'written later',
      ])
    })

    test('under another name it is restored as that, or refused before anything is done', async () => {
      const manifest = readFileSync(`${opened().storage.filesOf('backups')}/${it.key}.json`, 'utf8')
      const { contents } = JSON.parse(manifest) as Manifest
      const { status, body } = await call('restore', {
        backupId: it.backupId,
        runId: it.runId,
        [kind.idField]: it.database[kind.idField],
        confirm: it.database.appName,
        database: 'another',
        skipSafetyDump: true,
      })
      if (contents.database !== null) {
        assert.equal(status, 400)
        assert.deepEqual(
          (body.issues as Fields[]).map(({ path }) => path),
          ['database'],
        )
      } else {
        assert.deepEqual([status, body.message], [200, undefined])
        const { databaseRootPassword: password } = await it.databaseClients.one(it.database)
        // The user's grants are for the database of the other name.
        const root = typeof password === 'string' ? { username: 'root', password } : {}
        const url = Object.assign(new URL(await it.databaseClients.urlOf(it.database)), {
          pathname: '/another',
          ...root,
        })
        const session = await client.connect(url.href)
        assert.deepEqual(await session.read().finally(session.close), texts)
      }
      assert.deepEqual(await it.databaseClients.open(it.database, (session) => session.read()), [
        ...texts,
        'written later',
      ])
    })

    identitySuite(kind, opened, it)

    test('a restore from the key alone makes a new service', async () => {
      const { destinationId } = opened()
      const appName = uniqueName(`${kind.name}-new`)
      const { status, body } = await call('restore', { destinationId, key: it.key, appName })
      assert.deepEqual([status, body.message], [200, undefined])
      const made = { ...it.database, [kind.idField]: body.databaseId }
      await it.databaseClients.done('saveExternalPort', made, { externalPort: await freePort() })
      assert.deepEqual(await it.databaseClients.open(made, (session) => session.read()), texts)
      await it.databaseClients.done('remove', made, { removeData: true })
    })
  })
}
