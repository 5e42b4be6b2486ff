/** Lists that grow: `order` and `since` of deployments, runs, backups of Berth's own state and the audit log. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertRun } from '../../src/backups/run-queries.ts'
import { kinds } from '../../src/kinds/index.ts'
import { operations } from '../../src/operations.ts'
import { createDestination } from '../backups/backups.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

const hour = 3600_000
let testBerth: TestBerth
let serviceId: string
let stateBackupId: string

/** Each list, its id, and the input that it needs besides `order` and `since`. */
const lists: [name: string, id: string, input: () => Input][] = [
  ['deployment.all', 'deploymentId', () => ({ serviceId })],
  ['audit.all', 'auditId', () => ({ operation: 'project.create' })],
  ['backup.runs', 'runId', () => ({ serviceId })],
  ['state.runs', 'runId', () => ({})],
]

before(async () => {
  testBerth = await startTestBerth()
  const database = await databaseClientsOf(testBerth, kinds[0]!).createDeployed()
  serviceId = database[`${kinds[0]!.name}Id`] as string
  const destinationId = await createDestination(testBerth)
  await testBerth.ok('state.schedule', { schedule: '@yearly', destinationId })
  stateBackupId = (await testBerth.app.db.selectFrom('backup').select('id').executeTakeFirstOrThrow()).id
  for (let i = 1; i <= 3; i++) {
    testBerth.pass(hour)
    await testBerth.ok(`${kinds[0]!.name}.deploy`, { [`${kinds[0]!.name}Id`]: serviceId }, { prefer: 'wait=30' })
    await testBerth.ok('project.create', { name: `p${i}` })
    await insertDumps()
  }
})
after(() => testBerth.close())

/** Inserts a dump of the database and one of Berth's own state, which both have ended. */
async function insertDumps() {
  const { app, now } = testBerth
  const at = now().toISOString()
  const ended = { status: 'done', startedAt: at, finishedAt: at, destinationId: 'gone', database: '' } as const
  const dump = { ...ended, action: 'dump', trigger: 'manual' } as const
  await app.transact(async (tx) => {
    await insertRun(tx, { ...dump, id: app.newId(), kind: kinds[0]!.name, databaseId: serviceId }, now())
    const state = { subjectKind: 'installation', kind: 'state', databaseId: null, backupId: stateBackupId } as const
    await insertRun(tx, { ...dump, ...state, id: app.newId() }, now())
  })
}

test('every list of the table takes order and since', () => {
  for (const [name] of lists) {
    const { input } = operations.find((each) => each.name === name)!
    assert.deepEqual(
      ['order', 'since'].filter((field) => !(field in input.shape)),
      [],
      name,
    )
  }
})

for (const [name, id, inputOf] of lists) {
  const idsOf = async (more: Input = {}) =>
    (await testBerth.ok<Record<string, string>[]>(name, { ...inputOf(), ...more })).map((each) => each[id]!)

  test(`${name} lists the oldest first, and the newest first on request`, async () => {
    const ids = await idsOf()
    assert.ok(ids.length >= 3)
    assert.deepEqual(ids, ids.toSorted())
    assert.deepEqual(await idsOf({ order: 'desc' }), ids.toReversed())
  })

  test(`${name} pages from the newest to the oldest without a gap`, async () => {
    const ids = (await idsOf()).toReversed()
    const first = await idsOf({ order: 'desc', limit: 2 })
    assert.deepEqual([...first, ...(await idsOf({ order: 'desc', cursor: first.at(-1)! }))], ids)
  })

  test(`${name} omits what is older than a duration or a time`, async () => {
    const ids = await idsOf()
    const twoHoursAgo = new Date(testBerth.now().getTime() - 1.5 * hour).toISOString()
    for (const since of ['90m', twoHoursAgo]) assert.deepEqual(await idsOf({ since }), ids.slice(-2), since)
    assert.deepEqual(await idsOf({ since: '1s' }).then((all) => all.length <= 1), true)
    assert.deepEqual(await idsOf({ since: '90m', order: 'desc' }), ids.slice(-2).toReversed())
  })

  test(`${name} refuses an invalid order or time, and names the field`, async () => {
    await testBerth.refused('BAD_REQUEST', name, { ...inputOf(), order: 'down' }, 'order')
    for (const since of ['yesterday', '', '-1h']) {
      await testBerth.refused('BAD_REQUEST', name, { ...inputOf(), since }, 'since')
    }
  })
}
