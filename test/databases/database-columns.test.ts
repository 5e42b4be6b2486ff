/** Each optional column in create, update, records, lists, the deployment target and pendingChanges. */
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

test('the samples cover every column and differ from its initial value', () => {
  assert.deepEqual(Object.keys(columnSamples), columnNames)
  assert.deepEqual(Object.keys(placementSamples), placementNames)
  const samples = { ...columnSamples, ...placementSamples }
  for (const name of [...columnNames, ...placementNames]) assert.notEqual(samples[name], initialColumns[name], name)
})

for (const name of columnNames) describe(name, () => columnTests(name, columnSamples[name]))

function columnTests(name: keyof Columns, value: unknown): void {
  const initial = initialColumns[name]

  test('create stores the value, or the initial value if the field is absent', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    for (const [input, expected] of [
      [{}, initial],
      [{ [name]: value }, value],
    ] as const) {
      const created = await databaseClients.create(input)
      assert.deepEqual([created[name], (await databaseClients.one(created))[name]], [expected, expected])
      assert.equal((await listed(testBerth, created))[name], expected)
    }
  })

  test('update stores the value, and sets pendingChanges only for columns of the deployment target', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const before = await targetIn(testBerth, databaseClients, database)
    assert.equal(name in before, isInTarget(name))
    const changed = await databaseClients.ok('update', database, { [name]: value })
    assert.deepEqual([changed[name], changed.pendingChanges], [value, isInTarget(name)])
    assert.equal((await databaseClients.ok('update', database, {}))[name], value)
    assert.deepEqual(await targetIn(testBerth, databaseClients, database), before, 'update changed the target')
    await databaseClients.ok('deploy', database)
    const target: Record<string, unknown> = { ...(await targetIn(testBerth, databaseClients, database)) }
    assert.equal(target[name], isInTarget(name) ? value : undefined)
  })
}

test('starts no new container if the stored target lacks newer columns', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ tls: 'off' })
  const tasks = await databaseClients.tasks(database)
  const { transact, vault } = testBerth.app
  const old: Partial<Target> = await targetIn(testBerth, databaseClients, database)
  for (const name of deployedNames) delete old[name]
  const target = sealTarget(vault, 'target', databaseClients.idOf(database), old as Target)
  await transact((tx) =>
    tx.updateTable('database').set({ target }).where('id', '=', databaseClients.idOf(database)).execute(),
  )
  assert.deepEqual(pick(await targetIn(testBerth, databaseClients, database), deployedNames), {
    ...pick(initialColumns, deployedNames),
    tls: 'off',
  })
  assert.equal((await databaseClients.ok('update', database, { name: 'The shop' })).pendingChanges, false)
  await databaseClients.complete('deploy', database)
  assert.deepEqual(await databaseClients.tasks(database), tasks)
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
