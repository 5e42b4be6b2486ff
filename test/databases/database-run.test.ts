/** deploy, start, stop and reload: their responses and their calls to the engine. Most are the same for every kind. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { initialColumns, deployedNames } from '../../src/databases/columns.ts'
import { anyImage } from '../engine/memory/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { columnSamples } from './column-samples.ts'
import { defaultVersion, databaseClientsOf, resolved, sampleKind, settingsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const verbs = [
  'one',
  'deploy',
  'start',
  'stop',
  'reload',
  'saveExternalPort',
  'remove',
  'saveEnvironment',
  'changeStatus',
  'update',
]
/** The required fields of each operation except the id. */
const requiredFields: Record<string, object> = {
  reload: { appName: 'x' },
  saveExternalPort: { externalPort: null },
  changeStatus: { applicationStatus: 'idle' },
}

for (const kind of kinds) {
  describe(`running ${kind.name}`, () => {
    specTests(kind)
    pendingTests(kind)
  })
}

describe('running any kind', () => {
  unknownTests(sampleKind)
  deployTests(sampleKind)
  aliasTests(sampleKind)
  stopTests(sampleKind)
  reloadTests(sampleKind)
  namingTests(sampleKind)
})

function unknownTests(kind: Kind): void {
  test('refuses an unknown id with NOT_FOUND and an empty or absent id with BAD_REQUEST', async () => {
    await using testBerth = await startTestBerth()
    for (const verb of verbs) {
      const inputOf = (id: unknown) => ({ ...requiredFields[verb], [kind.idField]: id })
      const name = `${kind.name}.${verb}`
      for (const id of ['nobody', testBerth.projectId, "' or 1=1 --"])
        await testBerth.refused('NOT_FOUND', name, inputOf(id))
      await testBerth.refused('BAD_REQUEST', name, inputOf(''), kind.idField)
      await testBerth.refused('BAD_REQUEST', name, { ...requiredFields[verb] }, kind.idField)
    }
  })
}

function deployTests(kind: Kind): void {
  test('deploy responds with status running before its work ends with status done', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const response = await databaseClients.ok('deploy', database)
    assert.deepEqual(response, { ...database, applicationStatus: 'running' })
    const done = await databaseClients.complete('deploy', database)
    const { statusReason, pendingChanges, node, containerState, lastDeployedAt } = done
    assert.deepEqual(
      { statusReason, pendingChanges, node, containerState, status: done.applicationStatus },
      { statusReason: null, pendingChanges: false, node: 'memory', containerState: 'running', status: 'done' },
    )
    assert.equal(new Date(lastDeployedAt!).toISOString(), lastDeployedAt)
    assert.deepEqual([...testBerth.engine.volumes], [done.volume])
  })

  test('leaves no unrecorded volume if a deploy is superseded while it chooses a node', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const { nodes } = testBerth.engine
    const { promise: listed, resolve: list } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    testBerth.engine.nodes = async () => {
      list()
      await released
      return nodes()
    }
    await databaseClients.ok('deploy', database)
    await listed
    await databaseClients.ok('deploy', database)
    release()
    const done = await databaseClients.complete('deploy', database)
    assert.deepEqual([...testBerth.engine.volumes], [done.volume])
  })

  test('deploy with Prefer: wait responds after the work is done, and confirms the preference', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { status, body, headers } = await databaseClients.call('deploy', await databaseClients.create(), {}, wait)
    assert.deepEqual([status, body.applicationStatus, headers['preference-applied']], [200, 'done', wait.prefer])
    const record = await databaseClients.one(body)
    const masks = Object.fromEntries(kind.secrets.map((name) => [name, '********']))
    assert.deepEqual(body, { ...record, ...masks, connection: body.connection })
  })
}

function specTests(kind: Kind): void {
  test("passes the record's values to the engine", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    await databaseClients.ok('update', database, {
      command: `-c 'a b' "c"`,
      env: 'TZ=UTC\n# no\nQUOTED="x y"',
      memoryReservation: 64,
      memoryLimit: 128,
      cpuReservation: 0.25,
      cpuLimit: 0.5,
    })
    const { volume } = await databaseClients.complete('deploy', database)
    const spec = testBerth.engine.specOf('shop-db')!
    const commandArgs = ['-c', 'a b', 'c']
    const launched = kind.launch?.(settingsOf(kind), commandArgs, 128, kind.tls === undefined ? 'off' : 'allow')
    assert.deepEqual(spec.env, { TZ: 'UTC', QUOTED: 'x y', ...kind.env(settingsOf(kind)) })
    assert.deepEqual(
      [spec.image, spec.args, spec.replicas, spec.ports, spec.nodeId],
      [anyImage(resolved(kind.defaultImage))!.id, launched?.args ?? commandArgs, 1, [], 'node1'],
    )
    assert.deepEqual(spec.files, launched?.files ?? [])
    const mebibyte = 1024 * 1024
    assert.deepEqual(
      [spec.memoryReservationBytes, spec.memoryLimitBytes, spec.cpuReservationNano, spec.cpuLimitNano],
      [64 * mebibyte, 128 * mebibyte, 250_000_000, 500_000_000],
    )
    const data = spec.mounts.find(({ type }) => type === 'volume')!
    const version = defaultVersion(kind)
    assert.deepEqual([data.name, data.path], [volume, kind.dataPath(version)])
    assert.deepEqual(
      (await testBerth.engine.services()).map(({ name }) => name),
      ['shop-db'],
    )
  })

  test('deploy of an unchanged record changes nothing on the engine', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const before = testBerth.changes()
    const tasks = await databaseClients.tasks(database)
    const again = await databaseClients.complete('deploy', database)
    const after = testBerth.changes()
    assert.deepEqual([after, await databaseClients.tasks(database)], [before, tasks])
    assert.deepEqual({ ...again, lastDeployedAt: database.lastDeployedAt }, database)
  })
}

function aliasTests(kind: Kind): void {
  test('deploys the image of an alias', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.createDeployed({ appName: 'shop-db', dockerImage: 'mariadb:6' })
    assert.equal(testBerth.engine.specOf('shop-db')!.image, anyImage('mariadb:11')!.id)
  })
}

function stopTests(kind: Kind): void {
  test('stop keeps the volume, and start restores the last deployed state', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    assert.equal((await databaseClients.ok('stop', database)).applicationStatus, 'running')
    const stopped = await databaseClients.complete('stop', database)
    assert.deepEqual(stopped, { ...database, applicationStatus: 'idle', containerState: null })
    assert.deepEqual(
      [await databaseClients.tasks(database), await testBerth.engine.liveContainers(database.appName)],
      [[], []],
    )
    await databaseClients.ok('update', database, { env: 'A=1' })
    assert.equal((await databaseClients.ok('start', database)).applicationStatus, 'running')
    const started = await databaseClients.complete('start', database)
    assert.deepEqual(started, { ...database, env: 'A=1', pendingChanges: true, lastDeployedAt: started.lastDeployedAt })
    assert.equal(testBerth.engine.specOf(database.appName)!.env.A, undefined)
    assert.deepEqual([...testBerth.engine.volumes], [database.volume])
  })

  test('refuses to start a service that was never deployed, also after a stop', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    assert.match(
      (await databaseClients.refused('PRECONDITION_FAILED', 'start', database)).message,
      new RegExp(`${kind.name}.deploy`),
    )
    const stopped = await databaseClients.complete('stop', database)
    assert.deepEqual([stopped.applicationStatus, stopped.volume, await testBerth.engine.services()], ['idle', null, []])
    await databaseClients.refused('PRECONDITION_FAILED', 'start', database)
  })

  test('accepts start of a running service, stop of a stopped one, and deploy of a stopped one', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const tasks = await databaseClients.tasks(database)
    assert.equal((await databaseClients.complete('start', database)).applicationStatus, 'done')
    assert.deepEqual(await databaseClients.tasks(database), tasks)
    for (const verb of ['stop', 'stop'])
      assert.equal((await databaseClients.complete(verb, database)).applicationStatus, 'idle')
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
  })
}

function reloadTests(kind: Kind): void {
  test('reload creates a new container from the present record', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const [before] = await databaseClients.tasks(database)
    await databaseClients.ok('saveEnvironment', database, { env: 'A=1' })
    assert.equal(testBerth.engine.specOf(database.appName)!.env.A, undefined)
    const reloaded = await databaseClients.complete('reload', database, { appName: database.appName })
    assert.deepEqual([reloaded.applicationStatus, reloaded.pendingChanges], ['done', false])
    assert.equal(testBerth.engine.specOf(database.appName)!.env.A, '1')
    const [after] = await databaseClients.tasks(database)
    await databaseClients.complete('reload', database, { appName: database.appName })
    const [last] = await databaseClients.tasks(database)
    assert.equal(new Set([before, after, last]).size, 3)
    await databaseClients.complete('deploy', database)
    assert.deepEqual(await databaseClients.tasks(database), [last])
  })

  test('refuses a reload with another appName', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [database] = [
      await databaseClients.createDeployed({ appName: 'shop-db' }),
      await databaseClients.create({ appName: 'other' }),
    ]
    for (const appName of ['', 'other', 'Shop-DB', 'shop-db ', undefined, null, 5]) {
      await databaseClients.refused('BAD_REQUEST', 'reload', database, { appName }, 'appName')
    }
  })

  test('refuses a reload of a service that is not running', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const { appName } = database
    await databaseClients.refused('PRECONDITION_FAILED', 'reload', database, { appName })
    await databaseClients.complete('deploy', database)
    await databaseClients.complete('stop', database)
    await databaseClients.refused('PRECONDITION_FAILED', 'reload', database, { appName })
  })
}

function pendingTests(kind: Kind): void {
  const changes: [field: string, value: unknown, original: unknown][] = [
    ...deployedNames.map((name): [string, unknown, unknown] => [name, columnSamples[name], initialColumns[name]]),
    ['dockerImage', 'other', kind.defaultImage],
    ...Object.entries(settingsOf(kind)).map(([name, value]): [string, unknown, unknown] => [name, 'changed', value]),
  ]

  test('sets pendingChanges while the record differs from the running service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const created = await databaseClients.create()
    assert.equal((await databaseClients.ok('update', created, { env: 'A=0' })).pendingChanges, false)
    await databaseClients.ok('update', created, { env: null })
    const database = await databaseClients.complete('deploy', created)
    for (const [field, value, original] of changes) {
      assert.equal((await databaseClients.ok('update', database, { [field]: value })).pendingChanges, true, field)
      assert.equal((await databaseClients.one(database)).pendingChanges, true)
      assert.equal((await databaseClients.ok('update', database, { [field]: original })).pendingChanges, false, field)
    }
    await databaseClients.ok('update', database, { env: 'A=1', memoryLimit: 64 })
    assert.equal((await databaseClients.complete('deploy', database)).pendingChanges, false)
    assert.equal(testBerth.engine.specOf(database.appName)!.env.A, '1')
  })
}

function namingTests(kind: Kind): void {
  test('does not set pendingChanges for a name, a description or a status', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const changed = await databaseClients.ok('update', database, {
      name: 'b',
      description: 'c',
      applicationStatus: 'error',
    })
    assert.equal(changed.pendingChanges, false)
  })
}
