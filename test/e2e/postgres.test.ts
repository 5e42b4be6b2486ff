/** One database through its whole life on a real swarm, seen by a real client. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  containersOf, create, docker, freePort, onSwarm, read, refusalOf, type Service, settle, sql, startTime, type Swarm,
} from './swarm.ts'

let berth: Swarm
let shop: Service
const password = 'p\'a"s$s\\w`ord; --'
const urlOf = async () => (await read(berth, shop)).connection.externalUrl

before(async () => { berth = await onSwarm() })
after(() => berth[Symbol.asyncDispose]())

test('five calls from nothing: a client connects to what deploy says is done', async () => {
  shop = await create(berth, { databasePassword: password })
  await berth.call('postgres.saveExternalPort', { postgresId: shop.postgresId, externalPort: await freePort() })
  const { status, body } = await settle(berth, 'deploy', shop)
  assert.deepEqual([status, body.applicationStatus], [200, 'done'])
  await sql(await urlOf(), 'create table note (it int)')
  await sql(await urlOf(), 'insert into note values (42)')
})

test('a wrong password is refused, so the right one means something', async () => {
  assert.equal(await refusalOf((await urlOf()).replace(/:[^:@]*@/, ':wrong@')), '28P01')
})

test('the same record deployed again changes nothing', async () => {
  const [begun, containers] = [await startTime(await urlOf()), await containersOf(shop.appName)]
  assert.equal((await settle(berth, 'deploy', shop)).status, 200)
  assert.equal(await startTime(await urlOf()), begun)
  assert.deepEqual(await containersOf(shop.appName), containers)
})

test('the external port moves, closes and opens while the database runs on', async () => {
  const begun = await startTime(await urlOf())
  const before = await urlOf()
  const moved = await settle(berth, 'saveExternalPort', shop, { externalPort: await freePort() })
  assert.deepEqual([moved.status, moved.body.applicationStatus], [200, 'done'])
  assert.equal(await startTime(await urlOf()), begun)
  assert.equal(await refusalOf(before), 'ECONNREFUSED')
  const open = await urlOf()
  assert.equal((await settle(berth, 'saveExternalPort', shop, { externalPort: null })).body.externalPort, null)
  assert.equal(await refusalOf(open), 'ECONNREFUSED')
  await settle(berth, 'saveExternalPort', shop, { externalPort: await freePort() })
  assert.equal(await startTime(await urlOf()), begun)
})

test('stop keeps everything and start brings it back', async () => {
  const url = await urlOf()
  const stopped = await settle(berth, 'stop', shop)
  assert.deepEqual([stopped.status, stopped.body.applicationStatus], [200, 'idle'])
  assert.deepEqual(await containersOf(shop.appName), [])
  assert.equal(await refusalOf(url), 'ECONNREFUSED')
  assert.equal((await settle(berth, 'start', shop)).body.applicationStatus, 'done')
  assert.deepEqual(await sql(await urlOf(), 'select it from note'), [{ it: 42 }])
})

test('reload restarts the server', async () => {
  const begun = await startTime(await urlOf())
  assert.equal((await settle(berth, 'reload', shop, { appName: shop.appName })).body.applicationStatus, 'done')
  assert.notEqual(await startTime(await urlOf()), begun)
})

test('limits, command and environment reach the server at the next deploy, and not before', async () => {
  const fields = {
    memoryLimit: 512, cpuLimit: 0.5, command: '-c work_mem=8MB -c "application_name=two words"',
    env: 'GREETING="{{.Node.ID}} hi"',
  }
  const changed = await berth.call<Service>('postgres.update', { postgresId: shop.postgresId, ...fields })
  assert.equal(changed.body.pendingChanges, true)
  assert.deepEqual(await sql(await urlOf(), 'show work_mem'), [{ work_mem: '4MB' }])
  assert.equal((await settle(berth, 'deploy', shop)).body.pendingChanges, false)
  assert.deepEqual(await sql(await urlOf(), 'show work_mem'), [{ work_mem: '8MB' }])
  const [container] = await containersOf(shop.appName)
  const format = '{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}'
  assert.deepEqual(await docker('inspect', container!, '--format', format), [`${512 * 1024 * 1024} 500000000`])
  assert.deepEqual(await docker('exec', container!, 'printenv', 'GREETING'), ['{{.Node.ID}} hi'])
})

test('a changed password holds in the live database: the new one opens, the old one does not', async () => {
  const before = await urlOf()
  await berth.call('postgres.update', { postgresId: shop.postgresId, databasePassword: '{{.Node.ID}} é%40/' })
  const { status, body } = await settle(berth, 'deploy', shop)
  assert.deepEqual([status, body.statusReason], [200, null])
  assert.equal(await refusalOf(before), '28P01')
  assert.deepEqual(await sql(await urlOf(), 'select it from note'), [{ it: 42 }])
})

test('a changed user takes over, and the old one no longer logs in; a changed database is made', async () => {
  const before = await urlOf()
  await berth.call('postgres.update',
    { postgresId: shop.postgresId, databaseUser: 'new owner@home', databaseName: 'new shop' })
  const { status, body } = await settle(berth, 'deploy', shop)
  assert.deepEqual([status, body.statusReason], [200, null])
  assert.equal(await refusalOf(before), '28000')
  assert.deepEqual(await sql(await urlOf(), 'select current_user as u, current_database() as d'),
    [{ u: 'new owner@home', d: 'new shop' }])
  const old = new URL(await urlOf())
  old.pathname = '/shop'
  assert.deepEqual(await sql(old.href, 'select it from note'), [{ it: 42 }])
})

test('removed, its volume is kept; restored into a new service, the row is there', async () => {
  assert.equal((await settle(berth, 'remove', shop)).status, 200)
  assert.deepEqual(await docker('service', 'ls', '--quiet', '--filter', `name=${shop.appName}`), [])
  const { body: volumes } = await berth.call<{ volumeId: string; state: string; name: string }[]>('volume.all')
  assert.deepEqual(volumes.map(({ state }) => state), ['kept'])
  const input = { volumeId: volumes[0]!.volumeId, name: 'again', projectId: berth.projectId }
  shop = (await berth.call<Service>('volume.restore', input)).body
  await berth.call('postgres.saveExternalPort', { postgresId: shop.postgresId, externalPort: await freePort() })
  assert.equal((await settle(berth, 'deploy', shop)).body.applicationStatus, 'done')
  const old = new URL(await urlOf())
  old.pathname = '/shop'
  assert.deepEqual(await sql(old.href, 'select it from note'), [{ it: 42 }])
})

test('removed with its data, nothing is left on the engine', async () => {
  assert.equal((await settle(berth, 'remove', shop, { removeData: true })).status, 200)
  assert.deepEqual((await berth.call<unknown[]>('volume.all')).body, [])
  const label = `label=berth.installation=${berth.installationId}`
  for (const what of ['service', 'volume', 'config']) {
    assert.deepEqual(await docker(what, 'ls', '--quiet', '--filter', label), [])
  }
})

const nasty = [
  { databaseName: 'sp ace', databaseUser: 'percent%20', databasePassword: ' leading and trailing ' },
  { databaseName: 'quo"te\'s', databaseUser: 'semi;colon - `id`', databasePassword: '`id`; $(id) \\ {{' },
  { databaseName: 'ünï☃', databaseUser: 'a@b:c/d#e?f', databasePassword: 'pass"w\'ord%41&=+,<>|*[]{}!^~' },
]

test('names and passwords of special characters work as they stand', async () => {
  await Promise.all(nasty.map(async (fields) => {
    const service = await create(berth, fields)
    await berth.call('postgres.saveExternalPort', { postgresId: service.postgresId, externalPort: await freePort() })
    const { status, body } = await settle(berth, 'deploy', service)
    assert.deepEqual([status, body.message], [200, undefined])
    const rows = await sql((await read(berth, service)).connection.externalUrl,
      'select current_user as u, current_database() as d')
    assert.deepEqual(rows, [{ u: fields.databaseUser, d: fields.databaseName }])
    await settle(berth, 'remove', service, { removeData: true })
  }))
})
