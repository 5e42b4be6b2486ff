/** Removals that the engine refuses. Berth retries them, because callers cannot call the removed service any more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EngineFailure } from '../../src/engine/engine.ts'
import { databaseLabel } from '../../src/engine/labels.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { specOf } from '../fixtures/samples.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const volumeMount = { type: 'volume', path: '/data', sizeBytes: 0 } as const

test('retries the removal of a service until it succeeds, also after a restart of Berth', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  const { removeService } = testBerth.engine
  let attempts = 0
  testBerth.engine.removeService = async () => {
    attempts++
    throw new EngineFailure('failed', 'rpc error: raft: proposal dropped')
  }
  await databaseClients.ok('remove', database)
  await until('attempts', async () => attempts > 2)
  await testBerth.restart()
  await until('more attempts', async () => attempts > 5)
  assert.deepEqual(
    (await testBerth.everything()).deployment!.map(({ state }) => state),
    ['done', 'running'],
  )
  testBerth.engine.removeService = removeService
  await until('the end', async () => (await testBerth.everything()).database!.length === 0)
  assert.deepEqual(
    [await testBerth.engine.services(), (await testBerth.everything()).deployment!.at(-1)!.state],
    [[], 'done'],
  )
})

test('logs the reason of the failed attempts once', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  const { removeService } = testBerth.engine
  let attempts = 0
  testBerth.engine.removeService = async (name) => {
    if (++attempts < 5) throw new EngineFailure('failed', 'raft: proposal dropped')
    return removeService(name)
  }
  await databaseClients.remove(database)
  const reason = { reason: 'EngineFailed', failure: 'failed', detail: 'raft: proposal dropped' }
  const reports = testBerth.logged.filter(({ fields }) => isDeepStrictEqual(fields.reason, reason))
  assert.deepEqual([reports.length, attempts], [1, 5])
})

test('keeps a volume that the engine refuses to remove with its service, and reports the reason', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  testBerth.engine.removeVolume = async () => {
    throw new EngineFailure('failed', 'volume driver failed')
  }
  const { status, body } = await databaseClients.call('remove', database, { removeData: true }, wait)
  assert.deepEqual([status, body.code], [422, 'UNPROCESSABLE_CONTENT'])
  assert.match(body.message, /service is removed.*volume .*volume driver failed/)
  await databaseClients.refused('NOT_FOUND', 'one', database)
  const volumes = await testBerth.ok<{ name: string; state: string }[]>('volume.all')
  assert.deepEqual(
    volumes.map(({ name, state }) => [name, state]),
    [[database.volume, 'kept']],
  )
  assert.equal((await databaseClients.create({ appName: 'shop-db' })).appName, 'shop-db')
})

test('removes what is its own and leaves the service that a newer record has under its name', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  await databaseClients.ok('saveExternalPort', database, { externalPort: 15_432 }, wait)
  const { engine } = testBerth
  const { removeService } = engine
  engine.removeService = async () => {
    throw new EngineFailure('failed', 'raft: proposal dropped')
  }
  await databaseClients.ok('remove', database, { removeData: true })
  await removeService('shop-db')
  const nodeId = (await engine.nodes())[0]!.id
  const mounts = [{ ...volumeMount, name: 'berth-newer', labels: {} }]
  await engine.createService(specOf({ name: 'shop-db', labels: { [databaseLabel]: 'newer' }, mounts, nodeId }))
  // No step that began before the newer service existed is still running then.
  await testBerth.restart(async () => {
    engine.removeService = removeService
  })
  await until('the end', async () => (await testBerth.everything()).database!.length === 0)
  const services = await engine.services()
  assert.deepEqual(
    services.map(({ name, labels }) => [name, labels[databaseLabel]]),
    [['shop-db', 'newer']],
    'the gateway is gone, and the newer service stays',
  )
  const { deployment, volume } = await testBerth.everything()
  assert.deepEqual([deployment!.at(-1)!.action, deployment!.at(-1)!.state, volume], ['remove', 'done', []])
  assert.equal((await engine.volumeUse(database.volume!, nodeId)).exists, false)
})
