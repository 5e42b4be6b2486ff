/**
 * Every table with records and every column that people see causes events. The tests change every column of every
 * table of the store, so a later migration cannot forget the triggers.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { type EventKind, type EventTable, eventKinds } from '../../src/events/table.ts'
import { operations } from '../../src/operations.ts'
import { sealedColumns } from '../../src/store/sealed.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { copyNewStore } from '../fixtures/new-store.ts'

/** Tables whose changes are no events, with the reason. */
const tablesWithoutEvents: Record<string, string> = {
  meta: 'has settings and secrets of the installation, which no list shows',
  token: 'an account sees only its own tokens; the loss of a token ends the streams that use it',
  recoveryCode: 'the codes are shown once and never listed',
  audit: 'audit.all reads it from a position on; most entries accompany an event',
  attempt: 'no operation lists the attempts; many of them are a condition',
  knownNetwork: 'no operation lists the networks',
  knownDevice: 'no operation lists the devices',
  idempotency: 'no operation lists the keys',
  move: 'the deployment of the move shows its progress',
  backupIdentity: 'has one row, which is created once',
  expiredObject: 'no operation lists the objects that Berth still has to delete',
  changedCredentials: 'no operation lists the services that Berth still has to update',
  event: 'has the events themselves',
}

/** Columns whose change alone is no event, with the reason. */
const columnsWithoutEvents: Record<string, Record<string, string>> = {
  database: { provenTask: 'no operation shows it; it changes with every restart of the server' },
  volume: {
    generation: 'no operation shows it; it changes only together with the owner',
    dataPlaces: 'no operation shows it; statusReason says if data is outside the volume',
    restoreSettings: 'no operation shows it; it changes only during a restore',
    startSecrets: 'no operation shows it; it is recorded once, with the first login',
    initializingSince: 'no operation shows it; volumeFault says if the initialization was interrupted',
    ownAccount: 'no operation shows it',
    copyOf: 'it is recorded once, with the volume',
    copiedAt: 'no operation shows it; the deployment shows the progress',
    access: 'no operation shows it; the conditions tell it',
    foundNodeId: 'the condition NodeReturned tells it',
    foundNodeName: 'the condition NodeReturned tells it',
  },
  account: {
    lastSeenAt: 'it changes while an account only reads',
    pinStep: 'no operation shows it; it changes with every sign-in',
  },
  application: { isOwn: "a service never changes its owner; Berth's own services are no applications" },
}

/** The operation that reads the records of a kind. */
const readOperations: Record<EventKind, string> = {
  project: 'project.one',
  database: 'database.all',
  deployment: 'deployment.all',
  backup: 'backup.one',
  run: 'backup.runs',
  destination: 'destination.one',
  volume: 'volume.all',
  node: 'cluster.getNodes',
  application: 'application.all',
  redirect: 'redirects.one',
  security: 'security.one',
  port: 'port.one',
  certificate: 'certificates.one',
  hostName: 'application.all',
  registry: 'registry.one',
  registryServer: 'registry.one',
  account: 'user.all',
  invitation: 'user.invitations',
  condition: 'condition.all',
}

interface Column {
  name: string
  type: string
  pk: number
}

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const folder = folderUnder(cleanup)
await copyNewStore(folder)
const file = cleanup.adopt(new DatabaseSync(join(folder, 'berth.db')), (it) => it.close())
// The rows of this test refer to no other rows.
file.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on')
const tables = (file.prepare(`select "name" from sqlite_schema where "type" = 'table'`).all() as { name: string }[])
  .map(({ name }) => name)
  .filter((name) => !/^(?:sqlite|kysely)_/.test(name))
const watchedTables = tables.filter((name) => !Object.hasOwn(tablesWithoutEvents, name))

const columnsOf = (table: string) =>
  file.prepare('select * from pragma_table_info(?)').all(table) as object[] as Column[]
/** A value that shows where it comes from; another one for each version. */
const sampleOf = (table: string, { name, type }: Column, version = 0) =>
  /int|real/i.test(type) ? version : `<${table}.${name}.${version}>`

const eventsAfter = (seq: number) =>
  file.prepare('select * from "event" where "seq" > ? order by "seq"').all(seq) as object[] as EventTable[]
const lastSeq = () =>
  (file.prepare('select coalesce(max("seq"), 0) as "seq" from "event"').get() as { seq: number }).seq

/** Runs a statement, and returns the events that it caused. */
function eventsOf(statement: string, ...values: (string | number)[]): EventTable[] {
  const before = lastSeq()
  file.prepare(statement).run(...values)
  return eventsAfter(before)
}

function insertInto(table: string): EventTable[] {
  const columns = columnsOf(table)
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map((column) => sampleOf(table, column))
  return eventsOf(`insert into "${table}" (${names}) values (${values.map(() => '?').join(', ')})`, ...values)
}

test('the creation and the removal of a record of every kind are events', () => {
  const kinds: string[] = []
  for (const table of watchedTables) {
    const events = [...insertInto(table), ...eventsOf(`delete from "${table}"`)]
    assert.deepEqual(
      events.map(({ change }) => change),
      ['created', 'removed'],
      `${table} has no triggers. Call addEventTriggers in the migration, or add the table to tablesWithoutEvents`,
    )
    const [created, removed] = events
    assert.deepEqual({ ...removed!, seq: 0, at: '', change: '' }, { ...created!, seq: 0, at: '', change: '' })
    kinds.push(created!.kind)
  }
  assert.deepEqual(kinds.sort(), [...eventKinds].sort())
})

test('a change of every column of a record is an event', () => {
  for (const table of watchedTables) {
    const [created] = insertInto(table)
    const silent = columnsOf(table)
      .filter(({ pk }) => pk === 0)
      .filter((column) => {
        const update = `update "${table}" set "${column.name}" = ?`
        const events = eventsOf(update, sampleOf(table, column, 1))
        eventsOf(update, sampleOf(table, column))
        assert.ok(events.every(({ change, recordId }) => change === 'changed' && recordId === created!.recordId))
        return events.length === 0
      })
    assert.deepEqual(
      silent.map(({ name }) => name).sort(),
      Object.keys(columnsWithoutEvents[table] ?? {}).sort(),
      `${table}: renew its triggers in the migration, or add the column to columnsWithoutEvents`,
    )
    file.exec(`delete from "${table}"`)
  }
})

test('an update that changes nothing is no event', () => {
  for (const table of watchedTables) {
    insertInto(table)
    for (const { name } of columnsOf(table)) {
      assert.deepEqual(eventsOf(`update "${table}" set "${name}" = "${name}"`), [], `${table}.${name}`)
    }
    file.exec(`delete from "${table}"`)
  }
})

test('the tables without events cause none, and exist', () => {
  for (const table of Object.keys(tablesWithoutEvents).filter((name) => name !== 'event')) {
    assert.deepEqual([...insertInto(table), ...eventsOf(`delete from "${table}"`)], [], table)
  }
})

test('no event has the value of a column with a secret', () => {
  const sealed = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`))
  const isSecret = (table: string, name: string) =>
    sealed.has(`${table}.${name}`) || /hash|secret|password|token|key|env|url|identity|command/i.test(name)
  for (const table of tables) {
    const events = insertInto(table)
    const secrets = columnsOf(table).filter(({ name }) => isSecret(table, name))
    for (const { data } of events) {
      for (const { name } of secrets) assert.ok(!data.includes(`${table}.${name}`), `${table}.${name} is in ${data}`)
    }
    file.exec(`delete from "${table}"`)
  }
})

test('a change that is rolled back leaves no event, and its number is given again', () => {
  const before = lastSeq()
  file.exec('begin')
  assert.equal(insertInto('project').length, 1)
  file.exec('rollback')
  assert.deepEqual(eventsAfter(before), [])
  assert.equal(insertInto('project')[0]!.seq, before + 1)
  file.exec('delete from "project"')
})

test('the events of a kind need the role that the operation needs which reads its records', () => {
  for (const table of watchedTables) {
    const { kind, adminOnly } = insertInto(table)[0]!
    const { access } = operations.find(({ name }) => name === readOperations[kind])!
    // user.all gives other users only their own account.
    assert.equal(adminOnly === 1, access.startsWith('admin:') || kind === 'account', `${kind}: ${access}`)
    assert.ok(kind === 'account' || ['user:read', 'admin:read'].includes(access), `${kind}: ${access}`)
    file.exec(`delete from "${table}"`)
  }
})

test("the events of the backup of Berth's own state and of its runs are for administrators", () => {
  for (const table of ['backup', 'backupRun']) {
    insertInto(table)
    const events = eventsOf(`update "${table}" set "subjectKind" = 'installation'`)
    assert.deepEqual(
      [...events, ...eventsOf(`delete from "${table}"`)].map(({ adminOnly }) => adminOnly),
      [1, 1],
    )
  }
})

test('docs/events.md lists every kind with the operation that reads its records, and the fields of its events', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8')
  const listed = [...text.matchAll(/^\| `(\w+)`( †)?[^|]*\| `([\w.]+)` \| (.*) \|$/gm)].map(
    ([, kind, mark, operation, fields]) => [
      kind,
      mark !== undefined,
      operation,
      fields!.replaceAll('`', '').split(', '),
    ],
  )
  const expected = watchedTables.map((table) => {
    const { kind, data } = insertInto(table)[0]!
    file.exec(`delete from "${table}"`)
    const isMarked = ['account', 'invitation', 'node'].includes(kind)
    return [kind, isMarked, readOperations[kind], Object.keys(JSON.parse(data))]
  })
  assert.deepEqual(listed.sort(), expected.sort())
})
