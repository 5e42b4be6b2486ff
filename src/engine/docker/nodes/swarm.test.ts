/**
 * `Engine.prepare` on a fake API. Swarms and networks exist, are unsuitable, or are created by another process at the
 * same time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFailure } from '../../../../test/engine/engine-failure.ts'
import { berthNetwork, engineOverFakeApi, swarmInfo } from '../../../../test/engine/engine-over-fake-api.ts'
import type { Answers } from '../../../../test/engine/fake-api.ts'
import { EngineUnavailable } from '../../engine.ts'

test('leaves an existing swarm and network as they are', async (t) => {
  const { engine, paths } = await engineOverFakeApi(t, ({ path }) =>
    path === '/info' ? swarmInfo('active', true) : [200, path === '/networks' ? [berthNetwork] : []],
  )
  await engine.prepare()
  assert.deepEqual(paths(), ['GET /info', 'GET /networks', 'GET /configs', 'GET /secrets'])
})

/** A manager of a swarm with one network. */
const withNetwork =
  (network: object): Answers =>
  ({ path }) =>
    path === '/info' ? swarmInfo('active', true) : [200, [network]]

const unsuitable: [title: string, answers: Answers, messagePattern: RegExp][] = [
  ['a worker', () => swarmInfo('active', false), /is a worker of a swarm\. Point DOCKER_HOST/],
  ['a locked swarm', () => swarmInfo('locked', false), /docker swarm unlock/],
  ['a swarm in error', () => swarmInfo('error', false), /in state "error": certificate expired/],
  [
    'a bridge with the name of the network',
    withNetwork({ ...berthNetwork, Driver: 'bridge', Scope: 'local' }),
    /"berth" is not an attachable overlay/,
  ],
  [
    'an overlay network that is not attachable',
    withNetwork({ ...berthNetwork, Attachable: false }),
    /"berth" is not an attachable overlay/,
  ],
  [
    'an engine without a free address range',
    withNetwork({ ...berthNetwork, Name: 'all', IPAM: { Config: [{ Subnet: '10.0.0.0/8' }] } }),
    /No range/,
  ],
]
for (const [title, answers, messagePattern] of unsuitable) {
  test(`refuses to prepare ${title}, and creates nothing`, async (t) => {
    const { engine, requests } = await engineOverFakeApi(t, answers)
    await assert.rejects(engine.prepare(), engineFailure('conflict', messagePattern))
    assert.ok(requests().every(({ method }) => method === 'GET'))
  })
}

test('reports a node that is still joining as unavailable', async (t) => {
  const { engine } = await engineOverFakeApi(t, () => swarmInfo('pending', false))
  await assert.rejects(engine.prepare(), EngineUnavailable)
})

test('initializes the swarm with an address of the host when the engine cannot choose one', async (t) => {
  const bodies: unknown[] = []
  const { engine } = await engineOverFakeApi(t, ({ path, body }) => {
    if (path === '/info') return swarmInfo('inactive', false)
    if (path !== '/swarm/init') return [200, path === '/networks' ? [berthNetwork] : []]
    bodies.push(body)
    const message = 'could not choose an IP address to advertise since this system has multiple addresses'
    return bodies.length === 1 ? [400, { message }] : [200, 'n']
  })
  await engine.prepare()
  const addresses = bodies.map((body) => (body as { AdvertiseAddr: string }).AdvertiseAddr)
  assert.equal(addresses[0], '')
  assert.match(addresses[1] ?? '', /^\d+\.\d+\.\d+\.\d+$/)
})

test('prepares without an error when another process creates the swarm and the network first', async (t) => {
  let infos = 0
  let lists = 0
  const { engine } = await engineOverFakeApi(t, ({ path }) => {
    if (path === '/info') return swarmInfo(infos++ === 0 ? 'inactive' : 'active', infos > 1)
    if (['/services', '/configs', '/secrets'].includes(path)) return [200, []]
    if (path === '/swarm/init') return [503, { message: 'This node is already part of a swarm.' }]
    if (path === '/networks') return [200, lists++ === 0 ? [] : [berthNetwork]]
    return [409, { message: 'network with name berth already exists' }]
  })
  await engine.prepare()
})
