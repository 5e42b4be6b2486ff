/** Removals that the engine refuses. Berth retries them, because callers cannot see the removed service any more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

test('retries the removal of a service until it succeeds, also over a restart', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up({ appName: 'shop-db' })
  const { removeService } = testBerth.engine
  let tries = 0
  testBerth.engine.removeService = async () => {
    tries++
    throw new EngineFailure('failed', 'rpc error: raft: proposal dropped')
  }
  await databaseClients.act('remove', up)
  await until('tries', async () => tries > 2)
  await testBerth.restart()
  await until('more tries', async () => tries > 5)
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

test('logs the reason of a delay once and not at every attempt', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  const { removeService } = testBerth.engine
  let tries = 0
  testBerth.engine.removeService = async (name) => {
    if (++tries < 5) throw new EngineFailure('failed', 'raft: proposal dropped')
    return removeService(name)
  }
  await databaseClients.gone(up)
  const reason = { reason: 'EngineFailed', failure: 'failed', detail: 'raft: proposal dropped' }
  const said = testBerth.logged.filter(({ fields }) => isDeepStrictEqual(fields.reason, reason))
  assert.deepEqual([said.length, tries], [1, 5])
})

test('keeps a volume that the engine refuses to remove with its service, and reports why', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up({ appName: 'shop-db' })
  testBerth.engine.removeVolume = async () => {
    throw new EngineFailure('failed', 'volume driver failed')
  }
  const { status, body } = await databaseClients.ask('remove', up, { removeData: true }, wait)
  assert.deepEqual([status, body.code], [422, 'UNPROCESSABLE_CONTENT'])
  assert.match(body.message, /service is removed.*volume .*volume driver failed/)
  await databaseClients.refused('NOT_FOUND', 'one', up)
  const volumes = await testBerth.ok<{ name: string; state: string }[]>('volume.all')
  assert.deepEqual(
    volumes.map(({ name, state }) => [name, state]),
    [[up.volume, 'kept']],
  )
  assert.equal((await databaseClients.create({ appName: 'shop-db' })).appName, 'shop-db')
})
