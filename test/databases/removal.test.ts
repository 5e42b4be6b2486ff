/** Removals that the engine refuses. Berth retries them, because callers cannot call the removed service any more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

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
