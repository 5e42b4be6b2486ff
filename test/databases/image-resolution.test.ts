/** Image resolution: a deploy resolves a tag, and later starts use the resolved image. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTarget, sealTarget } from '../../src/databases/targets.ts'
import { serverOf } from '../../src/databases/tool-server.ts'
import type { Runtime } from '../../src/runtime.ts'
import { until } from '../engine/until.ts'
import { type Database, waitForRecord } from '../fixtures/database-clients.ts'
import { digestOf, type ImageContext, idOf, openImages } from './images.ts'

test('starts the resolved image after its tag moved, until a deploy with pull: true', async () => {
  await using context = await openImages()
  const { databaseClients, images, specOf, deployLatest } = context
  const database = await deployLatest()
  const pinned = idOf('8.0.36')
  images.onNode = '8.0.40'
  const tasks = await databaseClients.tasks(database)
  await databaseClients.complete('deploy', database)
  assert.deepEqual([await databaseClients.tasks(database), specOf(database).image], [tasks, pinned])
  await databaseClients.complete('reload', database, { appName: database.appName })
  assert.equal(specOf(database).image, pinned)
  await databaseClients.complete('stop', database)
  images.onNode = '9.1.0'
  await databaseClients.complete('start', database)
  assert.equal(specOf(database).image, pinned)
  await databaseClients.ok('update', database, { env: 'A=1' })
  await databaseClients.complete('deploy', database)
  assert.equal(specOf(database).image, pinned)
  assert.equal(images.pulls.length, 1)
  images.onNode = '8.0.40'
  const redeployed = await databaseClients.complete('deploy', database, { pull: true })
  assert.deepEqual(
    [specOf(database).image, redeployed.imageDigest, redeployed.imageVersion],
    [idOf('8.0.40'), idOf('8.0.40'), '8.0'],
  )
})

test('pins an image from a registry by digest, and fails if a requested pull fails', async () => {
  await using context = await openImages()
  const { databaseClients, images, specOf, deployLatest, failedCall } = context
  images.inRegistry = '8.0.40'
  const database = await deployLatest()
  assert.deepEqual(
    [database.imageDigest, specOf(database).image, images.pulls],
    [digestOf('8.0.40'), digestOf('8.0.40'), ['mysql:latest']],
  )
  images.inRegistry = null
  const tasks = await databaseClients.tasks(database)
  assert.match(
    (await failedCall('deploy', database, { pull: true })).message,
    /^The image mysql:latest could not be pulled: there is no registry/,
  )
  assert.deepEqual(
    [await databaseClients.tasks(database), (await databaseClients.one(database)).imageDigest],
    [tasks, digestOf('8.0.40')],
  )
  const other = await deployLatest()
  assert.equal(other.imageDigest, digestOf('8.0.40'), 'did not use the image of the node')
})

test('keeps a stopped service stopped if its new image is refused, and starts the old image', async () => {
  await using context = await openImages()
  const { databaseClients, images, specOf, deployLatest, failedCall } = context
  const database = await deployLatest()
  await databaseClients.complete('stop', database)
  images.onNode = '9.1.0'
  await failedCall('deploy', database, { pull: true })
  assert.deepEqual([specOf(database).replicas, (await databaseClients.one(database)).imageVersion], [0, '8.0'])
  await databaseClients.complete('start', database)
  assert.deepEqual([specOf(database).replicas, specOf(database).image], [1, idOf('8.0.36')])
})

test('does not replace a deleted local image by another image with the same tag', async () => {
  await using context = await openImages()
  const { databaseClients, images, specOf, deployLatest, failedCall } = context
  const database = await deployLatest()
  await databaseClients.complete('stop', database)
  images.versions.delete(images.onNode!)
  images.onNode = '8.0.40'
  const { message } = await failedCall('start', database)
  assert.match(message, /deployed image of mysql:latest .* is no longer on node memory.*pull: true/)
  assert.equal(specOf(database).replicas, 0)
  assert.deepEqual(
    [(await databaseClients.one(database)).applicationStatus, (await databaseClients.one(database)).drift],
    ['error', []],
  )
  await databaseClients.complete('deploy', database, { pull: true })
  assert.equal(specOf(database).image, idOf('8.0.40'))
})

test('retries a repair until the node has the image again', async () => {
  await using context = await openImages()
  const { testBerth, databaseClients, images, specOf, deployLatest } = context
  const database = await deployLatest()
  images.versions.delete(images.onNode!)
  images.onNode = '9.1.0'
  testBerth.engine.alter(database.appName, { replicas: 0 })
  const lost = await waitForRecord(
    testBerth,
    databaseClients,
    database,
    ({ applicationStatus }) => applicationStatus === 'error',
  )
  assert.match(lost.statusReason!, /is no longer on node memory/)
  images.versions.add('8.0.36')
  testBerth.pass(31_000)
  const again = await waitForRecord(
    testBerth,
    databaseClients,
    database,
    ({ applicationStatus }) => applicationStatus === 'done',
  )
  assert.deepEqual([again.imageDigest, specOf(database).image], [idOf('8.0.36'), idOf('8.0.36')])
})

test('runs backup tools from the running image, and records its reference in the dump', async () => {
  await using context = await openImages()
  const { testBerth, images, deployLatest } = context
  const { appName } = await deployLatest()
  images.onNode = '9.1.0'
  const { db } = testBerth.app
  const row = await db.selectFrom('database').selectAll().where('appName', '=', appName).executeTakeFirstOrThrow()
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  const { image, dockerImage } = serverOf(testBerth.app as unknown as Runtime, { row, volume })
  assert.deepEqual([image, dockerImage], [idOf('8.0.36'), 'mysql:latest'])
})

test('leaves a database without a resolved image running until it is deployed', async () => {
  await using context = await openImages()
  const { testBerth, databaseClients, images, specOf, deployLatest } = context
  const database = await deployLatest()
  await removeResolvedImage(context, database)
  await testBerth.restart()
  const [tasks, pulls] = [await databaseClients.tasks(database), images.pulls.length]
  const opened = await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
  assert.deepEqual([opened.drift, opened.imageDigest, opened.imageVersion], [[], null, null])
  assert.deepEqual(
    [await databaseClients.tasks(database), specOf(database).image, images.pulls.length],
    [tasks, 'mysql:latest', pulls],
  )
  assert.equal((await databaseClients.one(database)).pendingChanges, false)
  const deployed = await databaseClients.complete('deploy', database)
  assert.deepEqual([specOf(database).image, deployed.imageVersion], [idOf('8.0.36'), '8.0'])
})

test('resolves the image of a stopped database of an older version before its start', async () => {
  await using context = await openImages()
  const { databaseClients, images, specOf, deployLatest, failedCall } = context
  const database = await deployLatest()
  await databaseClients.complete('stop', database)
  await removeResolvedImage(context, database)
  images.onNode = '9.1.0'
  assert.match((await failedCall('start', database)).message, /The volume holds data of MySQL 8\.0/)
  assert.equal(specOf(database).replicas, 0)
  images.onNode = '8.0.40'
  await databaseClients.complete('start', database)
  assert.equal(specOf(database).image, idOf('8.0.40'))
})

test('accepts a stop while a registry does not respond', async () => {
  await using context = await openImages()
  const { testBerth, databaseClients, specOf, deployLatest } = context
  const database = await deployLatest()
  const before = await databaseClients.tasks(database)
  let isPulling = false
  const { pullImage } = testBerth.engine
  testBerth.engine.pullImage = (_, signal) =>
    new Promise((_resolve, reject) => {
      isPulling = true
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  await databaseClients.ok('deploy', database, { pull: true })
  await until('the pull', async () => isPulling)
  assert.deepEqual(await databaseClients.tasks(database), before)
  await databaseClients.complete('stop', database)
  testBerth.engine.pullImage = pullImage
  assert.equal(specOf(database).replicas, 0)
  await databaseClients.complete('deploy', database)
})

/** Changes a database to the state that a version of Berth without image resolution stored. */
async function removeResolvedImage({ testBerth }: ImageContext, database: Database): Promise<void> {
  const { db, transact, vault } = testBerth.app
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('appName', '=', database.appName)
    .executeTakeFirstOrThrow()
  const sealed = (column: 'target' | 'lastGood') => {
    const { image, ...rest } = openTarget(vault, column, row)!
    return sealTarget(vault, column, row.id, rest)
  }
  const columns = { target: sealed('target'), lastGood: sealed('lastGood') }
  await transact((tx) => tx.updateTable('database').set(columns).where('id', '=', row.id).execute())
  await testBerth.engine.updateService({ ...testBerth.engine.specOf(database.appName)!, image: database.dockerImage })
}
