/** Failed deploys: missing images, failed rollbacks, errors of the engine, and versions that cannot read the data. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { anyImage } from '../engine/memory/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { defaultVersion, databaseClientsOf, resolved, incompatibleImage } from '../fixtures/database-clients.ts'
import { failDeploy } from './fail-deploy.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const minute = 60_000

test("retries after internal errors of the engine for a minute, then fails with the engine's message", async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  const { createService } = testBerth.engine
  let [attempts, isRepaired] = [0, false]
  testBerth.engine.createService = async (spec) => {
    attempts++
    if (isRepaired) return createService(spec)
    throw new EngineFailure('failed', 'something broke')
  }
  const waiting = databaseClients.call('deploy', database, {}, wait)
  await until('attempts', async () => attempts > 5)
  assert.equal((await databaseClients.one(database)).applicationStatus, 'running')
  testBerth.pass(minute)
  const { status, body } = await waiting
  assert.deepEqual([status, body.message], [422, 'something broke'])
  const before = attempts
  const again = databaseClients.call('deploy', database, {}, wait)
  await until('attempts', async () => attempts > before + 2)
  isRepaired = true
  assert.deepEqual([(await again).status, (await databaseClients.one(database)).applicationStatus], [200, 'done'])
})

// Each test waits for turns of the loop, so the tests run concurrently.
describe('failed deploys', { concurrency: true }, () => {
  imageTests()
  endTests()
  versionTests()
})

function imageTests(): void {
  test("reports the engine's message for a missing image and creates nothing", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db', dockerImage: 'no-such-image:1' })
    await failDeploy(
      testBerth,
      databaseClients,
      database,
      0,
      /^Image not found \(No such image: no-such-image:1, and it cannot be pulled: .*\)/,
    )
    assert.deepEqual([testBerth.engine.specOf('shop-db'), testBerth.engine.calls.createService], [null, 0])
  })

  test('accepts any version after a deploy with a missing image, because no data was written', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ dockerImage: 'no-such-image:99' })
    await failDeploy(testBerth, databaseClients, database, 0, /^Image not found/)
    await databaseClients.ok('update', database, { dockerImage: kind.defaultImage })
    const done = await databaseClients.complete('deploy', database)
    assert.equal(done.applicationStatus, 'done')
    const [volume, ...others] = await testBerth.ok<{ name: string; version: string; dataPath: string }[]>('volume.all')
    const version = defaultVersion(kind)
    assert.deepEqual(
      [volume!.name, volume!.version, volume!.dataPath, others],
      [done.volume, version, kind.dataPath(version), []],
    )
  })

  test('keeps the server running if its new image is missing', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.ok('update', database, { dockerImage: 'no-such-image' })
    await failDeploy(
      testBerth,
      databaseClients,
      database,
      0,
      /^Image not found \(No such image: no-such-image, and it .*\)\nRolled back/,
    )
    assert.equal(testBerth.engine.specOf(database.appName)!.image, anyImage(resolved(kind.defaultImage))!.id)
  })
}

function endTests(): void {
  test('reports both reasons if the rollback fails too', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.ok('update', database, { env: 'A=1' })
    testBerth.engine.behave(database.appName, 'crash:7')
    await failDeploy(
      testBerth,
      databaseClients,
      database,
      0,
      /^The server ended with exit code 7\nThe rollback failed too: The server ended with exit code 7$/,
    )
    const after = await databaseClients.one(database)
    assert.deepEqual([after.applicationStatus, after.pendingChanges], ['error', true])
  })

  test('reports a failed reload, after which Swarm restarts the container', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.behave(database.appName, 'crash:1')
    const { status, body } = await databaseClients.call('reload', database, { appName: database.appName }, wait)
    assert.deepEqual([status, body.message], [422, 'The server ended with exit code 1'])
    testBerth.engine.behave(database.appName, 'running')
    const again = await testBerth.until('the recovery', async () => {
      const record = await databaseClients.one(database)
      return record.applicationStatus === 'done' ? record : null
    })
    assert.equal(again.containerState, 'running')
    // The container can crash once more before Berth observes a running task.
    assert.match(again.statusReason ?? '', /^(Running again\. Before that: The server ended with exit code 1)?$/)
  })

  test('succeeds if the container fails twice and then runs', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    const listTasks = testBerth.engine.tasksOf
    testBerth.engine.tasksOf = async (services) => {
      const listed = await listTasks(services)
      if (listed.filter(({ state }) => state === 'failed').length === 2) testBerth.engine.behave('shop-db', 'running')
      return listed
    }
    testBerth.engine.behave('shop-db', 'crash:1')
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.deepEqual([status, body.applicationStatus], [200, 'done'])
  })

  test('fails the work if a name conflict in the engine does not end', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    testBerth.engine.putForeign('SHOP-DB')
    const waiting = databaseClients.call('deploy', database, {}, wait)
    await until('two attempts', async () => testBerth.engine.calls.createService > 1)
    testBerth.pass(3 * minute)
    await until('the halt', async () => (await testBerth.everything()).deployment![0]!.phase === 'halt')
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(body.message, /name conflicts with an existing object/)
  })
}

function versionTests(): void {
  test('refuses a new major version on a volume with data, and explains how to upgrade', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const other = incompatibleImage(kind)
    const { message } = await databaseClients.refused(
      'PRECONDITION_FAILED',
      'update',
      database,
      { dockerImage: other, name: 'x' },
      'dockerImage',
    )
    assert.match(message, /Make a backup, create a new service .* and restore the backup into it/)
    await databaseClients.complete('stop', database)
    await databaseClients.refused('PRECONDITION_FAILED', 'update', database, { dockerImage: other }, 'dockerImage')
    const image = resolved(kind.defaultImage)
    for (const same of [`${image}.7`, `${image}-other`])
      await databaseClients.ok('update', database, { dockerImage: same })
  })

  test('accepts another version before the first deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const dockerImage = `${kind.name}:99`
    await databaseClients.ok('update', database, { dockerImage })
    await databaseClients.complete('deploy', database)
    const version = kind.versionOf('99')
    assert.equal((await testBerth.ok<{ version: string }[]>('volume.all'))[0]!.version, version)
  })
}
