/** With the confirmation of dangerous calls, data is removed only with a code, and only once for each code. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { confirmDangerousCalls } from '../fixtures/confirming.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth, wait } from '../fixtures/test-berth.ts'
import { allVolumes, createKeptVolume } from './volumes.ts'

const kind = kinds[0]!
const field = 'confirmationCode'

test('a service is removed with its data only with a code, and without its data as before', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [first, second] = [await databaseClients.createDeployed(), await databaseClients.createDeployed()]
  const fresh = await confirmDangerousCalls(testBerth)
  const input = { [kind.idField]: databaseClients.idOf(first), removeData: true }
  const name = `${kind.name}.remove`
  await testBerth.refused('FORBIDDEN', name, input, field)
  await testBerth.refused('FORBIDDEN', name, { ...input, confirmationCode: 'abcdef' }, field)
  await testBerth.ok(name, { ...input, confirmationCode: fresh() }, wait)
  assert.deepEqual(
    (await allVolumes(testBerth)).map(({ appName }) => appName),
    [second.appName],
  )
  await testBerth.ok(name, { [kind.idField]: databaseClients.idOf(second) }, wait)
  assert.deepEqual(
    (await allVolumes(testBerth)).map(({ state }) => state),
    ['kept'],
  )
})

test('two removals of volumes with one code remove one', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const kept = [await createKeptVolume(testBerth, databaseClients), await createKeptVolume(testBerth, databaseClients)]
  const fresh = await confirmDangerousCalls(testBerth)
  const confirmationCode = fresh()
  const answers = await Promise.all(
    kept.map(({ volumeId }) => testBerth.call<Failure>('volume.remove', { volumeId, confirmationCode }, wait)),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403])
  assert.equal((await allVolumes(testBerth)).length, 1)
})

test('a project is removed with its services without a code, because their volumes are kept', async () => {
  await using testBerth = await startTestBerth()
  const database = await databaseClientsOf(testBerth, kind).createDeployed()
  await confirmDangerousCalls(testBerth)
  await testBerth.ok('project.remove', { projectId: database.projectId, cascade: true }, wait)
  assert.deepEqual(
    (await allVolumes(testBerth)).map(({ state }) => state),
    ['kept'],
  )
})

test('of two forced drains with one code, one reaches the swarm', async () => {
  await using testBerth = await startTestBerth({ BERTH_PROXY: 'off' })
  testBerth.engine.addNode('node2')
  const fresh = await confirmDangerousCalls(testBerth)
  const drain = { availability: 'drain', force: true, confirmationCode: fresh() }
  const drains = ['node1', 'node2'].map((nodeId) => testBerth.call('cluster.updateNode', { nodeId, ...drain }))
  const answers = await Promise.all(drains)
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403])
  const nodes = await testBerth.engine.nodes()
  assert.deepEqual(nodes.map(({ availability }) => availability).toSorted(), ['active', 'drain'])
})
