/** A service on a newer volume than the record says, as after a restore of Berth's state, is left as it is. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waitForRecord } from '../fixtures/database-clients.ts'
import { wait } from '../fixtures/test-berth.ts'
import { openMove } from './moves.ts'
import { backUpState } from './restored-state.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const { testBerth, databaseClients, database } = cleanup.use(await openMove())
const { appName } = database
const name = (databaseId: unknown) => `berth-gateway-${String(databaseId)}`

const messagePattern =
  /^The service \S+ has the volume \S+ on node second \(generation 2\), but .* the volume \S+ on node memory \(generation 1\)\. /

/** Returns what must not change: the specifications of the services, and the container of the database. */
const running = async () => ({
  server: testBerth.engine.specOf(appName),
  gateway: testBerth.engine.specOf(name(databaseClients.idOf(database))),
  tasks: await databaseClients.tasks(database),
})

const waitUntilLeftAlone = () =>
  waitForRecord(testBerth, databaseClients, database, ({ driftCodes }) => driftCodes.join() === 'PlacedElsewhere')

let restoreBeforeDeploy: () => Promise<void>
let restoreBeforeMove: () => Promise<void>
let moved: Awaited<ReturnType<typeof running>>

test('a move raises the generation on the service and its volume', async () => {
  const labelsOf = () => {
    const spec = testBerth.engine.specOf(appName)!
    const volume = spec.mounts.find(({ type }) => type === 'volume')!
    return [spec.labels, volume.labels].map((labels) => [labels['berth.database'], labels['berth.generation']])
  }
  const id = databaseClients.idOf(database)
  assert.deepEqual(labelsOf(), [
    [id, '1'],
    [id, '1'],
  ])
  restoreBeforeMove = await backUpState(testBerth, cleanup)
  await databaseClients.ok('move', database, { node: 'second' }, wait)
  assert.deepEqual(labelsOf(), [
    [id, '2'],
    [id, '2'],
  ])
  moved = await running()
  assert.equal(moved.tasks.length, 1)
})

test('after a restore of the state from before the move, the server runs on, and the status says where', async () => {
  await restoreBeforeMove()
  const record = await waitUntilLeftAlone()
  assert.match(record.statusReason!, messagePattern)
  assert.deepEqual([record.applicationStatus, record.statusCode], ['error', 'PlacedElsewhere'])
  assert.deepEqual([record.volume, record.volumeFault, record.node], [database.volume, null, 'memory'])
  assert.deepEqual(await running(), moved)
})

for (const [verb, input] of [
  ['start', {}],
  ['deploy', {}],
  ['reload', { appName }],
  ['stop', {}],
  ['saveExternalPort', { externalPort: 13307 }],
] as const) {
  test(`${verb} is refused and changes nothing`, async () => {
    const { status, body } = await databaseClients.call(verb, database, input, wait)
    assert.deepEqual([status, messagePattern.test(body.message)], [422, true], body.message)
    await waitUntilLeftAlone()
    assert.deepEqual(await running(), moved)
  })
}

test('a move and a removal are refused', async () => {
  assert.equal((await databaseClients.call('move', database, { node: 'second' })).status, 409)
  const { status, body } = await databaseClients.call('remove', database, { removeData: true })
  assert.deepEqual([status, messagePattern.test(body.message)], [409, true], body.message)
  assert.deepEqual(await running(), moved)
})

for (const state of ['down', 'gone'] as const) {
  test(`the server is not fenced while the node of the record is ${state}`, async () => {
    await testBerth.restart()
    testBerth.engine.addNode('node3', { hostname: 'third', address: '192.0.2.33' })
    await testBerth.app.transact(async (tx) => {
      await tx.updateTable('volume').set({ nodeId: 'node3' }).where('name', '=', database.volume).execute()
    })
    if (state === 'down') testBerth.engine.setNode('node3', { state: 'down' })
    else testBerth.engine.takeNode('node3')
    const hasReported = () => testBerth.logged.some(({ event }) => event === 'a service is left alone')
    await testBerth.until('the next observation', async () => hasReported() || null)
    assert.deepEqual((await waitUntilLeftAlone()).driftCodes, ['PlacedElsewhere'])
    assert.deepEqual(await running(), moved)
  })
}

test('a service that was stopped after the move does not start on the old volume', async () => {
  await restoreBeforeMove()
  await waitUntilLeftAlone()
  const stopped = { ...moved.server!, replicas: 0 as const }
  await testBerth.engine.updateService(stopped)
  const { status, body } = await databaseClients.call('start', database, {}, wait)
  assert.deepEqual([status, messagePattern.test(body.message)], [422, true], body.message)
  assert.deepEqual(testBerth.engine.specOf(appName), stopped)
})

test('after the service is removed by hand, the database starts with the data of the record', async () => {
  await testBerth.engine.removeService(appName)
  await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
  const { nodeId, mounts } = testBerth.engine.specOf(appName)!
  assert.deepEqual([nodeId, mounts.some((mount) => mount.name === database.volume)], ['node1', true])
})

test('a record from before the first deploy gets no second volume', async () => {
  const other = await databaseClients.create()
  restoreBeforeDeploy = await backUpState(testBerth, cleanup)
  const { volume } = await databaseClients.complete('deploy', other)
  await restoreBeforeDeploy()
  const { status, body } = await databaseClients.call('deploy', other, {}, wait)
  assert.equal(status, 422)
  assert.match(
    body.message,
    new RegExp(`has the volume ${volume} on node \\S+ \\(generation 1\\), but .* has no volume\\.`),
  )
  const { replicas, mounts } = testBerth.engine.specOf(other.appName)!
  assert.deepEqual([replicas, mounts.some((mount) => mount.name === volume)], [1, true])
})

test("somebody else's service with the name of the database is reported and left alone", async () => {
  const third = await databaseClients.createDeployed({ node: 'node1' })
  await testBerth.engine.removeService(third.appName)
  testBerth.engine.putForeign(third.appName)
  const record = await waitForRecord(
    testBerth,
    databaseClients,
    third,
    ({ statusCode }) => statusCode === 'AppNameTaken',
  )
  assert.equal(record.applicationStatus, 'error')
  testBerth.engine.takeForeign(third.appName)
  await waitForRecord(testBerth, databaseClients, third, ({ applicationStatus }) => applicationStatus === 'done')
})
