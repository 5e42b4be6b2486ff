/**
 * What an image is, whatever its tag says: the version is read before anything changes, and what was resolved once is
 * what starts again. On the remembering engine, whose images a test says.
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

/** `tag`: the version that every tag stands for on the node; `registry`: and in the registry. Null: there is none. */
interface Shelf {
  tag: string | null
  registry: string | null
  pulls: string[]
  isSilent: boolean
}

let testBerth: TestBerth
let databaseClients: DatabaseClients
let shelf: Shelf
/** Versions whose images the node has, those of the registry among them. */
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

test('a tag without a version over files of another is refused, and the server that runs is left alone', async () => {
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

test('an image that is changed to is read before it is started, whatever it is called', async () => {
  const up = await latest()
  const tasks = await databaseClients.tasks(up)
  shelf.tag = '9.1.0'
  await databaseClients.act('update', up, { dockerImage: 'registry.example.com/team/our-database' })
  const { message } = await failure('deploy', up)
  assert.match(message, /our-database cannot open.*9\.1/)
  assert.deepEqual(await databaseClients.tasks(up), tasks)
  assert.equal((await databaseClients.one(up)).pendingChanges, true)
})

test('a kept volume takes no server of another version, and none is made', async () => {
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

test('what was resolved starts again, whatever its tag is given to; pull: true takes what it is now', async () => {
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

test('an image of a registry is named by its digest; one that cannot be pulled anew ends the work', async () => {
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

test('one that is stopped stays so where its new image is refused, and starts as it was', async () => {
  const up = await latest()
  await databaseClients.settle('stop', up)
  shelf.tag = '9.1.0'
  await failure('deploy', up, { pull: true })
  assert.deepEqual([running(up).replicas, (await databaseClients.one(up)).imageVersion], [0, '8.0'])
  await databaseClients.settle('start', up)
  assert.deepEqual([running(up).replicas, running(up).image], [1, idOf('8.0.36')])
})

test('an image that only the node had and that is gone is not replaced by what has its name', async () => {
  const up = await latest()
  await databaseClients.settle('stop', up)
  kept.delete(shelf.tag!)
  shelf.tag = '8.0.40'
  const { message } = await failure('start', up)
  assert.match(message, /mysql:latest stood for .* is not on its node any more.*pull: true/)
  assert.equal(running(up).replicas, 0)
  assert.deepEqual(
    [(await databaseClients.one(up)).applicationStatus, (await databaseClients.one(up)).drift],
    ['error', []],
  )
  await databaseClients.settle('deploy', up, { pull: true })
  assert.equal(running(up).image, idOf('8.0.40'))
})

test('one that Berth mends is tried again until its image is back', async () => {
  const up = await latest()
  kept.delete(shelf.tag!)
  shelf.tag = '9.1.0'
  testBerth.engine.alter(up.appName, { replicas: 0 })
  const lost = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
  assert.match(lost.statusReason!, /is not on its node any more/)
  kept.add('8.0.36')
  testBerth.pass(31_000)
  const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  assert.deepEqual([again.imageDigest, running(up).image], [idOf('8.0.36'), idOf('8.0.36')])
})

test('an image that cannot be asked does not get at data; where there is none it is taken', async () => {
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

test('an image that declares no version is asked by its server; where that says nothing, the tag counts', async () => {
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

test('a tag that names another version than the image has is not believed', async () => {
  const up = await databaseClients.up({ dockerImage: 'team/db:42' })
  assert.equal(up.imageVersion, '8.0')
  await databaseClients.settle('reload', up, { appName: up.appName })
  await databaseClients.settle('deploy', up)
})

test('the path of the data is that of the version in the image', async () => {
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

test('tools of backups are of the image that runs; a dump says what that is called', async () => {
  const { appName } = await latest()
  shelf.tag = '9.1.0'
  const { db } = testBerth.app
  const row = await db.selectFrom('database').selectAll().where('appName', '=', appName).executeTakeFirstOrThrow()
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  const { image, dockerImage } = serverOf(testBerth.app as unknown as Runtime, { row, volume })
  assert.deepEqual([image, dockerImage], [idOf('8.0.36'), 'mysql:latest'])
})

/** As a Berth from before images were resolved left it. */
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

test('one from before images were resolved runs on as it is, until it is deployed', async () => {
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

test('one from before, stopped: its image is read before it is started', async () => {
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

test('a call that comes while a registry is silent does not wait for it', async () => {
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
