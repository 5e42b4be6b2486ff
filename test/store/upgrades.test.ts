/** This version opens the stores of all earlier versions. No data is lost, and every record can be changed. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { memoryEngine } from '../engine/memory/engine.ts'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { idGenerator } from '../../src/lib/crypto/id.ts'
import { checkChain } from '../../src/api/audit-log.ts'
import { settingsOfDestination } from '../../src/backups/destinations/settings.ts'
import { rotateKey } from '../../src/installation/rotation.ts'
import type { VolumeTable } from '../../src/store/schema.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Berth, installationToken, startBerth } from '../fixtures/harness.ts'
import { configOf } from '../installation/filled-store.ts'

const [originalKey, nextKey] = ['ab'.repeat(32), 'cd'.repeat(32)]
const password = 'the-password-of-then'
const files = globSync(join(import.meta.dirname, '*.sql')).sort()

/** Creates a data folder with the store of a version. */
function folderOf(t: TestContext, sqlPath: string): string {
  const folder = temporaryFolder(t)
  const file = new DatabaseSync(join(folder, 'berth.db'))
  file.exec('pragma journal_mode = wal')
  file.exec(readFileSync(sqlPath, 'utf8'))
  file.close()
  return folder
}

/** Returns all columns of all tables, and all indexes, as text. */
function schemaIn(folder: string): string[] {
  using file = new DatabaseSync(join(folder, 'berth.db'), { readOnly: true })
  const columns = file
    .prepare(`
    select t."name" as "table", c."name", c."type", c."notnull", c."dflt_value", c."pk"
      from sqlite_schema t, pragma_table_info(t."name") c where t."type" = 'table'`)
    .all()
  const indexes = file.prepare('select "tbl_name", "name", "sql" from sqlite_schema where "type" = \'index\'').all()
  return [...columns, ...indexes].map((row) => JSON.stringify(row).replace(/(?:\\n|\s)+/g, ' ')).sort()
}

/** Early versions have no column `identity`. */
type VolumeRow = Pick<VolumeTable, 'name' | 'kind' | 'dataPath'> & { identity?: string | null }

/** Returns an engine that has the volumes of the store, with the marks of their data. */
function engineWithVolumesOf(folder: string) {
  using file = new DatabaseSync(join(folder, 'berth.db'), { readOnly: true })
  const volumes = file.prepare('select * from "volume"').all() as unknown as VolumeRow[]
  return (installationId: string) => {
    const engine = memoryEngine(installationId)
    for (const { name, kind, dataPath, identity } of volumes) {
      engine.putVolume(name)
      const folder = kindNamed(kind).dataPath(null).slice(dataPath.length)
      if (typeof identity === 'string') engine.marks.set(`${name}:${folder}`, identity)
    }
    return engine
  }
}

type Fields = Record<string, unknown>

async function ok<T = Fields>(
  { call }: Berth,
  name: string,
  input: Fields = {},
  token?: string,
  headers: Record<string, string> = {},
) {
  const { status, body } = await call<T>(name, input, token, headers)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

test('the folder has stores of the first and of later versions', () => {
  const names = files.map((path) => basename(path, '.sql'))
  assert.equal(names[0], '0001-first')
  assert.ok(names.length > 8, names.join())
})

for (const path of files) {
  const name = basename(path, '.sql')
  test(`opens a store of version ${name} with all its data`, async (t) => {
    const folder = folderOf(t, path)
    {
      const connect = engineWithVolumesOf(folder)
      await using berth = await startBerth({ folder, connect, env: { BERTH_MASTER_KEY: originalKey } })
      await using fresh = await startBerth()
      const [actual, expected] = [schemaIn(folder), schemaIn(fresh.folder)]
      assert.deepEqual(
        actual.filter((line) => !expected.includes(line)),
        [],
        'columns and indexes that a new store does not have',
      )
      assert.deepEqual(
        expected.filter((line) => !actual.includes(line)),
        [],
        'columns and indexes that only a new store has',
      )
      await checkAccounts(berth)
      await checkServices(berth, name)
      await checkRest(berth, name)
      const chain = await checkChain(berth.app.db, berth.app.vault)
      assert.ok(chain.brokenAt === null && chain.entries > 0)
    }
    await checkSecrets(folder)
  })
}

async function checkAccounts(berth: Berth) {
  const credentials = { email: 'ada@example.org', password: 'correct horse' }
  const { accessToken } = await ok<{ accessToken: string }>(berth, 'auth.login', credentials, installationToken)
  const { email, rol } = await ok(berth, 'auth.get', {}, accessToken)
  assert.deepEqual([email, rol], ['Ada@example.org', 'admin'])
}

interface Project {
  projectId: string
  description: string
  [kind: string]: unknown
}

/** Checks that all databases exist, changes and deploys one of them, and reuses a kept volume. */
async function checkServices(berth: Berth, version: string) {
  const [project] = await ok<Project[]>(berth, 'project.all')
  assert.equal(project!.description, 'of then')
  const services = kinds.flatMap((kind) => (project![kind.name] as Fields[]).map((row) => ({ kind, row })))
  assert.equal(services.length, version < '0003' ? 2 : 6)
  for (const { kind, row } of services) {
    const one = await ok(berth, `${kind.name}.one`, { [kind.idField]: row[kind.idField] })
    assert.deepEqual([one.databasePassword, one.name], [password, 'it'])
  }
  const {
    row: { postgresId },
  } = services.find(({ row }) => row.appName === 'orders')!
  const orders = await ok(berth, 'postgres.one', { postgresId })
  assert.deepEqual(
    [orders.externalPort, orders.memoryLimit, orders.cpuLimit, orders.command, orders.env],
    [15432, 512, 0.5, '-c max_connections=50', 'KEY=of then'],
  )
  assert.ok(typeof orders.lastDeployedAt === 'string' && typeof orders.volume === 'string')
  const updated = await ok(berth, 'postgres.update', { ...orders, description: 'of now', memoryLimit: 1024 })
  assert.deepEqual([updated.description, updated.pendingChanges], ['of now', true])
  const deployed = await ok(berth, 'postgres.deploy', { postgresId }, undefined, { prefer: 'wait=60' })
  assert.deepEqual([deployed.applicationStatus, deployed.volume], ['done', orders.volume])
  const [kept] = (await ok<Fields[]>(berth, 'volume.all')).filter(({ appName }) => appName === 'kept')
  const { projectId } = project!
  const again = await ok<Fields & { postgresId: string }>(berth, 'volume.restore', {
    volumeId: kept!.volumeId,
    projectId,
    name: 'again',
    appName: 'again',
  })
  const restored = await ok(berth, 'postgres.one', { postgresId: again.postgresId })
  assert.equal(restored.databasePassword, password)
}

/** Checks the destinations, backups and routing rules, if the version had them. */
async function checkRest(berth: Berth, version: string) {
  const {
    app: { db, vault },
  } = berth
  const destinations = await db.selectFrom('destination').selectAll().execute()
  assert.equal(destinations.length, version < '0007-backups' ? 0 : 1)
  for (const row of destinations) {
    assert.equal(settingsOfDestination(vault, row).secretAccessKey, password)
    const [backup] = await ok<Fields[]>(berth, 'backup.all')
    assert.deepEqual([backup!.destinationId, backup!.keepLatest, backup!.prefix], [row.id, 3, 'nightly'])
    await ok(berth, 'backup.update', { ...backup, keepLatest: 4 })
  }
  const redirects = await db.selectFrom('redirect').select('applicationId').execute()
  assert.equal(redirects.length, version < '0008-routing' ? 0 : 1)
  for (const { applicationId } of redirects) {
    const [user] = await ok<Fields[]>(berth, 'security.all', { applicationId })
    assert.equal(user!.username, 'ann')
  }
}

/** Checks that all sealed values open: rotates the master key, which fails if a value does not open. */
async function checkSecrets(folder: string) {
  const both = { BERTH_MASTER_KEY: originalKey, BERTH_NEW_MASTER_KEY: nextKey }
  const { resealed } = await rotateKey(configOf(folder, both), {
    now: () => new Date(),
    newId: idGenerator(),
    reached: () => undefined,
  })
  assert.ok(resealed >= 10, `${resealed} sealed values`)
  await using berth = await startBerth({ folder, env: { BERTH_MASTER_KEY: nextKey } })
  await checkAccounts(berth)
}
