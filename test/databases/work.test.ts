/** Long work: waiting for it, overtaking it, and its going on whatever happens to the engine or to Berth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, fleetOf, seen } from '../fixtures/fleet.ts'
import { type Site, startSite, wait } from '../fixtures/site.ts'

const kind = kinds[0]!
const deployments = async (site: Site) => (await site.everything()).deployment!
const endsOf = async (site: Site) => (await deployments(site)).map(({ action, state }) => `${action} ${state}`)

test('a wait that is over answers 200 with the record still running', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  site.engine.behave('shop-db', 'starting')
  const { status, body, headers } = await fleet.ask('deploy', made, {}, { prefer: 'wait=1' })
  assert.deepEqual([status, body.applicationStatus, headers['preference-applied']], [200, 'running', 'wait=1'])
  site.engine.behave('shop-db', 'running')
  assert.equal((await fleet.settle('deploy', made)).applicationStatus, 'done')
})

test('a wait for work that fails answers its reason', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ dockerImage: 'no-such-image:1' })
  const { status, body } = await fleet.ask('deploy', made, {}, wait)
  const { applicationStatus, statusReason } = await fleet.one(made)
  assert.deepEqual([status, body], [422, { message: statusReason, code: 'UNPROCESSABLE_CONTENT', issues: [] }])
  assert.deepEqual([applicationStatus, await endsOf(site)], ['error', ['deploy error']])
})

test('a wait for work that a later call overtakes is refused, and the later call has its way', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  site.engine.behave('shop-db', 'starting')
  const waiting = fleet.ask('deploy', made, {}, wait)
  await until('the work', async () => site.engine.specOf('shop-db') !== null)
  const stopped = await fleet.settle('stop', made)
  const { status, body } = await waiting
  assert.deepEqual([status, body.code, stopped.applicationStatus], [409, 'CONFLICT', 'idle'])
  assert.deepEqual(await endsOf(site), ['deploy superseded', 'stop done'])
  assert.deepEqual(await site.engine.liveContainers('shop-db'), [])
})

test('without Prefer nothing waits, and what is no work does not claim to have waited', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create()
  const replies = [
    await fleet.ask('deploy', made),
    await fleet.ask('update', made, { name: 'b' }, wait),
    await fleet.ask('saveEnvironment', made, { env: 'A=1' }, wait),
    await fleet.ask('one', made, {}, wait),
  ]
  for (const { status, headers } of replies) assert.deepEqual([status, headers['preference-applied']], [200, undefined])
})

test('of many calls at once the last goal wins, and there is one service', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const up = await fleet.up({ appName: 'shop-db' })
  const verbs = ['stop', 'deploy', 'stop', 'start', 'stop', 'deploy']
  const replies = await Promise.all(verbs.map((verb) => fleet.ask(verb, up, {}, wait)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [409, 409, 409, 409, 409, 200],
  )
  assert.equal((await fleet.one(up)).applicationStatus, 'done')
  assert.deepEqual([(await fleet.tasks(up)).length, (await site.engine.services()).length], [1, 1])
  const rows = await deployments(site)
  assert.equal(rows.length, verbs.length + 1)
  for (const { finishedAt } of rows) assert.notEqual(finishedAt, null)
})

test('a record that changes while its deploy is under way is deployed by the next', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  site.engine.behave('shop-db', 'starting')
  await fleet.act('deploy', made)
  await until('the service', async () => site.engine.specOf('shop-db') !== null)
  assert.equal((await fleet.act('saveEnvironment', made, { env: 'A=1' })).pendingChanges, true)
  await fleet.act('deploy', made)
  site.engine.behave('shop-db', 'running')
  const done = await until('the end', async () => {
    const one = await fleet.one(made)
    return one.applicationStatus === 'done' && one
  })
  assert.deepEqual([done.pendingChanges, site.engine.specOf('shop-db')!.env.A], [false, '1'])
})

test('a status that is set while work is under way is overwritten by its end, and stops nothing', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  site.engine.behave('shop-db', 'starting')
  await fleet.act('deploy', made)
  assert.equal((await fleet.act('changeStatus', made, { applicationStatus: 'idle' })).applicationStatus, 'idle')
  site.engine.behave('shop-db', 'running')
  await until('the end', async () => (await fleet.one(made)).applicationStatus === 'done')
})

test('remove while a deploy is under way leaves no service', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  await fleet.act('saveExternalPort', made, { externalPort: 5000 })
  site.engine.behave('shop-db', 'starting')
  await fleet.act('deploy', made)
  await until('the service', async () => site.engine.specOf('shop-db') !== null)
  await fleet.gone(made)
  assert.deepEqual(await endsOf(site), ['deploy superseded', 'remove done'])
})

test('a slow one never holds up another: not one that starts for long, nor one that does not answer', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const { promise: hanging, resolve } = Promise.withResolvers<{ exitCode: number; stdout: string; stderr: string }>()
  const answer = site.engine.answer
  site.engine.answer = (task, program) => (task.serviceName === 'mute' ? hanging : answer(task, program))
  site.engine.behave('slow', 'preparing')
  const [slow, mute] = [await fleet.create({ appName: 'slow' }), await fleet.create({ appName: 'mute' })]
  for (const it of [slow, mute]) await fleet.act('deploy', it)
  await until('the programs', async () => site.engine.calls.run > 0)
  assert.equal((await fleet.up({ appName: 'quick' })).applicationStatus, 'done')
  for (const it of [slow, mute]) assert.equal((await fleet.one(it)).applicationStatus, 'running')
  resolve({ exitCode: 0, stdout: '', stderr: '' })
  site.engine.behave('slow', 'running')
  for (const it of [slow, mute]) await until('the end', async () => (await fleet.one(it)).applicationStatus === 'done')
})

test('more deploys than go on at once are all done', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await Promise.all(Array.from({ length: 70 }, () => fleet.create()))
  const replies = await Promise.all(made.map((it) => fleet.ask('deploy', it, {}, wait)))
  assert.deepEqual(
    new Set(replies.map(({ status, body }) => `${status} ${body.applicationStatus}`)),
    new Set(['200 done']),
  )
  assert.equal(new Set((await site.engine.services()).map(({ name }) => name)).size, 70)
})

test('without the engine work answers running at once, reads go on, and it ends when the engine is back', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const [a, b, c, d, e] = (await Promise.all(Array.from({ length: 5 }, () => fleet.up()))) as [
    Database,
    Database,
    Database,
    Database,
    Database,
  ]
  const made = await fleet.create()
  await fleet.settle('stop', b)
  site.engine.setDown(true)
  const replies = [
    await fleet.ask('stop', a),
    await fleet.ask('start', b),
    await fleet.ask('reload', c, { appName: c.appName }),
    await fleet.ask('saveExternalPort', d, { externalPort: 5000 }),
    await fleet.ask('deploy', made),
  ]
  for (const { status, body } of replies) assert.deepEqual([status, body.applicationStatus], [200, 'running'])
  assert.equal((await fleet.ask('remove', e)).status, 200)
  for (const it of [a, b, c, d, made]) assert.equal((await fleet.one(it)).applicationStatus, 'running')
  assert.equal((await site.ok<unknown[]>('project.all')).length, 1)
  site.engine.setDown(false)
  const wanted = ['idle', 'done', 'done', 'done', 'done']
  await until('all ends', async () => {
    const statuses = await Promise.all([a, b, c, d, made].map(async (it) => (await fleet.one(it)).applicationStatus))
    return statuses.join() === wanted.join()
  })
  await until('the removal', async () => (await site.engine.servicesNamed([e.appName])).length === 0)
})

test('the engine going away in mid-deploy is waited out, a wait for it too', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  site.engine.behave('shop-db', 'starting')
  const waiting = fleet.ask('deploy', made, {}, wait)
  await until('the service', async () => site.engine.specOf('shop-db') !== null)
  site.engine.setDown(true)
  const looks = site.engine.calls.prepare
  await until('looks in vain', async () => site.engine.calls.prepare > looks + 1)
  site.engine.behave('shop-db', 'running')
  assert.equal((await fleet.one(made)).applicationStatus, 'running')
  site.engine.setDown(false)
  const { status, body } = await waiting
  assert.deepEqual([status, body.applicationStatus], [200, 'done'])
})

test('work that Berth going down interrupted is taken up again, each sort to the end that was asked for', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const [a, b, c] = [
    await fleet.up({ appName: 'a' }),
    await fleet.up({ appName: 'b' }),
    await fleet.create({ appName: 'c' }),
  ]
  site.engine.behave('c', 'starting')
  await fleet.act('deploy', c)
  await until('the service', async () => site.engine.specOf('c') !== null)
  site.engine.setDown(true)
  await fleet.act('stop', a)
  await fleet.act('remove', b, { removeData: true })
  await site.restart()
  assert.deepEqual(
    [(await fleet.one(a)).applicationStatus, (await fleet.one(c)).applicationStatus],
    ['running', 'running'],
  )
  site.engine.behave('c', 'running')
  site.engine.setDown(false)
  await until('the ends', async () => (await deployments(site)).every(({ state }) => state === 'done'))
  assert.deepEqual([(await fleet.one(a)).applicationStatus, (await fleet.one(c)).applicationStatus], ['idle', 'done'])
  await fleet.refused('NOT_FOUND', 'one', b)
  assert.deepEqual(
    (await site.engine.services()).map(({ name }) => name),
    ['a', 'c'],
  )
  assert.equal(site.engine.volumes.size, 2)
})

test('a stop waits for its container, says so when that takes long, and ends when it has', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const up = await fleet.up()
  const { liveContainers } = site.engine
  site.engine.liveContainers = async (name) => (name === up.appName ? ['db.1.stubborn'] : liveContainers(name))
  await fleet.act('stop', up)
  const asked = site.engine.calls.services
  await site.until('some looks', async () => (site.engine.calls.services > asked + 2 ? true : null))
  assert.deepEqual([(await fleet.one(up)).statusReason, (await fleet.one(up)).applicationStatus], [null, 'running'])
  site.pass(2 * 60_000)
  const told = await seen(site, fleet, up, ({ statusReason }) => statusReason !== null)
  assert.equal(told.statusReason, 'The engine has not ended db.1.stubborn yet')
  site.engine.liveContainers = liveContainers
  const stopped = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus !== 'running')
  assert.deepEqual([stopped.applicationStatus, stopped.statusReason], ['idle', null])
})

test('a task that the swarm forgot to end is ended by another update of its service', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const up = await fleet.up()
  const { updateService, tasks, liveContainers } = site.engine
  const running = await tasks([up.appName])
  const stops = { asked: 0 }
  site.engine.updateService = (spec) => {
    stops.asked++
    return updateService(spec)
  }
  const forgets = () => stops.asked === 1
  site.engine.liveContainers = async (name) => (forgets() ? [`${name}.1.forgotten`] : liveContainers(name))
  site.engine.tasks = async (names) => (forgets() ? running : tasks(names))
  assert.equal((await fleet.settle('stop', up)).applicationStatus, 'idle')
  assert.equal(stops.asked, 2)
})

test('Berth restarting with nothing to do changes nothing', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const up = await fleet.up()
  const before = [await site.everything(), site.changes()]
  const looks = site.engine.calls.tasks
  await site.restart()
  await until('a look', async () => site.engine.calls.tasks > looks)
  assert.deepEqual([await site.everything(), site.changes()], before)
  assert.deepEqual(await fleet.one(up), up)
})
