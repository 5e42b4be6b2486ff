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
import type { World } from '../../src/runtime.ts'
import { until } from '../engine/until.ts'
import { type Database, type Fleet, fleetOf, seen } from '../fixtures/fleet.ts'
import { type Failure, type Site, startSite, wait } from '../fixtures/site.ts'

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

let site: Site
let fleet: Fleet
let shelf: Shelf
/** Versions whose images the node has, those of the registry among them. */
let [kept, pulled] = [new Set<string>(), new Set<string>()]

beforeEach(async () => {
  site = await startSite()
  fleet = fleetOf(site, kind)
  shelf = { tag: '8.0.36', registry: null, pulls: [], isSilent: false }
  kept = new Set()
  pulled = new Set()
  site.engine.images = (reference) => {
    if (shelf.tag !== null) kept.add(shelf.tag)
    const isPin = reference.includes('sha256:')
    const version = isPin ? [...kept].find((it) => [idOf(it), digestOf(it)].includes(reference)) : shelf.tag
    if (version == null) return null
    const env = shelf.isSilent ? [] : [`MYSQL_VERSION=${version}-1.el9`]
    return { id: idOf(version), digest: pulled.has(version) ? digestOf(version) : null, architecture: 'amd64', env }
  }
  site.engine.onPull = (reference) => {
    shelf.pulls.push(reference)
    if (shelf.registry === null) throw new EngineFailure('missing', 'there is no registry')
    shelf.tag = shelf.registry
    pulled.add(shelf.registry)
  }
  // The programs of a kind print the version that they found.
  site.engine.answer = (task) => {
    const image = site.engine.specOf(task.serviceName)!.image
    const version = [...kept].find((it) => [idOf(it), digestOf(it)].includes(image)) ?? shelf.tag!
    return { exitCode: 0, stdout: `${version.split('.').slice(0, 2).join('.')}\n`, stderr: '' }
  }
})
afterEach(() => site.close())

const running = ({ appName }: Database) => site.engine.specOf(appName)!
const failure = async (verb: string, database: Database, more = {}): Promise<Failure> => {
  const { status, body } = await fleet.ask(verb, database, more, wait)
  assert.equal(status, 422, JSON.stringify(body))
  return body
}
const latest = (more = {}) => fleet.up({ dockerImage: 'mysql:latest', ...more })

test('a tag without a version over files of another is refused, and the server that runs is left alone', async () => {
  const up = await latest()
  assert.deepEqual([up.imageDigest, up.imageVersion, running(up).image], [idOf('8.0.36'), '8.0', idOf('8.0.36')])
  const [before, tasks, updates] = [running(up), await fleet.tasks(up), site.engine.calls.updateService]
  shelf.tag = '9.1.0'
  const { message } = await failure('deploy', up, { pull: true })
  assert.match(message, /^The volume holds data of MySQL 8\.0, which mysql:latest cannot open: .* 9\.1\./)
  assert.deepEqual([running(up), await fleet.tasks(up)], [before, tasks])
  assert.equal(site.engine.calls.updateService, updates)
  const now = await fleet.one(up)
  assert.deepEqual([now.applicationStatus, now.containerState, now.pendingChanges], ['error', 'running', false])
  assert.deepEqual([now.imageDigest, now.imageVersion], [idOf('8.0.36'), '8.0'])
  assert.equal((await fleet.settle('deploy', up)).applicationStatus, 'done')
})

test('an image that is changed to is read before it is started, whatever it is called', async () => {
  const up = await latest()
  const tasks = await fleet.tasks(up)
  shelf.tag = '9.1.0'
  await fleet.act('update', up, { dockerImage: 'registry.example.com/team/our-database' })
  const { message } = await failure('deploy', up)
  assert.match(message, /our-database cannot open.*9\.1/)
  assert.deepEqual(await fleet.tasks(up), tasks)
  assert.equal((await fleet.one(up)).pendingChanges, true)
})

test('a kept volume takes no server of another version, and none is made', async () => {
  const up = await latest()
  await fleet.gone(up)
  shelf.tag = '9.1.0'
  const [{ volumeId } = { volumeId: '' }] = await site.ok<{ volumeId: string }[]>('volume.all')
  const again = (await site.ok('volume.restore', {
    volumeId,
    name: 'again',
    appName: 'again',
    projectId: site.projectId,
  })) as Database
  assert.match((await failure('deploy', again)).message, /The volume holds data of MySQL 8\.0/)
  assert.equal(site.engine.specOf('again'), null)
})

test('what was resolved starts again, whatever its tag is given to; pull: true takes what it is now', async () => {
  const up = await latest()
  const pinned = idOf('8.0.36')
  shelf.tag = '8.0.40'
  const tasks = await fleet.tasks(up)
  await fleet.settle('deploy', up)
  assert.deepEqual([await fleet.tasks(up), running(up).image], [tasks, pinned])
  await fleet.settle('reload', up, { appName: up.appName })
  assert.equal(running(up).image, pinned)
  await fleet.settle('stop', up)
  shelf.tag = '9.1.0'
  await fleet.settle('start', up)
  assert.equal(running(up).image, pinned)
  await fleet.act('update', up, { env: 'A=1' })
  await fleet.settle('deploy', up)
  assert.equal(running(up).image, pinned)
  assert.equal(shelf.pulls.length, 1)
  shelf.tag = '8.0.40'
  const anew = await fleet.settle('deploy', up, { pull: true })
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
  const tasks = await fleet.tasks(up)
  assert.match(
    (await failure('deploy', up, { pull: true })).message,
    /^The image mysql:latest could not be pulled: there is no registry/,
  )
  assert.deepEqual([await fleet.tasks(up), (await fleet.one(up)).imageDigest], [tasks, digestOf('8.0.40')])
  const other = await latest()
  assert.equal(other.imageDigest, digestOf('8.0.40'), 'without pull the image of the node does')
})

test('one that is stopped stays so where its new image is refused, and starts as it was', async () => {
  const up = await latest()
  await fleet.settle('stop', up)
  shelf.tag = '9.1.0'
  await failure('deploy', up, { pull: true })
  assert.deepEqual([running(up).replicas, (await fleet.one(up)).imageVersion], [0, '8.0'])
  await fleet.settle('start', up)
  assert.deepEqual([running(up).replicas, running(up).image], [1, idOf('8.0.36')])
})

test('an image that only the node had and that is gone is not replaced by what has its name', async () => {
  const up = await latest()
  await fleet.settle('stop', up)
  kept.delete(shelf.tag!)
  shelf.tag = '8.0.40'
  const { message } = await failure('start', up)
  assert.match(message, /mysql:latest stood for .* is not on its node any more.*pull: true/)
  assert.equal(running(up).replicas, 0)
  assert.deepEqual([(await fleet.one(up)).applicationStatus, (await fleet.one(up)).drift], ['error', []])
  await fleet.settle('deploy', up, { pull: true })
  assert.equal(running(up).image, idOf('8.0.40'))
})

test('one that Berth mends is tried again until its image is back', async () => {
  const up = await latest()
  kept.delete(shelf.tag!)
  shelf.tag = '9.1.0'
  site.engine.alter(up.appName, { replicas: 0 })
  const lost = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
  assert.match(lost.statusReason!, /is not on its node any more/)
  kept.add('8.0.36')
  site.pass(31_000)
  const again = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
  assert.deepEqual([again.imageDigest, running(up).image], [idOf('8.0.36'), idOf('8.0.36')])
})

test('an image that cannot be asked does not get at data; where there is none it is taken', async () => {
  const up = await latest()
  shelf.isSilent = true
  shelf.tag = '9.1.0'
  site.engine.onJob = () => {
    throw new EngineFailure('failed', 'no job can be started')
  }
  assert.match((await failure('deploy', up, { pull: true })).message, /could not be read \(no job can be started\)/)
  assert.equal(running(up).image, idOf('8.0.36'))
  assert.equal((await latest()).imageVersion, null)
})

test('an image that declares no version is asked by its server; where that says nothing, the tag counts', async () => {
  shelf.isSilent = true
  const jobs: string[][] = []
  site.engine.onJob = async ({ image, argv }, { stdout }) => {
    jobs.push([image, ...argv])
    stdout.write('/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n')
    return 0
  }
  assert.equal((await latest()).imageVersion, '8.0')
  assert.deepEqual(jobs, [[idOf('8.0.36'), 'mysqld', '--version']])
  site.engine.onJob = async () => 127
  assert.equal((await latest()).imageVersion, null)
  assert.equal((await latest({ dockerImage: 'mysql:8.0' })).imageVersion, '8.0')
  assert.deepEqual(await site.engine.listJobs(), [])
})

test('a tag that names another version than the image has is not believed', async () => {
  const up = await fleet.up({ dockerImage: 'team/db:42' })
  assert.equal(up.imageVersion, '8.0')
  await fleet.settle('reload', up, { appName: up.appName })
  await fleet.settle('deploy', up)
})

test('the path of the data is that of the version in the image', async () => {
  site.engine.images = (reference) => ({
    id: reference.includes('sha256:') ? reference : hash(reference),
    digest: null,
    architecture: 'amd64',
    env: ['PG_MAJOR=18'],
  })
  const { volume } = await fleetOf(site, kindNamed('postgres')).up({ appName: 'shop', dockerImage: 'postgres:latest' })
  const mount = site.engine.specOf('shop')!.mounts.find(({ name }) => name === volume)
  assert.equal(mount?.path, '/var/lib/postgresql')
})

test('tools of backups are of the image that runs; a dump says what that is called', async () => {
  const { appName } = await latest()
  shelf.tag = '9.1.0'
  const { db } = site.app
  const row = await db.selectFrom('database').selectAll().where('appName', '=', appName).executeTakeFirstOrThrow()
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  const { image, dockerImage } = serverOf(site.app as unknown as World, { row, volume })
  assert.deepEqual([image, dockerImage], [idOf('8.0.36'), 'mysql:latest'])
})

/** As a Berth from before images were resolved left it. */
async function unresolve(database: Database): Promise<void> {
  const { db, transact, vault } = site.app
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
  await site.engine.updateService({ ...running(database), image: database.dockerImage })
}

test('one from before images were resolved runs on as it is, until it is deployed', async () => {
  const up = await latest()
  await unresolve(up)
  await site.restart()
  const [tasks, pulls] = [await fleet.tasks(up), shelf.pulls.length]
  const opened = await fleet.settle('saveExternalPort', up, { externalPort: 5000 })
  assert.deepEqual([opened.drift, opened.imageDigest, opened.imageVersion], [[], null, null])
  assert.deepEqual([await fleet.tasks(up), running(up).image, shelf.pulls.length], [tasks, 'mysql:latest', pulls])
  assert.equal((await fleet.one(up)).pendingChanges, false)
  const deployed = await fleet.settle('deploy', up)
  assert.deepEqual([running(up).image, deployed.imageVersion], [idOf('8.0.36'), '8.0'])
})

test('one from before, stopped: its image is read before it is started', async () => {
  const up = await latest()
  await fleet.settle('stop', up)
  await unresolve(up)
  shelf.tag = '9.1.0'
  assert.match((await failure('start', up)).message, /The volume holds data of MySQL 8\.0/)
  assert.equal(running(up).replicas, 0)
  shelf.tag = '8.0.40'
  await fleet.settle('start', up)
  assert.equal(running(up).image, idOf('8.0.40'))
})

test('a call that comes while a registry is silent does not wait for it', async () => {
  const up = await latest()
  const before = await fleet.tasks(up)
  let isAsked = false
  const { pullImage } = site.engine
  site.engine.pullImage = (_, signal) =>
    new Promise((_resolve, reject) => {
      isAsked = true
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  await fleet.act('deploy', up, { pull: true })
  await until('the pull', async () => isAsked)
  assert.deepEqual(await fleet.tasks(up), before)
  await fleet.settle('stop', up)
  site.engine.pullImage = pullImage
  assert.equal(running(up).replicas, 0)
  await fleet.settle('deploy', up)
})
