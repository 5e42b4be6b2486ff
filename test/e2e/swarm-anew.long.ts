/** A swarm that is made anew under ten databases, their ports and a registry: one call takes back all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { freePort } from '../fixtures/free-port.ts'
import { clients } from './clients.ts'
import { databaseClientsOn } from './database-clients.ts'
import { startMultiNodeBerth } from './multi-node-berth.ts'

const count = 10
const images = ['postgres:15', 'redis:8', 'haproxy:3.0', 'nginx:1', 'registry:2']

test('ten databases and a registry come back with their data', async (t) => {
  await using runtime = await startMultiNodeBerth(1, { managerImages: images })
  const { berth, own, projectId } = runtime
  const ok = async <T>(name: string, input: object = {}) => {
    const { status, body } = await berth.call<T>(name, { ...input }, undefined, { prefer: 'wait=300' })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const ownId = async () =>
    (await ok<{ id: string; state: string }[]>('cluster.getNodes')).find(({ state }) => state === 'ready')?.id
  const host = `${own.address}:${await freePort()}`
  const registry = { registryUrl: host, insecure: true, username: 'team', password: 'a-long-password' }
  await ok('registry.enableSelfHostedRegistry', registry)
  const placed = []
  for (let at = 0; at < count; at++) {
    const name = at % 2 === 0 ? 'postgres' : 'redis'
    const databaseClients = databaseClientsOn({ ...berth, projectId }, kindNamed(name), clients[name]!)
    const database = await databaseClients.deployed({ dockerImage: name === 'postgres' ? 'postgres:15' : 'redis:8' })
    await databaseClients.open(database, (session) => session.write(`row of ${database.appName}`))
    placed.push({ databaseClients, database })
  }
  const missingNodeId = await ownId()
  await own.docker('swarm', 'leave', '--force')
  await own.docker('swarm', 'init', '--advertise-addr', own.address).catch(() => [])
  for (const { databaseClients, database } of placed) {
    const isFound = ({ statusCode }: { statusCode: string | null }) => statusCode === 'NodeReturned'
    await databaseClients.waitUntil('the volume to be found', database, isFound, 120_000)
  }
  const startedAt = performance.now()
  const input = { missingNodeId, nodeId: await ownId(), confirm: own.name }
  const { volumes } = await ok<{ volumes: { finding: string | null }[] }>('cluster.adoptNode', input)
  t.diagnostic(`all databases answered after ${Math.round((performance.now() - startedAt) / 1000)} s`)
  assert.deepEqual(
    volumes.map(({ finding }) => finding),
    Array.from({ length: count + 1 }, () => null),
  )
  for (const { databaseClients, database } of placed) {
    const rows = await databaseClients.open(database, (session) => session.read())
    await compareData(database.appName, () => assert.deepEqual(rows, [`row of ${database.appName}`]))
  }
  const running = () => own.docker('service', 'ls', '--format', '{{.Name}} {{.Replicas}}')
  await until('the registry to run', async () => (await running()).includes('berth-registry 1/1'), 120_000)
})
