/** The server version of an image. Berth reads the version before a server of the image starts on data. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { officialStart } from '../engine/memory/engine.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { hash, idOf, openImages } from './images.ts'

test('refuses an image whose server cannot read the data, and keeps the present server running', async () => {
  await using context = await openImages()
  const { testBerth, databaseClients, images, specOf, deployLatest, failedCall } = context
  const database = await deployLatest()
  assert.deepEqual(
    [database.imageDigest, database.imageVersion, specOf(database).image],
    [idOf('8.0.36'), '8.0', idOf('8.0.36')],
  )
  const [before, tasks, updates] = [
    specOf(database),
    await databaseClients.tasks(database),
    testBerth.engine.calls.updateService,
  ]
  images.onNode = '9.1.0'
  const { message } = await failedCall('deploy', database, { pull: true })
  assert.match(message, /^The volume holds data of MySQL 8\.0, which mysql:latest cannot open: .* 9\.1\./)
  assert.deepEqual([specOf(database), await databaseClients.tasks(database)], [before, tasks])
  assert.equal(testBerth.engine.calls.updateService, updates)
  const now = await databaseClients.one(database)
  assert.deepEqual([now.applicationStatus, now.containerState, now.pendingChanges], ['error', 'running', false])
  assert.deepEqual([now.imageDigest, now.imageVersion], [idOf('8.0.36'), '8.0'])
  assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
})

test('reads the version from the image before the start if the name has no version', async () => {
  await using context = await openImages()
  const { databaseClients, images, deployLatest, failedCall } = context
  const database = await deployLatest()
  const tasks = await databaseClients.tasks(database)
  images.onNode = '9.1.0'
  await databaseClients.ok('update', database, { dockerImage: 'registry.example.com/team/our-database' })
  const { message } = await failedCall('deploy', database)
  assert.match(message, /our-database cannot open.*9\.1/)
  assert.deepEqual(await databaseClients.tasks(database), tasks)
  assert.equal((await databaseClients.one(database)).pendingChanges, true)
})

test('creates no server of an incompatible version on a kept volume', async () => {
  await using context = await openImages()
  const { testBerth, databaseClients, images, deployLatest, failedCall } = context
  const database = await deployLatest()
  await databaseClients.remove(database)
  images.onNode = '9.1.0'
  const [{ volumeId } = { volumeId: '' }] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
  const again = (await testBerth.ok('volume.restore', {
    volumeId,
    name: 'again',
    appName: 'again',
    projectId: testBerth.projectId,
  })) as Database
  assert.match((await failedCall('deploy', again)).message, /The volume holds data of MySQL 8\.0/)
  assert.equal(testBerth.engine.specOf('again'), null)
})

test('refuses an image of unknown version on data, and accepts it without data', async () => {
  await using context = await openImages()
  const { testBerth, images, specOf, deployLatest, failedCall } = context
  const database = await deployLatest()
  images.isVersionDeclared = false
  images.onNode = '9.1.0'
  testBerth.engine.onJob = () => {
    throw new EngineFailure('failed', 'no job can be started')
  }
  assert.match(
    (await failedCall('deploy', database, { pull: true })).message,
    /could not be read \(no job can be started\)/,
  )
  assert.equal(specOf(database).image, idOf('8.0.36'))
  assert.equal((await deployLatest()).imageVersion, null)
})

test('runs the server program to read an undeclared version, or else uses the version of the tag', async () => {
  await using context = await openImages()
  const { testBerth, images, deployLatest } = context
  images.isVersionDeclared = false
  const jobs: string[][] = []
  testBerth.engine.onJob = async ({ image, argv }, { stdout }) => {
    jobs.push([image, ...argv])
    stdout.write('/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n')
    return 0
  }
  assert.equal((await deployLatest()).imageVersion, '8.0')
  assert.deepEqual(jobs, [[idOf('8.0.36'), 'mysqld', '--version']])
  testBerth.engine.onJob = async () => 127
  assert.equal((await deployLatest()).imageVersion, null)
  assert.equal((await deployLatest({ dockerImage: 'mysql:8.0' })).imageVersion, '8.0')
  assert.deepEqual(await testBerth.engine.listJobs(), [])
})

test('prefers the version in the image to the version in its tag', async () => {
  await using context = await openImages()
  const { databaseClients } = context
  const database = await databaseClients.createDeployed({ dockerImage: 'team/db:42' })
  assert.equal(database.imageVersion, '8.0')
  await databaseClients.complete('reload', database, { appName: database.appName })
  await databaseClients.complete('deploy', database)
})

test("mounts the data at the path of the image's version", async () => {
  await using context = await openImages()
  const { testBerth } = context
  testBerth.engine.images = (reference) => ({
    id: reference.includes('sha256:') ? reference : hash(reference),
    digest: null,
    architecture: 'amd64',
    env: ['PG_MAJOR=18'],
    start: officialStart,
  })
  const { volume } = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed({
    appName: 'shop',
    dockerImage: 'postgres:latest',
  })
  const mount = testBerth.engine.specOf('shop')!.mounts.find(({ name }) => name === volume)
  assert.equal(mount?.path, '/var/lib/postgresql')
})
