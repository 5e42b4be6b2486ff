/** Long work: waiting, superseding, and resuming after failures of the engine or of Berth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const deployments = async (testBerth: TestBerth) => (await testBerth.everything()).deployment!
const endsOf = async (testBerth: TestBerth) =>
  (await deployments(testBerth)).map(({ action, state }) => `${action} ${state}`)

test('responds 200 with a running record when the wait has expired', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const { status, body, headers } = await databaseClients.ask('deploy', made, {}, { prefer: 'wait=1' })
  assert.deepEqual([status, body.applicationStatus, headers['preference-applied']], [200, 'running', 'wait=1'])
  testBerth.engine.behave('shop-db', 'running')
  assert.equal((await databaseClients.settle('deploy', made)).applicationStatus, 'done')
})

test('responds with the reason when the awaited work fails', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ dockerImage: 'no-such-image:1' })
  const { status, body } = await databaseClients.ask('deploy', made, {}, wait)
  const { applicationStatus, statusReason } = await databaseClients.one(made)
  assert.deepEqual([status, body], [422, { message: statusReason, code: 'UNPROCESSABLE_CONTENT', issues: [] }])
  assert.deepEqual([applicationStatus, await endsOf(testBerth)], ['error', ['deploy error']])
})

test('refuses a wait for work that a later call supersedes', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const waiting = databaseClients.ask('deploy', made, {}, wait)
  await until('the work', async () => testBerth.engine.specOf('shop-db') !== null)
  const stopped = await databaseClients.settle('stop', made)
  const { status, body } = await waiting
  assert.deepEqual([status, body.code, stopped.applicationStatus], [409, 'CONFLICT', 'idle'])
  assert.deepEqual(await endsOf(testBerth), ['deploy superseded', 'stop done'])
  assert.deepEqual(await testBerth.engine.liveContainers('shop-db'), [])
})

test('does not wait without Prefer, and confirms no wait for a call without work', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create()
  const replies = [
    await databaseClients.ask('deploy', made),
    await databaseClients.ask('update', made, { name: 'b' }, wait),
    await databaseClients.ask('saveEnvironment', made, { env: 'A=1' }, wait),
    await databaseClients.ask('one', made, {}, wait),
  ]
  for (const { status, headers } of replies) assert.deepEqual([status, headers['preference-applied']], [200, undefined])
})

test('lets the last of many concurrent goals win with one service', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up({ appName: 'shop-db' })
  const verbs = ['stop', 'deploy', 'stop', 'start', 'stop', 'deploy']
  const replies = await Promise.all(verbs.map((verb) => databaseClients.ask(verb, up, {}, wait)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [409, 409, 409, 409, 409, 200],
  )
  assert.equal((await databaseClients.one(up)).applicationStatus, 'done')
  assert.deepEqual([(await databaseClients.tasks(up)).length, (await testBerth.engine.services()).length], [1, 1])
  const rows = await deployments(testBerth)
  assert.equal(rows.length, verbs.length + 1)
  for (const { finishedAt } of rows) assert.notEqual(finishedAt, null)
})

test('deploys a record change that comes during a deploy with the next deploy', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.act('deploy', made)
  await until('the service', async () => testBerth.engine.specOf('shop-db') !== null)
  assert.equal((await databaseClients.act('saveEnvironment', made, { env: 'A=1' })).pendingChanges, true)
  await databaseClients.act('deploy', made)
  testBerth.engine.behave('shop-db', 'running')
  const done = await until('the end', async () => {
    const one = await databaseClients.one(made)
    return one.applicationStatus === 'done' && one
  })
  assert.deepEqual([done.pendingChanges, testBerth.engine.specOf('shop-db')!.env.A], [false, '1'])
})

test('overwrites a status that is set during work at the end of the work', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.act('deploy', made)
  assert.equal(
    (await databaseClients.act('changeStatus', made, { applicationStatus: 'idle' })).applicationStatus,
    'idle',
  )
  testBerth.engine.behave('shop-db', 'running')
  await until('the end', async () => (await databaseClients.one(made)).applicationStatus === 'done')
})

test('remove during a deploy leaves no service', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  await databaseClients.act('saveExternalPort', made, { externalPort: 5000 })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.act('deploy', made)
  await until('the service', async () => testBerth.engine.specOf('shop-db') !== null)
  await databaseClients.gone(made)
  assert.deepEqual(await endsOf(testBerth), ['deploy superseded', 'remove done'])
})

test('a database that starts slowly or does not answer delays no other', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const { promise: hanging, resolve } = Promise.withResolvers<{ exitCode: number; stdout: string; stderr: string }>()
  const answer = testBerth.engine.answer
  testBerth.engine.answer = (task, program) => (task.serviceName === 'mute' ? hanging : answer(task, program))
  testBerth.engine.behave('slow', 'preparing')
  const [slow, mute] = [
    await databaseClients.create({ appName: 'slow' }),
    await databaseClients.create({ appName: 'mute' }),
  ]
  for (const it of [slow, mute]) await databaseClients.act('deploy', it)
  await until('the programs', async () => testBerth.engine.calls.run > 0)
  assert.equal((await databaseClients.up({ appName: 'quick' })).applicationStatus, 'done')
  for (const it of [slow, mute]) assert.equal((await databaseClients.one(it)).applicationStatus, 'running')
  resolve({ exitCode: 0, stdout: '', stderr: '' })
  testBerth.engine.behave('slow', 'running')
  for (const it of [slow, mute])
    await until('the end', async () => (await databaseClients.one(it)).applicationStatus === 'done')
})

test('completes more deploys than the concurrency limit', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await Promise.all(Array.from({ length: 70 }, () => databaseClients.create()))
  const replies = await Promise.all(made.map((it) => databaseClients.ask('deploy', it, {}, wait)))
  assert.deepEqual(
    new Set(replies.map(({ status, body }) => `${status} ${body.applicationStatus}`)),
    new Set(['200 done']),
  )
  assert.equal(new Set((await testBerth.engine.services()).map(({ name }) => name)).size, 70)
})

test('accepts work and reads without the engine, and ends the work when the engine is back', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [a, b, c, d, e] = (await Promise.all(Array.from({ length: 5 }, () => databaseClients.up()))) as [
    Database,
    Database,
    Database,
    Database,
    Database,
  ]
  const made = await databaseClients.create()
  await databaseClients.settle('stop', b)
  testBerth.engine.setDown(true)
  const replies = [
    await databaseClients.ask('stop', a),
    await databaseClients.ask('start', b),
    await databaseClients.ask('reload', c, { appName: c.appName }),
    await databaseClients.ask('saveExternalPort', d, { externalPort: 5000 }),
    await databaseClients.ask('deploy', made),
  ]
  for (const { status, body } of replies) assert.deepEqual([status, body.applicationStatus], [200, 'running'])
  assert.equal((await databaseClients.ask('remove', e)).status, 200)
  for (const it of [a, b, c, d, made]) assert.equal((await databaseClients.one(it)).applicationStatus, 'running')
  assert.equal((await testBerth.ok<unknown[]>('project.all')).length, 1)
  testBerth.engine.setDown(false)
  const wanted = ['idle', 'done', 'done', 'done', 'done']
  await until('all ends', async () => {
    const statuses = await Promise.all(
      [a, b, c, d, made].map(async (it) => (await databaseClients.one(it)).applicationStatus),
    )
    return statuses.join() === wanted.join()
  })
  await until('the removal', async () => (await testBerth.engine.servicesNamed([e.appName])).length === 0)
})

test('continues a deploy and its wait after an outage of the engine', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const waiting = databaseClients.ask('deploy', made, {}, wait)
  await until('the service', async () => testBerth.engine.specOf('shop-db') !== null)
  testBerth.engine.setDown(true)
  const engineQueries = testBerth.engine.calls.prepare
  await until('looks in vain', async () => testBerth.engine.calls.prepare > engineQueries + 1)
  testBerth.engine.behave('shop-db', 'running')
  assert.equal((await databaseClients.one(made)).applicationStatus, 'running')
  testBerth.engine.setDown(false)
  const { status, body } = await waiting
  assert.deepEqual([status, body.applicationStatus], [200, 'done'])
})

test('resumes interrupted work of each kind after a restart', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [a, b, c] = [
    await databaseClients.up({ appName: 'a' }),
    await databaseClients.up({ appName: 'b' }),
    await databaseClients.create({ appName: 'c' }),
  ]
  testBerth.engine.behave('c', 'starting')
  await databaseClients.act('deploy', c)
  await until('the service', async () => testBerth.engine.specOf('c') !== null)
  testBerth.engine.setDown(true)
  await databaseClients.act('stop', a)
  await databaseClients.act('remove', b, { removeData: true })
  await testBerth.restart()
  assert.deepEqual(
    [(await databaseClients.one(a)).applicationStatus, (await databaseClients.one(c)).applicationStatus],
    ['running', 'running'],
  )
  testBerth.engine.behave('c', 'running')
  testBerth.engine.setDown(false)
  await until('the ends', async () => (await deployments(testBerth)).every(({ state }) => state === 'done'))
  assert.deepEqual(
    [(await databaseClients.one(a)).applicationStatus, (await databaseClients.one(c)).applicationStatus],
    ['idle', 'done'],
  )
  await databaseClients.refused('NOT_FOUND', 'one', b)
  assert.deepEqual(
    (await testBerth.engine.services()).map(({ name }) => name),
    ['a', 'c'],
  )
  assert.equal(testBerth.engine.volumes.size, 2)
})

test('a stop waits for its container and reports a long wait', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  const { liveContainers } = testBerth.engine
  testBerth.engine.liveContainers = async (name) => (name === up.appName ? ['db.1.stubborn'] : liveContainers(name))
  await databaseClients.act('stop', up)
  const asked = testBerth.engine.calls.services
  await testBerth.until('some looks', async () => (testBerth.engine.calls.services > asked + 2 ? true : null))
  assert.deepEqual(
    [(await databaseClients.one(up)).statusReason, (await databaseClients.one(up)).applicationStatus],
    [null, 'running'],
  )
  testBerth.pass(2 * 60_000)
  const told = await seen(testBerth, databaseClients, up, ({ statusReason }) => statusReason !== null)
  assert.equal(told.statusReason, 'Container db.1.stubborn has not stopped yet')
  testBerth.engine.liveContainers = liveContainers
  const stopped = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus !== 'running')
  assert.deepEqual([stopped.applicationStatus, stopped.statusReason], ['idle', null])
})

test('stops a task that Swarm forgot with another update of its service', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  const { updateService, tasks, liveContainers } = testBerth.engine
  const running = await tasks([up.appName])
  const stops = { asked: 0 }
  testBerth.engine.updateService = (spec) => {
    stops.asked++
    return updateService(spec)
  }
  const forgets = () => stops.asked === 1
  testBerth.engine.liveContainers = async (name) => (forgets() ? [`${name}.1.forgotten`] : liveContainers(name))
  testBerth.engine.tasks = async (names) => (forgets() ? running : tasks(names))
  assert.equal((await databaseClients.settle('stop', up)).applicationStatus, 'idle')
  assert.equal(stops.asked, 2)
})

test('changes nothing on a restart without work', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  const before = [await testBerth.everything(), testBerth.changes()]
  const engineQueries = testBerth.engine.calls.tasks
  await testBerth.restart()
  await until('a look', async () => testBerth.engine.calls.tasks > engineQueries)
  assert.deepEqual([await testBerth.everything(), testBerth.changes()], before)
  assert.deepEqual(await databaseClients.one(up), up)
})
