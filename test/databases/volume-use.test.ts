/** Berth starts no container on a volume that another service or container uses, and does not remove such a volume. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { specOf } from '../fixtures/samples.ts'
import { type Database, databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { backUpState } from './restored-state.ts'
import { fakeVolumes, inventory, shopDump } from './fake-volumes.ts'
import { allVolumes } from './volumes.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const testBerth = cleanup.use(await startTestBerth())
const databaseClients = databaseClientsOf(testBerth, kindNamed('mysql'))
testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
await waitForNode(testBerth, 'node2')

const volumeIdOf = async (name: string) =>
  (await allVolumes(testBerth)).find((volume) => volume.name === name)!.volumeId
const replicasOf = (name: string) => testBerth.engine.specOf(name)?.replicas ?? null
const mountsOf = (name: string) => [{ type: 'volume' as const, path: '/data', name, sizeBytes: 0, labels: {} }]

/** Creates a service on the volume as an older state of Berth, or a person, could have left it. */
async function occupy(name: string, volume: string, replicas: 0 | 1 = 1): Promise<AsyncDisposable> {
  await testBerth.engine.createService(specOf({ name, mounts: mountsOf(volume), nodeId: 'node1', replicas }))
  return { [Symbol.asyncDispose]: () => testBerth.engine.removeService(name) }
}

/** Asserts that the volume has exactly these running servers. */
function checkServers(volume: string, names: string[]): void {
  const running = ['orders', 'orders2', 'shop', 'by-hand', 'old'].filter((name) => {
    const spec = testBerth.engine.specOf(name)
    return spec?.replicas === 1 && spec.mounts.some((mount) => mount.name === volume)
  })
  assert.deepEqual(running, names)
}

test('a restored state starts no second server on a volume, and does not remove it', async () => {
  const orders = await databaseClients.createDeployed({ appName: 'orders', node: 'node1' })
  const volume = orders.volume!
  const restoreAttached = await backUpState(testBerth, cleanup)
  await databaseClients.remove(orders)
  const restoreKept = await backUpState(testBerth, cleanup)
  const volumeId = await volumeIdOf(volume)
  const input = { volumeId, name: 'orders2', appName: 'orders2', projectId: testBerth.projectId }
  const orders2 = await testBerth.ok<Database>('volume.restore', input)
  await databaseClients.complete('deploy', orders2)

  await restoreAttached()
  const refused = /in use by the service orders2, so orders was not started/
  const down = await waitForRecord(
    testBerth,
    databaseClients,
    orders,
    ({ applicationStatus, statusReason }) => applicationStatus === 'error' && refused.test(statusReason ?? ''),
  )
  assert.deepEqual([down.statusCode, down.volumeFault], ['VolumeInUse', null])
  for (const verb of ['start', 'deploy'] as const) {
    const { status, body } = await databaseClients.call(verb, orders, {}, wait)
    assert.deepEqual([status, refused.test(body.message)], [422, true], body.message)
  }
  checkServers(volume, ['orders2'])
  await databaseClients.call('remove', orders, { removeData: true }, wait)
  const removals = (await testBerth.everything()).deployment!.filter(({ action }) => action === 'remove')
  assert.deepEqual([removals.at(-1)!.state, String(removals.at(-1)!.reason).includes('VolumeInUse')], ['error', true])
  const [kept] = await allVolumes(testBerth)
  assert.deepEqual([kept?.state, [...testBerth.engine.volumes]], ['kept', [volume]])

  await restoreKept()
  const removal = testBerth.call('volume.remove', { volumeId }, wait)
  await testBerth.until('the reason', async () => {
    const last = (await testBerth.everything()).deployment!.at(-1)!
    return String(last.reason).includes('VolumeInUse') || null
  })
  testBerth.pass(30_000)
  const { status, body } = await removal
  assert.deepEqual([status, /in use by the service orders2/.test(String(body.message))], [422, true])
  checkServers(volume, ['orders2'])
  assert.ok(testBerth.engine.volumes.has(volume))
  const orders3 = await testBerth.ok<Database>('volume.restore', { ...input, name: 'orders3', appName: 'orders3' })
  assert.equal((await databaseClients.call('deploy', orders3, {}, wait)).status, 422)
  checkServers(volume, ['orders2'])
  await databaseClients.ok('remove', orders3, {}, wait)
  await testBerth.engine.removeService('orders2')
  await testBerth.ok('volume.remove', { volumeId }, wait)
  assert.equal(testBerth.engine.volumes.has(volume), false)
})

test('a stopped service of another database keeps its volume', async () => {
  const shop = await databaseClients.createDeployed({ appName: 'shop', node: 'node1' })
  await databaseClients.remove(shop)
  const volume = shop.volume!
  const volumeId = await volumeIdOf(volume)
  {
    await using _ = await occupy('old', volume, 0)
    const removal = testBerth.call('volume.remove', { volumeId }, wait)
    await testBerth.until('the reason', async () => {
      const last = (await testBerth.everything()).deployment!.at(-1)!
      return String(last.reason).includes('VolumeInUse') || null
    })
    testBerth.pass(30_000)
    assert.equal((await removal).status, 422)
  }
  assert.ok(testBerth.engine.volumes.has(volume))
  await testBerth.ok('volume.remove', { volumeId }, wait)
})

/** Each starts the database again, which is stopped or missing. */
const starts: [title: string, verb: string, input: (database: Database) => Record<string, unknown>][] = [
  ['a start', 'start', () => ({})],
  ['a deploy', 'deploy', () => ({})],
  ['a deploy of another image', 'deploy', () => ({ pull: true })],
]
for (const [title, verb, input] of starts) {
  for (const user of ['by-hand', 'a container'] as const) {
    test(`${title} is refused while ${user} uses the volume, and succeeds afterwards`, async () => {
      const database = await databaseClients.createDeployed({ node: 'node1' })
      const volume = database.volume!
      await databaseClients.complete('stop', database)
      const isService = user === 'by-hand'
      const occupied = isService ? await occupy(user, volume) : null
      if (!isService) testBerth.engine.runOnVolume('plain', volume)
      const { status, body } = await databaseClients.call(verb, database, input(database), wait)
      const name = isService ? 'the service by-hand' : 'the container plain'
      assert.equal(status, 422)
      assert.match(
        body.message,
        new RegExp(`^The volume ${volume} is in use by ${name}, so ${database.appName} was not`),
      )
      assert.equal(replicasOf(database.appName), 0)
      await occupied?.[Symbol.asyncDispose]()
      testBerth.engine.endOnVolume('plain')
      await databaseClients.complete('start', database)
      assert.equal(replicasOf(database.appName), 1)
      await databaseClients.ok('remove', database, {}, wait)
    })
  }
}

test('repairs start no second server, and are repeated at growing intervals', async () => {
  const database = await databaseClients.createDeployed({ node: 'node1' })
  await using _ = await occupy('by-hand', database.volume!)
  await testBerth.engine.removeService(database.appName)
  const repairs = async () =>
    (await testBerth.everything()).deployment!.filter(
      ({ action, subjectId }) => action === 'repair' && subjectId === databaseClients.idOf(database),
    )
  const failed = (count: number) =>
    testBerth.until(`${count} repairs`, async () => {
      const all = await repairs()
      return all.length === count && all.every(({ state }) => state === 'error') ? all : null
    })
  await failed(1)
  testBerth.pass(30_000)
  await failed(2)
  testBerth.pass(30_000)
  const record = await waitForRecord(
    testBerth,
    databaseClients,
    database,
    ({ statusCode }) => statusCode === 'VolumeInUse',
  )
  assert.equal(record.applicationStatus, 'error')
  assert.equal((await repairs()).length, 2)
  testBerth.pass(30_000)
  await failed(3)
  assert.equal(testBerth.engine.specOf(database.appName), null)
  await databaseClients.ok('remove', database, {}, wait)
})

test('the previous container of a removed service ends before the next one starts', async () => {
  const database = await databaseClients.createDeployed({ node: 'node1' })
  testBerth.engine.linger('node1', true)
  await testBerth.engine.removeService(database.appName)
  await testBerth.until('the wait', async () => {
    testBerth.pass(1000)
    return (await databaseClients.one(database)).statusCode === 'ContainersStopping' || null
  })
  assert.equal(testBerth.engine.specOf(database.appName), null)
  testBerth.engine.linger('node1', false)
  await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
  await databaseClients.ok('remove', database, {}, wait)
})

test('a move starts no server on a volume that is in use, and the database stays where it is', async () => {
  const database = await databaseClients.createDeployed({ node: 'node1' })
  const volumes = fakeVolumes(testBerth, database.appName)
  volumes.contents.set(database.volume!, { dump: shopDump, list: inventory() })
  const { updateService } = testBerth.engine
  testBerth.engine.updateService = async (spec) => {
    await updateService(spec)
    if (spec.name === database.appName && spec.replicas === 0) testBerth.engine.runOnVolume('plain', database.volume!)
  }
  const { status, body } = await databaseClients.call('move', database, { node: 'second' }, wait)
  testBerth.engine.updateService = updateService
  assert.equal(status, 422)
  assert.match(body.message, /could not be moved to second: The volume \S+ is in use by the container plain/)
  assert.equal(replicasOf(database.appName), 0)
  testBerth.engine.endOnVolume('plain')
  await databaseClients.complete('start', database)
  const { volume, node } = await databaseClients.one(database)
  assert.deepEqual([volume, node], [database.volume, database.node])
})
