/** Conditions of databases: outages, restarts, refused logins, drift and planned work. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isReadable } from '../../src/events/filter.ts'
import type { EventTable } from '../../src/events/table.ts'
import { recordedEvents } from '../events/recorded.ts'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { credentialsIn, databaseClientsOf, fakeDatabaseServer, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { afterTurn, type Condition, readConditions, untilPresent } from './conditions.ts'

const kind = kinds[0]!

async function startWithDatabase() {
  const testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, kind)
  return { testBerth, clients, database: await clients.createDeployed() }
}
type Started = Awaited<ReturnType<typeof startWithDatabase>>

const isUp = ({ applicationStatus, containerState }: Record<string, unknown>) =>
  applicationStatus === 'done' && containerState === 'running'

/** Stops the container for a short time, as a crash of the server does. */
async function restartOnce({ testBerth, clients, database }: Started): Promise<void> {
  testBerth.engine.behave(database.appName, 'starting')
  await waitForRecord(testBerth, clients, database, ({ containerState }) => containerState === 'starting')
  testBerth.engine.behave(database.appName, 'running')
  await waitForRecord(testBerth, clients, database, isUp)
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('conditions of databases', { concurrency: true }, () => {
  outageTests()
  restartTests()
  otherTests()
  plannedWorkTests()
})

/** The kinds of changes among the events of a condition, for an account that is no administrator. */
async function eventsOf({ app, projectId }: TestBerth, recordId: string): Promise<string[]> {
  const events = await recordedEvents(app, { kind: 'condition', recordId })
  const isSent = (event: EventTable) =>
    event.projectId === projectId && isReadable(event, { rol: 'user', accountId: '' })
  return [...new Set(events.filter(isSent).map(({ change }) => change))]
}

function outageTests(): void {
  test('a database that goes down and comes back begins and ends a condition', async () => {
    const { testBerth, clients, database } = await startWithDatabase()
    await using _ = testBerth
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.engine.behave(database.appName, 'crash:3')
    const { DatabaseDown: down } = await untilPresent(testBerth, 'DatabaseDown')
    const { downSince } = await testBerth.app.db.selectFrom('database').select('downSince').executeTakeFirstOrThrow()
    const { conditionId, reason, ...rest } = down!
    assert.deepEqual(rest, {
      name: 'DatabaseDown',
      severity: 'critical',
      subjectKind: 'database',
      subjectId: clients.idOf(database),
      subjectName: database.appName,
      projectId: testBerth.projectId,
      reasonCode: 'DatabaseDown',
      since: downSince,
      endedAt: null,
    })
    assert.match(reason, /^The database does not run: Still down.*exit code 3/)
    testBerth.engine.behave(database.appName, 'running')
    await untilPresent(testBerth)
    const [ended] = await readConditions(testBerth, { state: 'ended', projectId: testBerth.projectId })
    assert.deepEqual({ ...ended, endedAt: null }, down)
    assert.ok(ended!.endedAt! > ended!.since)
    assert.deepEqual(await eventsOf(testBerth, conditionId), ['created', 'changed'])
  })

  test('a condition survives a restart of Berth', async () => {
    const { testBerth, database } = await startWithDatabase()
    await using _ = testBerth
    testBerth.engine.behave(database.appName, 'crash:3')
    const { DatabaseDown: before } = await untilPresent(testBerth, 'DatabaseDown')
    await testBerth.restart()
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [before])
    await testBerth.restart(async () => testBerth.engine.behave(database.appName, 'running'))
    await untilPresent(testBerth)
    const ended = await readConditions(testBerth, { state: 'ended' })
    assert.ok(ended.some(({ conditionId, endedAt }) => conditionId === before!.conditionId && endedAt !== null))
  })
}

function restartTests(): void {
  test('the third restart in 15 minutes begins DatabaseRestarting, and 15 quiet minutes end it', async () => {
    const started = await startWithDatabase()
    const { testBerth } = started
    await using _ = testBerth
    await restartOnce(started)
    await restartOnce(started)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    await restartOnce(started)
    const { DatabaseRestarting: found } = await untilPresent(testBerth, 'DatabaseRestarting')
    assert.deepEqual([found!.severity, found!.reasonCode], ['warning', 'RestartedOften'])
    assert.match(found!.reason, /^The database went down 3 times in the last 15 minutes/)
    testBerth.pass(14 * 60_000)
    await restartOnce(started)
    testBerth.pass(14 * 60_000)
    await afterTurn(testBerth)
    assert.deepEqual(
      (await readConditions(testBerth)).map(({ conditionId }) => conditionId),
      [found!.conditionId],
    )
    testBerth.pass(60_000)
    await untilPresent(testBerth)
  })

  test('a reload ends DatabaseRestarting', async () => {
    const started = await startWithDatabase()
    const { testBerth, clients, database } = started
    await using _ = testBerth
    for (let i = 0; i < 3; i++) await restartOnce(started)
    await untilPresent(testBerth, 'DatabaseRestarting')
    await clients.complete('reload', database, { appName: database.appName })
    await untilPresent(testBerth)
  })
}

/** Waits until a login has failed. Berth reports this only when the server has had some time to start. */
function untilUnproven(testBerth: TestBerth): Promise<true> {
  return testBerth.until('the failed login', async () => {
    testBerth.pass(5000)
    const { observed } = await testBerth.app.db.selectFrom('database').select('observed').executeTakeFirstOrThrow()
    return observed === 'unproven' || null
  })
}

function otherTests(): void {
  test('a database whose version gets no more fixes has a condition until it is stopped', async () => {
    await using testBerth = await startTestBerth()
    const clients = databaseClientsOf(testBerth, kindNamed('postgres'))
    const database = await clients.createDeployed({ dockerImage: 'postgres:12' })
    const read = async () =>
      (await testBerth.ok<Condition[]>('condition.all')).filter(({ name }) => name === 'DatabaseVersionEnded')
    await afterTurn(testBerth)
    const [ended] = await read()
    const { severity, subjectName, reasonCode } = ended!
    assert.deepEqual([severity, subjectName, reasonCode], ['warning', database.appName, 'SeriesEnded'])
    assert.match(ended!.reason, /^PostgreSQL 12 has got no fixes since 2024-11-21, .* Go to PostgreSQL 18$/)
    await clients.complete('reload', database, { appName: database.appName })
    await afterTurn(testBerth)
    assert.deepEqual(await read(), [ended])
    await clients.complete('stop', database)
    await afterTurn(testBerth)
    assert.deepEqual(await read(), [])
  })

  test('a server that refuses the stored credentials begins DatabaseLoginRefused after 30 seconds', async () => {
    const started = await startWithDatabase()
    const { testBerth, clients, database } = started
    await using _ = testBerth
    const server = fakeDatabaseServer(testBerth, kind, [credentialsIn(database, kind)])
    const { accepted } = server
    server.accepted = []
    testBerth.engine.behave(database.appName, 'starting')
    await waitForRecord(testBerth, clients, database, ({ containerState }) => containerState === 'starting')
    testBerth.engine.behave(database.appName, 'running')
    await untilUnproven(testBerth)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(30_000)
    const { DatabaseLoginRefused: found } = await untilPresent(testBerth, 'DatabaseLoginRefused')
    assert.match(found!.reason, /^The database runs, but Berth cannot log in: /)
    server.accepted = accepted
    testBerth.pass(600_000)
    await untilPresent(testBerth)
  })

  test('a service that was changed outside Berth begins DatabaseDrifted', async () => {
    const { testBerth, clients, database } = await startWithDatabase()
    await using _ = testBerth
    testBerth.engine.alter(database.appName, { env: { FOREIGN: '1' } })
    await waitForRecord(testBerth, clients, database, ({ drift }) => drift.length > 0)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(30_000)
    const { DatabaseDrifted: found } = await untilPresent(testBerth, 'DatabaseDrifted')
    assert.deepEqual(
      [found!.severity, found!.reason],
      ['warning', 'The Swarm service was changed outside Berth. Deploy to undo the change'],
    )
    await clients.complete('deploy', database)
    await untilPresent(testBerth)
  })
}

function plannedWorkTests(): void {
  test('a stopped database has no condition', async () => {
    const { testBerth, clients, database } = await startWithDatabase()
    await using _ = testBerth
    await clients.complete('stop', database)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth, { state: 'all' }), [])
  })

  test('a deployment that is in progress ends the condition; its failure begins another one', async () => {
    const { testBerth, clients, database } = await startWithDatabase()
    await using _ = testBerth
    testBerth.engine.behave(database.appName, 'crash:3')
    const { DatabaseDown: before } = await untilPresent(testBerth, 'DatabaseDown')
    testBerth.engine.behave(database.appName, 'starting')
    await clients.ok('deploy', database)
    await untilPresent(testBerth)
    testBerth.engine.behave(database.appName, 'crash:3')
    assert.equal((await clients.call('deploy', database, {}, wait)).status, 422)
    const { DatabaseDown: after } = await untilPresent(testBerth, 'DatabaseDown')
    assert.notEqual(after!.conditionId, before!.conditionId)
  })
}
