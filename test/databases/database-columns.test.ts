/** Every optional column in create, update, the record, lists, the target and pendingChanges. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Columns,
  columnNames,
  deployedNames,
  initialColumns,
  pick,
  placementNames,
} from '../../src/databases/columns.ts'
import { kinds } from '../../src/kinds/index.ts'
import { openTarget, sealTarget, type Target } from '../../src/databases/targets.ts'
import { columnSamples, placementSamples } from './column-samples.ts'
import { type Database, type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const isInTarget = (name: string) => deployedNames.some((it) => it === name)

test('has a sample other than the initial value for every column', () => {
  assert.deepEqual(Object.keys(columnSamples), columnNames)
  assert.deepEqual(Object.keys(placementSamples), placementNames)
  const samples = { ...columnSamples, ...placementSamples }
  for (const name of [...columnNames, ...placementNames]) assert.notEqual(samples[name], initialColumns[name], name)
})

for (const name of columnNames) describe(name, () => columnTests(name, columnSamples[name]))

function columnTests(name: keyof Columns, value: unknown): void {
  const initial = initialColumns[name]

  test('create stores the given value, or the initial one if it is left out', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    for (const [given, wanted] of [
      [{}, initial],
      [{ [name]: value }, value],
    ] as const) {
      const created = await databaseClients.create(given)
      assert.deepEqual([created[name], (await databaseClients.one(created))[name]], [wanted, wanted])
      assert.equal((await listed(testBerth, created))[name], wanted)
    }
  })

  test('update stores the value, and sets pendingChanges only for columns of the target', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const before = await targetIn(testBerth, databaseClients, up)
    assert.equal(name in before, isInTarget(name))
    const changed = await databaseClients.act('update', up, { [name]: value })
    assert.deepEqual([changed[name], changed.pendingChanges], [value, isInTarget(name)])
    assert.equal((await databaseClients.act('update', up, {}))[name], value)
    assert.deepEqual(await targetIn(testBerth, databaseClients, up), before, 'an update leaves the target alone')
    await databaseClients.act('deploy', up)
    const target: Record<string, unknown> = { ...(await targetIn(testBerth, databaseClients, up)) }
    assert.equal(target[name], isInTarget(name) ? value : undefined)
  })
}

test('treats a target without newer columns as equal to the record and starts no new container', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  const tasks = await databaseClients.tasks(up)
  const { transact, vault } = testBerth.app
  const old: Partial<Target> = await targetIn(testBerth, databaseClients, up)
  for (const name of deployedNames) delete old[name]
  const target = sealTarget(vault, 'target', databaseClients.idOf(up), old as Target)
  await transact((tx) =>
    tx.updateTable('database').set({ target }).where('id', '=', databaseClients.idOf(up)).execute(),
  )
  assert.deepEqual(
    pick(await targetIn(testBerth, databaseClients, up), deployedNames),
    pick(initialColumns, deployedNames),
  )
  assert.equal((await databaseClients.act('update', up, { name: 'The shop' })).pendingChanges, false)
  await databaseClients.settle('deploy', up)
  assert.deepEqual(await databaseClients.tasks(up), tasks)
})

async function targetIn(
  { app: { db, vault } }: TestBerth,
  databaseClients: DatabaseClients,
  database: Database,
): Promise<Target> {
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', databaseClients.idOf(database))
    .executeTakeFirstOrThrow()
  return openTarget(vault, 'target', row)!
}

async function listed(testBerth: TestBerth, database: Database): Promise<Record<string, unknown>> {
  const project = await testBerth.ok('project.one', { projectId: testBerth.projectId })
  const services = project[kind.name] as Record<string, unknown>[]
  return services.find((it) => it[kind.idField] === database[kind.idField])!
}
