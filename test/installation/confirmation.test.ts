/** A restored state: Berth changes nothing until the state is confirmed, and access of the restored state is over. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Input, startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { openMove } from '../databases/moves.ts'
import { backUpState as backUpExact } from '../databases/restored-state.ts'
import { backUpState, confirmation, confirmState, differencesOf, restoreState, signInAgain } from './restored-berth.ts'
import { issueCode } from '../../src/installation/confirmation/code.ts'

let berth: TestBerth
beforeEach(async () => {
  berth = await startTestBerth()
})
afterEach(() => berth.close())

const id = (body: Input) => ({ redisId: String(body.redisId) })

/** Creates and starts a database. Returns the input that names it. */
async function deployed(appName: string, token = berth.admin) {
  const fields = { name: appName, appName, projectId: berth.projectId, databasePassword: 'a-password' }
  const created = id(await berth.ok('redis.create', fields, {}, token))
  await berth.ok('redis.deploy', created, wait, token)
  return created
}

const statusOf = async (subject: Input, token: string) =>
  (await berth.ok<{ applicationStatus: string }>('redis.one', subject, {}, token)).applicationStatus

const untilUp = (subject: Input, token: string) =>
  berth.until('the database to be up', async () => ((await statusOf(subject, token)) === 'done' ? true : null))

test('a state without differences confirms itself, and its tokens stay invalid', async () => {
  const first = await deployed('first')
  const { token: apiToken } = await berth.ok<{ token: string }>('auth.createToken', { name: 'ci', scope: 'admin' })
  const backup = await backUpState(berth)
  await restoreState(berth, backup)
  for (const token of [berth.admin, berth.user, apiToken]) {
    assert.equal((await berth.call('project.all', {}, {}, token)).status, 401)
  }
  const token = await signInAgain(berth)
  await berth.until('the state to confirm itself', async () =>
    (await differencesOf(berth, token)).unconfirmedSince === null ? true : null,
  )
  await berth.ok('redis.reload', { ...first, appName: 'first' }, wait, token)
  const { operation } = await berth.app.db
    .selectFrom('audit')
    .select('operation')
    .where('kind', '=', 'machine')
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow()
  assert.equal(operation, 'machine.confirmState')
})

test('a server runs on with data that a person has accepted since the backup', async () => {
  const first = await deployed('first')
  const backup = await backUpState(berth)
  await berth.ok('redis.stop', first, wait)
  for (const volume of berth.engine.volumes) berth.engine.loseVolume(volume)
  await berth.ok('redis.start', { ...first, acceptNewData: true }, wait)
  const tasks = await berth.engine.tasks(['first'])
  await restoreState(berth, backup)
  const token = await signInAgain(berth)
  await berth.until('the server to be verified', async () => {
    const { provenTask } = await berth.app.db.selectFrom('database').select('provenTask').executeTakeFirstOrThrow()
    return provenTask === tasks.find(({ state }) => state === 'running')!.id ? true : null
  })
  const after = await berth.ok<{ applicationStatus: string; volumeFault: string | null }>('redis.one', first, {}, token)
  assert.deepEqual([after.applicationStatus, after.volumeFault], ['done', null])
  assert.deepEqual(await berth.engine.tasks(['first']), tasks)
  const [mark] = berth.engine.marks.values()
  const { identity } = await berth.app.db.selectFrom('volume').select('identity').executeTakeFirstOrThrow()
  assert.equal(identity, mark)
})

test('refuses changes with the reason, and answers reads, until a code confirms the state', async () => {
  const kept = await deployed('kept')
  const backup = await backUpState(berth)
  await berth.ok('redis.remove', kept, wait)
  await restoreState(berth, backup)
  const token = await signInAgain(berth)
  const before = berth.changes()
  const { status, body } = await berth.call('project.create', { name: 'x' }, {}, token)
  assert.deepEqual([status, body.code, body.reason], [503, 'SERVICE_UNAVAILABLE', 'StateUnconfirmed'])
  const { version, entries } = await differencesOf(berth, token)
  assert.deepEqual(
    entries.map(({ name, reasonCode, proposal }) => [name, reasonCode, proposal]),
    [['kept', 'RemovedSince', 'create']],
  )
  assert.equal((await statusOf(kept, token)).length > 0, true)
  const metric = await berth.app.metrics()
  assert.match(metric, /berth_changes_held\{reason="StateUnconfirmed"\} 1/)
  const input = { code: 'wrong', version, takeProposals: true }
  assert.equal((await berth.call('state.confirm', input, {}, token)).status, 422)
  const code = await berth.app.transact((tx) => issueCode(tx, berth.app.now()))
  const cases: [Input, number][] = [
    [{ version: 'other' }, 409],
    [{ takeProposals: false }, 400],
    [{ decisions: { unknown: 'leave' } }, 400],
    [{ decisions: { [entries[0]!.subjectId]: 'adopt' } }, 400],
    [{ decisions: { [entries[0]!.subjectId]: 'no decision' } }, 400],
  ]
  for (const [changes, expected] of cases) {
    const answer = await berth.call('state.confirm', { ...input, code, ...changes }, {}, token)
    assert.equal(answer.status, expected, JSON.stringify([changes, answer.body]))
  }
  assert.deepEqual(berth.changes(), before, 'nothing was changed in the swarm')
  await berth.ok('state.confirm', { ...input, code: ` ${code.toUpperCase()} ` }, {}, token)
  await untilUp(kept, token)
  assert.equal((await berth.call('state.confirm', { ...input, code }, {}, token)).status, 412)
  await berth.ok('project.create', { name: 'x' }, {}, token)
})

test('a confirmation that waits answers when the databases are up, and names their deployments', async () => {
  const [first, second] = [await deployed('first'), await deployed('second')]
  const backup = await backUpState(berth)
  for (const each of [first, second]) await berth.ok('redis.remove', each, wait)
  await restoreState(berth, backup)
  const token = await signInAgain(berth)
  const input = await confirmation(berth, token)
  const { decided } = await berth.ok<{ decided: Input[] }>('state.confirm', input, wait, token)
  for (const { subjectId, decision, deploymentId } of decided) {
    assert.equal(decision, 'create')
    assert.equal(await statusOf({ redisId: String(subjectId) }, token), 'done')
    const deployments = await berth.ok<Input[]>('deployment.all', { serviceId: subjectId }, {}, token)
    const own = deployments.find((each) => each.deploymentId === deploymentId)
    assert.deepEqual([own?.action, own?.state], ['start', 'done'])
  }
  assert.equal(decided.length, 2)
})

test('a confirmation that waits reports a database that does not start, and the state is confirmed', async () => {
  const first = await deployed('first')
  const backup = await backUpState(berth)
  await berth.ok('redis.remove', first, wait)
  await restoreState(berth, backup)
  const token = await signInAgain(berth)
  berth.engine.behave('first', 'crash:1')
  const { status, body } = await berth.call('state.confirm', await confirmation(berth, token), wait, token)
  assert.deepEqual([status, body.code], [422, 'UNPROCESSABLE_CONTENT'])
  assert.equal((await differencesOf(berth, token)).unconfirmedSince, null)
})

test('a code expires, is valid for the newest only, and is deleted after ten wrong ones', async () => {
  const kept = await deployed('kept')
  const backup = await backUpState(berth)
  await berth.ok('redis.remove', kept, wait)
  await restoreState(berth, backup)
  const token = await signInAgain(berth)
  const { version } = await differencesOf(berth, token)
  const confirm = async (code: string) =>
    (await berth.call('state.confirm', { code, version, takeProposals: true }, {}, token)).status
  const issue = () => berth.app.transact((tx) => issueCode(tx, berth.app.now()))
  const [first, second] = [await issue(), await issue()]
  assert.equal(await confirm(first), 422)
  berth.pass(16 * 60_000)
  assert.equal(await confirm(second), 422)
  const third = await issue()
  for (let n = 0; n < 10; n++) assert.equal(await confirm(`wrong ${n}`), 422)
  assert.equal(await confirm(third), 422)
  // The command that issues a code has only the clock of the machine.
  berth.setClock(-3600_000)
  const fourth = await berth.app.transact((tx) => issueCode(tx, berth.now()))
  assert.equal(await confirm(fourth), 200)
})

test('adopts a database that was moved, and keeps the volume that it left', async () => {
  await using moves = await openMove()
  const { testBerth, database, databaseClients } = moves
  const backup = await backUpState(testBerth)
  await databaseClients.ok('move', database, { node: 'second' }, wait)
  const running = testBerth.engine.specOf(database.appName)!
  await restoreState(testBerth, backup)
  const token = await signInAgain(testBerth)
  const [entry] = (await differencesOf(testBerth, token)).entries
  assert.deepEqual([entry!.reasonCode, entry!.proposal], ['OnOtherVolume', 'adopt'])
  await confirmState(testBerth, token)
  const one = await testBerth.until('the database to be up', async () => {
    const record = await testBerth.ok('mysql.one', { mysqlId: database.mysqlId }, {}, token)
    return record.applicationStatus === 'done' ? record : null
  })
  assert.deepEqual(testBerth.engine.specOf(database.appName), running)
  assert.deepEqual([one.node, one.drift], ['second', []])
  const volumes = await testBerth.app.db.selectFrom('volume').select(['name', 'state', 'nodeId']).execute()
  const adopted = volumes.find(({ name }) => name === running.mounts[0]!.name)
  const left = volumes.find(({ name }) => name === database.volume)
  assert.deepEqual([adopted!.state, adopted!.nodeId, left!.state, left!.nodeId], ['attached', 'node2', 'kept', 'node1'])
})

test('asks about a removal that had begun, and takes it back', async () => {
  const removed = await deployed('removed')
  berth.engine.linger('node1', true)
  await berth.ok('redis.remove', removed)
  const backup = await backUpState(berth)
  await restoreState(berth, backup)
  berth.engine.linger('node1', false)
  const token = await signInAgain(berth)
  const { entries } = await differencesOf(berth, token)
  assert.deepEqual(
    entries.map(({ name, reasonCode }) => [name, reasonCode]),
    [['removed', 'InRemoval']],
  )
  await confirmState(berth, token, { [removed.redisId]: 'keep' })
  const one = await berth.ok('redis.one', removed, {}, token)
  assert.equal(one.projectId, berth.projectId)
  await berth.ok('redis.start', removed, wait, token)
  assert.equal(await statusOf(removed, token), 'done')
})

test('leaves a service that the state does not know, and stops nothing', async () => {
  const first = await deployed('first')
  const backup = await backUpState(berth)
  await deployed('later')
  await berth.ok('redis.stop', first, wait)
  const before = berth.changes()
  await restoreState(berth, backup)
  const token = await signInAgain(berth)
  const { entries } = await differencesOf(berth, token)
  assert.deepEqual(entries.map(({ name, reasonCode, proposal }) => [name, reasonCode, proposal]).sort(), [
    ['first', 'StoppedSince', 'stop'],
    ['later', 'Unknown', 'leave'],
  ])
  await confirmState(berth, token)
  assert.equal(await statusOf(first, token), 'idle')
  assert.equal(berth.engine.specOf('later')!.replicas, 1)
  assert.deepEqual(berth.changes(), before)
})

test('an exact restore keeps tokens, and needs no confirmation', async () => {
  await using cleanup = new AsyncDisposableStack()
  const restoreExact = await backUpExact(berth, cleanup)
  await deployed('later')
  await restoreExact()
  assert.equal((await differencesOf(berth, berth.admin)).unconfirmedSince, null)
  await berth.ok('project.create', { name: 'x' })
})

test('only administrators with a session read the differences and confirm', async () => {
  const kept = await deployed('kept')
  const backup = await backUpState(berth)
  await berth.ok('redis.remove', kept, wait)
  await restoreState(berth, backup)
  const user = await signInAgain(berth, 'user@example.org')
  assert.equal((await berth.call('state.differences', {}, {}, user)).status, 403)
  assert.equal((await berth.call('state.confirm', { code: 'x', version: 'x' }, {}, user)).status, 403)
})
