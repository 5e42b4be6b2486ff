/**
 * Image resolution: the version is read from the image before anything changes, and later starts use the resolved
 * image. Runs on the in-memory engine, whose images the tests set.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { serverOf } from '../../src/databases/tool-server.ts'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { openTarget, sealTarget } from '../../src/databases/targets.ts'
import type { Runtime } from '../../src/runtime.ts'
import { until } from '../engine/until.ts'
import { type Database, type DatabaseClients, databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { type Failure, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('mysql')
const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const idOf = (version: string) => hash(version)
const digestOf = (version: string) => `mysql@${hash(`of ${version}`)}`

/** `tag` is the version that every tag has on the node, `registry` the one in the registry. Null: there is none. */
interface Shelf {
  tag: string | null
  registry: string | null
  pulls: string[]
  isSilent: boolean
}

let testBerth: TestBerth
let databaseClients: DatabaseClients
let shelf: Shelf
/** The versions whose images are on the node, including those from the registry. */
let [kept, pulled] = [new Set<string>(), new Set<string>()]

beforeEach(async () => {
  testBerth = await startTestBerth()
  databaseClients = databaseClientsOf(testBerth, kind)
  shelf = { tag: '8.0.36', registry: null, pulls: [], isSilent: false }
  kept = new Set()
  pulled = new Set()
  testBerth.engine.images = (reference) => {
    if (shelf.tag !== null) kept.add(shelf.tag)
    const isPin = reference.includes('sha256:')
    const version = isPin ? [...kept].find((it) => [idOf(it), digestOf(it)].includes(reference)) : shelf.tag
    if (version == null) return null
    const env = shelf.isSilent ? [] : [`MYSQL_VERSION=${version}-1.el9`]
    return { id: idOf(version), digest: pulled.has(version) ? digestOf(version) : null, architecture: 'amd64', env }
  }
  testBerth.engine.onPull = (reference) => {
    shelf.pulls.push(reference)
    if (shelf.registry === null) throw new EngineFailure('missing', 'there is no registry')
    shelf.tag = shelf.registry
    pulled.add(shelf.registry)
  }
  // The programs of a kind print the version that they found.
  testBerth.engine.answer = (task) => {
    const image = testBerth.engine.specOf(task.serviceName)!.image
    const version = [...kept].find((it) => [idOf(it), digestOf(it)].includes(image)) ?? shelf.tag!
    return { exitCode: 0, stdout: `${version.split('.').slice(0, 2).join('.')}\n`, stderr: '' }
  }
})
afterEach(() => testBerth.close())

const running = ({ appName }: Database) => testBerth.engine.specOf(appName)!
const failure = async (verb: string, database: Database, more = {}): Promise<Failure> => {
  const { status, body } = await databaseClients.ask(verb, database, more, wait)
  assert.equal(status, 422, JSON.stringify(body))
  return body
}
const latest = (more = {}) => databaseClients.up({ dockerImage: 'mysql:latest', ...more })

test('refuses an unversioned tag whose server cannot open the files, and leaves the server running', async () => {
  const up = await latest()
  assert.deepEqual([up.imageDigest, up.imageVersion, running(up).image], [idOf('8.0.36'), '8.0', idOf('8.0.36')])
  const [before, tasks, updates] = [running(up), await databaseClients.tasks(up), testBerth.engine.calls.updateService]
  shelf.tag = '9.1.0'
  const { message } = await failure('deploy', up, { pull: true })
  assert.match(message, /^The volume holds data of MySQL 8\.0, which mysql:latest cannot open: .* 9\.1\./)
  assert.deepEqual([running(up), await databaseClients.tasks(up)], [before, tasks])
  assert.equal(testBerth.engine.calls.updateService, updates)
  const now = await databaseClients.one(up)
  assert.deepEqual([now.applicationStatus, now.containerState, now.pendingChanges], ['error', 'running', false])
  assert.deepEqual([now.imageDigest, now.imageVersion], [idOf('8.0.36'), '8.0'])
  assert.equal((await databaseClients.settle('deploy', up)).applicationStatus, 'done')
})

test('reads the version of a new image before its start, whatever its name', async () => {
  const up = await latest()
  const tasks = await databaseClients.tasks(up)
  shelf.tag = '9.1.0'
  await databaseClients.act('update', up, { dockerImage: 'registry.example.com/team/our-database' })
  const { message } = await failure('deploy', up)
  assert.match(message, /our-database cannot open.*9\.1/)
  assert.deepEqual(await databaseClients.tasks(up), tasks)
  assert.equal((await databaseClients.one(up)).pendingChanges, true)
})

test('creates no server of another version on a kept volume', async () => {
  const up = await latest()
  await databaseClients.gone(up)
  shelf.tag = '9.1.0'
  const [{ volumeId } = { volumeId: '' }] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
  const again = (await testBerth.ok('volume.restore', {
    volumeId,
    name: 'again',
    appName: 'again',
    projectId: testBerth.projectId,
  })) as Database
  assert.match((await failure('deploy', again)).message, /The volume holds data of MySQL 8\.0/)
  assert.equal(testBerth.engine.specOf('again'), null)
})

test('starts the resolved image again after its tag moved; pull: true resolves the tag again', async () => {
  const up = await latest()
  const pinned = idOf('8.0.36')
  shelf.tag = '8.0.40'
  const tasks = await databaseClients.tasks(up)
  await databaseClients.settle('deploy', up)
  assert.deepEqual([await databaseClients.tasks(up), running(up).image], [tasks, pinned])
  await databaseClients.settle('reload', up, { appName: up.appName })
  assert.equal(running(up).image, pinned)
  await databaseClients.settle('stop', up)
  shelf.tag = '9.1.0'
  await databaseClients.settle('start', up)
  assert.equal(running(up).image, pinned)
  await databaseClients.act('update', up, { env: 'A=1' })
  await databaseClients.settle('deploy', up)
  assert.equal(running(up).image, pinned)
  assert.equal(shelf.pulls.length, 1)
  shelf.tag = '8.0.40'
  const anew = await databaseClients.settle('deploy', up, { pull: true })
  assert.deepEqual([running(up).image, anew.imageDigest, anew.imageVersion], [idOf('8.0.40'), idOf('8.0.40'), '8.0'])
})

test('pins an image of a registry by digest, and fails a pull that is not possible', async () => {
  shelf.registry = '8.0.40'
  const up = await latest()
  assert.deepEqual(
    [up.imageDigest, running(up).image, shelf.pulls],
    [digestOf('8.0.40'), digestOf('8.0.40'), ['mysql:latest']],
  )
  shelf.registry = null
  const tasks = await databaseClients.tasks(up)
  assert.match(
    (await failure('deploy', up, { pull: true })).message,
    /^The image mysql:latest could not be pulled: there is no registry/,
  )
  assert.deepEqual(
    [await databaseClients.tasks(up), (await databaseClients.one(up)).imageDigest],
    [tasks, digestOf('8.0.40')],
  )
  const other = await latest()
  assert.equal(other.imageDigest, digestOf('8.0.40'), 'without pull the image of the node does')
})

test('keeps a stopped service stopped if its new image is refused, and starts the old image', async () => {
  const up = await latest()
  await databaseClients.settle('stop', up)
  shelf.tag = '9.1.0'
  await failure('deploy', up, { pull: true })
  assert.deepEqual([running(up).replicas, (await databaseClients.one(up)).imageVersion], [0, '8.0'])
  await databaseClients.settle('start', up)
  assert.deepEqual([running(up).replicas, running(up).image], [1, idOf('8.0.36')])
})

test('does not replace a deleted local image by another one of the same name', async () => {
  const up = await latest()
  await databaseClients.settle('stop', up)
  kept.delete(shelf.tag!)
  shelf.tag = '8.0.40'
  const { message } = await failure('start', up)
  assert.match(message, /deployed image of mysql:latest .* is no longer on its node.*pull: true/)
  assert.equal(running(up).replicas, 0)
  assert.deepEqual(
    [(await databaseClients.one(up)).applicationStatus, (await databaseClients.one(up)).drift],
    ['error', []],
  )
  await databaseClients.settle('deploy', up, { pull: true })
  assert.equal(running(up).image, idOf('8.0.40'))
})

test('retries a repair until the image is back', async () => {
  const up = await latest()
  kept.delete(shelf.tag!)
  shelf.tag = '9.1.0'
  testBerth.engine.alter(up.appName, { replicas: 0 })
  const lost = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
  assert.match(lost.statusReason!, /is no longer on its node/)
  kept.add('8.0.36')
  testBerth.pass(31_000)
  const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  assert.deepEqual([again.imageDigest, running(up).image], [idOf('8.0.36'), idOf('8.0.36')])
})

test('refuses an image of unknown version on data, and accepts it without data', async () => {
  const up = await latest()
  shelf.isSilent = true
  shelf.tag = '9.1.0'
  testBerth.engine.onJob = () => {
    throw new EngineFailure('failed', 'no job can be started')
  }
  assert.match((await failure('deploy', up, { pull: true })).message, /could not be read \(no job can be started\)/)
  assert.equal(running(up).image, idOf('8.0.36'))
  assert.equal((await latest()).imageVersion, null)
})

test('runs the server to learn an undeclared version, and falls back to the tag', async () => {
  shelf.isSilent = true
  const jobs: string[][] = []
  testBerth.engine.onJob = async ({ image, argv }, { stdout }) => {
    jobs.push([image, ...argv])
    stdout.write('/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n')
    return 0
  }
  assert.equal((await latest()).imageVersion, '8.0')
  assert.deepEqual(jobs, [[idOf('8.0.36'), 'mysqld', '--version']])
  testBerth.engine.onJob = async () => 127
  assert.equal((await latest()).imageVersion, null)
  assert.equal((await latest({ dockerImage: 'mysql:8.0' })).imageVersion, '8.0')
  assert.deepEqual(await testBerth.engine.listJobs(), [])
})

test("trusts the image's version over its tag", async () => {
  const up = await databaseClients.up({ dockerImage: 'team/db:42' })
  assert.equal(up.imageVersion, '8.0')
  await databaseClients.settle('reload', up, { appName: up.appName })
  await databaseClients.settle('deploy', up)
})

test("mounts the data at the path of the image's version", async () => {
  testBerth.engine.images = (reference) => ({
    id: reference.includes('sha256:') ? reference : hash(reference),
    digest: null,
    architecture: 'amd64',
    env: ['PG_MAJOR=18'],
  })
  const { volume } = await databaseClientsOf(testBerth, kindNamed('postgres')).up({
    appName: 'shop',
    dockerImage: 'postgres:latest',
  })
  const mount = testBerth.engine.specOf('shop')!.mounts.find(({ name }) => name === volume)
  assert.equal(mount?.path, '/var/lib/postgresql')
})

test('runs backup tools from the running image, whose reference the dump records', async () => {
  const { appName } = await latest()
  shelf.tag = '9.1.0'
  const { db } = testBerth.app
  const row = await db.selectFrom('database').selectAll().where('appName', '=', appName).executeTakeFirstOrThrow()
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  const { image, dockerImage } = serverOf(testBerth.app as unknown as Runtime, { row, volume })
  assert.deepEqual([image, dockerImage], [idOf('8.0.36'), 'mysql:latest'])
})

/** A database as left by a version of Berth that did not resolve images. */
async function unresolve(database: Database): Promise<void> {
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
  await testBerth.engine.updateService({ ...running(database), image: database.dockerImage })
}

test('leaves a database without a resolved image running until it is deployed', async () => {
  const up = await latest()
  await unresolve(up)
  await testBerth.restart()
  const [tasks, pulls] = [await databaseClients.tasks(up), shelf.pulls.length]
  const opened = await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
  assert.deepEqual([opened.drift, opened.imageDigest, opened.imageVersion], [[], null, null])
  assert.deepEqual(
    [await databaseClients.tasks(up), running(up).image, shelf.pulls.length],
    [tasks, 'mysql:latest', pulls],
  )
  assert.equal((await databaseClients.one(up)).pendingChanges, false)
  const deployed = await databaseClients.settle('deploy', up)
  assert.deepEqual([running(up).image, deployed.imageVersion], [idOf('8.0.36'), '8.0'])
})

test('resolves the image of a stopped older database before its start', async () => {
  const up = await latest()
  await databaseClients.settle('stop', up)
  await unresolve(up)
  shelf.tag = '9.1.0'
  assert.match((await failure('start', up)).message, /The volume holds data of MySQL 8\.0/)
  assert.equal(running(up).replicas, 0)
  shelf.tag = '8.0.40'
  await databaseClients.settle('start', up)
  assert.equal(running(up).image, idOf('8.0.40'))
})

test('serves a call while a registry does not respond', async () => {
  const up = await latest()
  const before = await databaseClients.tasks(up)
  let isAsked = false
  const { pullImage } = testBerth.engine
  testBerth.engine.pullImage = (_, signal) =>
    new Promise((_resolve, reject) => {
      isAsked = true
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  await databaseClients.act('deploy', up, { pull: true })
  await until('the pull', async () => isAsked)
  assert.deepEqual(await databaseClients.tasks(up), before)
  await databaseClients.settle('stop', up)
  testBerth.engine.pullImage = pullImage
  assert.equal(running(up).replicas, 0)
  await databaseClients.settle('deploy', up)
})
