/** Who is in charge, on engines in states that the engine of the tests does not have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFailure } from '../../../../test/engine/engine-failure.ts'
import { engineOverFakeApi, swarmInfo } from '../../../../test/engine/engine-over-fake-api.ts'
import { EngineUnavailable } from '../../engine.ts'

const charge = { process: 'one', place: 'here', host: 'web-1', since: '2030-01-01T00:00:00.000Z' }
const notManager: [status: number, body: unknown] = [503, { message: 'This node is not a swarm manager' }]

test('nobody is in charge of an engine in no swarm, and the first process creates the swarm', async (t) => {
  const { engine, paths } = await engineOverFakeApi(t, ({ method, path }) => {
    if (path === '/info') return swarmInfo('inactive', false)
    return method === 'GET' ? notManager : [200, {}]
  })
  assert.equal(await engine.readCharge(), null)
  await engine.writeCharge(charge, null)
  assert.deepEqual(paths(), ['GET /configs', 'GET /info', 'GET /info', 'POST /swarm/init', 'POST /configs/create'])
})

test('it is unknown who is in charge if the managers have no leader', async (t) => {
  const { engine } = await engineOverFakeApi(t, ({ path }) =>
    path === '/info' ? swarmInfo('active', true) : [503, { message: 'The swarm does not have a leader' }],
  )
  await assert.rejects(engine.readCharge(), EngineUnavailable)
})

test('a config that another process has changed is a conflict', async (t) => {
  const config = { ID: 'c', Version: { Index: 7 }, Spec: { Name: 'berth-charge-mine', Labels: {}, Data: 'eA==' } }
  const { engine, requests } = await engineOverFakeApi(t, ({ method }) =>
    method === 'GET'
      ? [200, [{ ...config, ID: 'd', Spec: { Name: 'berth-charge-mine-too' } }, config]]
      : [500, { message: 'rpc error: code = Unknown desc = update out of sequence' }],
  )
  assert.equal((await engine.readCharge())?.version, 7)
  await assert.rejects(engine.writeCharge(charge, 6), engineFailure('conflict'))
  const { path, query, body } = requests().at(-1)!
  assert.deepEqual([path, query], ['/configs/c/update', { version: '6' }])
  // Docker accepts a change of the labels only.
  assert.deepEqual({ ...(body as object), Labels: {} }, { Name: 'berth-charge-mine', Labels: {}, Data: 'eA==' })
})
