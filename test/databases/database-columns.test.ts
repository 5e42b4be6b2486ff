/** Every column that may be left out, through create, update, the record, lists, the target and pendingChanges. */
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
import { type Database, type Fleet, fleetOf } from '../fixtures/fleet.ts'
import { type Site, startSite } from '../fixtures/site.ts'

const kind = kinds[0]!
const isInTarget = (name: string) => deployedNames.some((it) => it === name)

test('every column has a sample, which is not its initial value', () => {
  assert.deepEqual(Object.keys(columnSamples), columnNames)
  assert.deepEqual(Object.keys(placementSamples), placementNames)
  const samples = { ...columnSamples, ...placementSamples }
  for (const name of [...columnNames, ...placementNames]) assert.notEqual(samples[name], initialColumns[name], name)
})

for (const name of columnNames) describe(name, () => columnTests(name, columnSamples[name]))

function columnTests(name: keyof Columns, value: unknown): void {
  const initial = initialColumns[name]

  test('create stores the given value, and the initial one where it is left out', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    for (const [given, wanted] of [
      [{}, initial],
      [{ [name]: value }, value],
    ] as const) {
      const created = await fleet.create(given)
      assert.deepEqual([created[name], (await fleet.one(created))[name]], [wanted, wanted])
      assert.equal((await listed(site, created))[name], wanted)
    }
  })

  test('update stores it, leaves it alone, and is pending only where the target has the column', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const before = await targetIn(site, fleet, up)
    assert.equal(name in before, isInTarget(name))
    const changed = await fleet.act('update', up, { [name]: value })
    assert.deepEqual([changed[name], changed.pendingChanges], [value, isInTarget(name)])
    assert.equal((await fleet.act('update', up, {}))[name], value)
    assert.deepEqual(await targetIn(site, fleet, up), before, 'an update leaves the target alone')
    await fleet.act('deploy', up)
    const target: Record<string, unknown> = { ...(await targetIn(site, fleet, up)) }
    assert.equal(target[name], isInTarget(name) ? value : undefined)
  })
}

test('a target from before the columns existed is the same as the record, and gets no new container', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const up = await fleet.up()
  const tasks = await fleet.tasks(up)
  const { transact, vault } = site.app
  const old: Partial<Target> = await targetIn(site, fleet, up)
  for (const name of deployedNames) delete old[name]
  const target = sealTarget(vault, 'target', fleet.idOf(up), old as Target)
  await transact((tx) => tx.updateTable('database').set({ target }).where('id', '=', fleet.idOf(up)).execute())
  assert.deepEqual(pick(await targetIn(site, fleet, up), deployedNames), pick(initialColumns, deployedNames))
  assert.equal((await fleet.act('update', up, { name: 'The shop' })).pendingChanges, false)
  await fleet.settle('deploy', up)
  assert.deepEqual(await fleet.tasks(up), tasks)
})

async function targetIn({ app: { db, vault } }: Site, fleet: Fleet, database: Database): Promise<Target> {
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', fleet.idOf(database))
    .executeTakeFirstOrThrow()
  return openTarget(vault, 'target', row)!
}

async function listed(site: Site, database: Database): Promise<Record<string, unknown>> {
  const project = await site.ok('project.one', { projectId: site.projectId })
  const services = project[kind.name] as Record<string, unknown>[]
  return services.find((it) => it[kind.idField] === database[kind.idField])!
}
