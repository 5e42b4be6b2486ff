/** The proof that a gateway leads to the server of a database on each port that clients use. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

const externalPort = 15_432

/** A deployed Redis, which has a port for TLS beside that without it. */
async function deployed(testBerth: TestBerth, fields: Record<string, unknown> = {}) {
  const clients = databaseClientsOf(testBerth, kindNamed('redis'))
  const database = await clients.createDeployed({ externalPort, ...fields })
  const reload = () => clients.ok('reload', database, { appName: database.appName })
  const status = async () => (await clients.one(database)).applicationStatus
  return { ...clients, database, reload, status, gateway: clients.gateway(database) }
}

test('a reload is done only when clients without TLS reach the new server through the gateway, too', async () => {
  await using testBerth = await startTestBerth()
  const { reload, status } = await deployed(testBerth)
  const { engine } = testBerth
  let [isPlainServed, refusals] = [false, 0]
  engine.answer = (_task, { env }) => {
    const isPlainClient = env.BERTH_PORT === String(externalPort) && env.BERTH_TLS_NAME === ''
    if (!isPlainClient || isPlainServed) return { exitCode: 0, stdout: '', stderr: '' }
    refusals++
    return { exitCode: 1, stdout: '', stderr: 'Server closed the connection' }
  }
  await reload()
  await until('two refused logins', async () => refusals >= 2)
  assert.equal(await status(), 'running')
  isPlainServed = true
  await until('the reload to be done', async () => (await status()) === 'done')
})

test('with a list, a reload waits for the health check of both proxies of the gateway', async () => {
  await using testBerth = await startTestBerth()
  const { reload, status, gateway } = await deployed(testBerth, { allowedSources: ['192.0.2.7'] })
  const state = () => testBerth.engine.gateways.get(gateway) ?? assert.fail('The gateway was never controlled')
  let asked = 0
  const run = testBerth.engine.run
  testBerth.engine.run = (...call) => {
    if (call[1].argv[3] === 'berth-gateway') asked++
    return run(...call)
  }
  for (const served of [['tls'], ['target']] as const) {
    state().served = [...served]
    await reload()
    const before = asked
    await until('the gateway to be asked again', async () => asked >= before + 3)
    assert.equal(await status(), 'running', served[0])
    state().served = ['target', 'tls']
    await until('the reload to be done', async () => (await status()) === 'done')
  }
})

test('a server that requires TLS needs no port without it', async () => {
  await using testBerth = await startTestBerth()
  const { reload, status, gateway } = await deployed(testBerth, { allowedSources: ['192.0.2.7'], tls: 'require' })
  testBerth.engine.gateways.get(gateway)!.served = ['tls']
  await reload()
  await until('the reload to be done', async () => (await status()) === 'done')
})
