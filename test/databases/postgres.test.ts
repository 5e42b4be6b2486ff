/** Fields, versions and data paths that are specific to PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyImage } from '../engine/memory/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf, settingsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('postgres')
const dataMount = (testBerth: TestBerth, appName: string) =>
  testBerth.engine.specOf(appName)!.mounts.find(({ type }) => type === 'volume')!.path

test('uses the default image of the contract in create, not in update', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  assert.equal((await databaseClients.create()).dockerImage, 'postgres:15')
  const other = await databaseClients.create({ dockerImage: 'postgres:17' })
  assert.equal((await databaseClients.ok('update', other, { name: 'b' })).dockerImage, 'postgres:17')
})

test('passes credentials with any characters to the variables of the image and to the URL', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const databasePassword = 'p\'a"s$s\\w`ord; --'
  const { connection } = await databaseClients.createDeployed({
    appName: 'shop-db',
    databaseName: 'Shop db',
    databaseUser: 'ada',
    databasePassword,
  })
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = testBerth.engine.specOf('shop-db')!.env
  assert.deepEqual([POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB], ['ada', databasePassword, 'Shop db'])
  const url = new URL(connection.internalUrl)
  const parts = [url.username, url.password, url.pathname].map(decodeURIComponent)
  assert.deepEqual(
    [url.protocol, url.host, ...parts],
    ['postgresql:', 'shop-db:5432', 'ada', databasePassword, '/Shop db'],
  )
})

test('refuses names that PostgreSQL refuses, on create and on update', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create()
  const wrong: Record<string, string[]> = {
    databaseName: ['', 'x'.repeat(64), 'ü'.repeat(32), 'a\nb', 'template0', 'template1'],
    databaseUser: ['', 'x'.repeat(64), 'pg_ada', 'public', 'none', "a'b", 'a"b'],
    databasePassword: ['a\nb', 'x'.repeat(256), `md5${'0'.repeat(32)}`],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const validInput = {
        name: 'db',
        appName: '',
        projectId: testBerth.projectId,
        ...settingsOf(kind, { [field]: value }),
      }
      await testBerth.refused('BAD_REQUEST', 'postgres.create', validInput, field)
      await databaseClients.refused('BAD_REQUEST', 'update', database, { [field]: value }, field)
    }
  }
})

test('keeps the data path of the version over reload and saveExternalPort', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const paths: [image: string, path: string][] = [
    ['postgres:15', '/var/lib/postgresql/data'],
    ['postgres:17-bookworm', '/var/lib/postgresql/data'],
    ['postgres:18', '/var/lib/postgresql'],
  ]
  for (const [dockerImage, path] of paths) {
    testBerth.engine.answer = () => ({ exitCode: 0, stdout: `${parseInt(dockerImage.slice(9), 10)}\n`, stderr: '' })
    const database = await databaseClients.createDeployed({ dockerImage })
    assert.equal(dataMount(testBerth, database.appName), path)
    await databaseClients.ok('saveExternalPort', database, { externalPort: 5000 }, wait)
    await databaseClients.ok('reload', database, { appName: database.appName }, wait)
    assert.equal(dataMount(testBerth, database.appName), path)
    await databaseClients.remove(database)
  }
})

test('reads the version from the server if the tag has none, and keeps the data path', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  testBerth.engine.answer = () => ({ exitCode: 0, stdout: '18\n', stderr: '' })
  const database = await databaseClients.createDeployed({ dockerImage: 'postgres' })
  const path = dataMount(testBerth, database.appName)
  assert.equal((await testBerth.ok<{ version: string }[]>('volume.all'))[0]!.version, '18')
  await databaseClients.ok('update', database, { dockerImage: 'postgres:18' })
  await databaseClients.complete('deploy', database)
  assert.equal(dataMount(testBerth, database.appName), path)
  await databaseClients.refused(
    'PRECONDITION_FAILED',
    'update',
    database,
    { dockerImage: 'postgres:17' },
    'dockerImage',
  )
})

test('accepts another version and data path after a failed first deploy', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const created = await databaseClients.create({ appName: 'shop-db', dockerImage: 'postgres:18' })
  testBerth.engine.images = (image) => (image === 'postgres:18' ? null : anyImage(image))
  assert.equal((await databaseClients.call('deploy', created, {}, wait)).status, 422)
  await databaseClients.ok('update', created, { dockerImage: 'postgres:15' })
  const database = await databaseClients.complete('deploy', created)
  assert.deepEqual([database.applicationStatus, dataMount(testBerth, 'shop-db')], ['done', '/var/lib/postgresql/data'])
  const volumes = await testBerth.ok<{ version: string; dataPath: string }[]>('volume.all')
  assert.deepEqual(
    volumes.map(({ version, dataPath }) => [version, dataPath]),
    [['15', '/var/lib/postgresql/data']],
  )
  await databaseClients.refused('PRECONDITION_FAILED', 'update', created, { dockerImage: 'postgres:18' }, 'dockerImage')
})

test('lets a user call every operation', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  const as = <T>(name: string, input: object) => testBerth.ok<T>(name, { ...input }, wait, testBerth.user)
  const validInput = { name: 'db', appName: 'shop-db', projectId, ...settingsOf(kind) }
  const { postgresId } = await as<{ postgresId: string }>('postgres.create', validInput)
  const steps = {
    one: {},
    update: {},
    saveEnvironment: {},
    deploy: {},
    stop: {},
    start: {},
    reload: { appName: 'shop-db' },
    saveExternalPort: { externalPort: 5000 },
    changeStatus: { applicationStatus: 'done' },
    remove: {},
  }
  for (const [verb, more] of Object.entries(steps)) await as(`postgres.${verb}`, { postgresId, ...more })
  const [{ volumeId }] = (await as<{ volumeId: string }[]>('volume.all', {})) as [{ volumeId: string }]
  const again = await as<{ postgresId: string }>('volume.restore', { volumeId, name: 'again', projectId })
  await as('postgres.remove', { postgresId: again.postgresId })
  await as('volume.remove', { volumeId })
})
