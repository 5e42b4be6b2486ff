/** deploy, start, stop and reload of every kind of database: the responses and the calls to the engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { initialColumns, deployedNames } from '../../src/databases/columns.ts'
import { anyImage } from '../engine/memory/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { columnSamples } from './column-samples.ts'
import { defaultVersion, databaseClientsOf, resolved, settingsOf } from '../fixtures/database-clients.ts'
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
/** The fields that each operation needs in addition to the id. */
const needed: Record<string, object> = {
  reload: { appName: 'x' },
  saveExternalPort: { externalPort: null },
  changeStatus: { applicationStatus: 'idle' },
}

for (const kind of kinds) {
  describe(`running ${kind.name}`, () => {
    unknownTests(kind)
    deployTests(kind)
    specTests(kind)
    stopTests(kind)
    reloadTests(kind)
    pendingTests(kind)
  })
}

function unknownTests(kind: Kind): void {
  test('refuses an unknown id with NOT_FOUND and an empty or missing id as invalid', async () => {
    await using testBerth = await startTestBerth()
    for (const verb of verbs) {
      const ask = (id: unknown) => ({ ...needed[verb], [kind.idField]: id })
      const name = `${kind.name}.${verb}`
      for (const id of ['nobody', testBerth.projectId, "' or 1=1 --"])
        await testBerth.refused('NOT_FOUND', name, ask(id))
      await testBerth.refused('BAD_REQUEST', name, ask(''), kind.idField)
      await testBerth.refused('BAD_REQUEST', name, { ...needed[verb] }, kind.idField)
    }
  })
}

function deployTests(kind: Kind): void {
  test('deploy responds at once with status running, which becomes done', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    const answer = await databaseClients.act('deploy', made)
    assert.deepEqual(answer, { ...made, applicationStatus: 'running' })
    const done = await databaseClients.settle('deploy', made)
    const { statusReason, pendingChanges, node, containerState, lastDeployedAt } = done
    assert.deepEqual(
      { statusReason, pendingChanges, node, containerState, status: done.applicationStatus },
      { statusReason: null, pendingChanges: false, node: 'memory', containerState: 'running', status: 'done' },
    )
    assert.equal(new Date(lastDeployedAt!).toISOString(), lastDeployedAt)
    assert.deepEqual([...testBerth.engine.volumes], [done.volume])
  })

  test('a deploy superseded while it chooses a node leaves no unrecorded volume', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    const { nodes } = testBerth.engine
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: overtaken, resolve: overtake } = Promise.withResolvers<void>()
    testBerth.engine.nodes = async () => {
      ask()
      await overtaken
      return nodes()
    }
    await databaseClients.act('deploy', made)
    await asked
    await databaseClients.act('deploy', made)
    overtake()
    const done = await databaseClients.settle('deploy', made)
    assert.deepEqual([...testBerth.engine.volumes], [done.volume])
  })

  test('with Prefer: wait responds once the work is done, and confirms the preference', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { status, body, headers } = await databaseClients.ask('deploy', await databaseClients.create(), {}, wait)
    assert.deepEqual([status, body.applicationStatus, headers['preference-applied']], [200, 'done', wait.prefer])
    const one = await databaseClients.one(body)
    const masks = Object.fromEntries(kind.secrets.map((name) => [name, '********']))
    assert.deepEqual(body, { ...one, ...masks, connection: body.connection })
  })

  test('deploying the same record twice changes nothing on the engine', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const { run: _, ...before } = testBerth.changes()
    const tasks = await databaseClients.tasks(up)
    const again = await databaseClients.settle('deploy', up)
    const { run: __, ...after } = testBerth.changes()
    assert.deepEqual([after, await databaseClients.tasks(up)], [before, tasks])
    assert.deepEqual({ ...again, lastDeployedAt: up.lastDeployedAt }, up)
  })
}

function specTests(kind: Kind): void {
  test("passes the record's values to the engine", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    await databaseClients.act('update', database, {
      command: `-c 'a b' "c"`,
      env: 'TZ=UTC\n# no\nQUOTED="x y"',
      memoryReservation: 64,
      memoryLimit: 128,
      cpuReservation: 0.25,
      cpuLimit: 0.5,
    })
    const { volume } = await databaseClients.settle('deploy', database)
    const spec = testBerth.engine.specOf('shop-db')!
    const words = ['-c', 'a b', 'c']
    const launched = kind.launch?.(settingsOf(kind), words, 128)
    assert.deepEqual(spec.env, { TZ: 'UTC', QUOTED: 'x y', ...kind.env(settingsOf(kind)) })
    assert.deepEqual(
      [spec.image, spec.args, spec.replicas, spec.ports, spec.nodeId],
      [anyImage(resolved(kind.defaultImage))!.id, launched?.args ?? words, 1, [], 'node1'],
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

  test('deploys the image that an alias stands for', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.up({ appName: 'shop-db', dockerImage: 'mariadb:6' })
    assert.equal(testBerth.engine.specOf('shop-db')!.image, anyImage('mariadb:11')!.id)
  })
}

function stopTests(kind: Kind): void {
  test('stop keeps all data, and start restores the last deployed state', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    assert.equal((await databaseClients.act('stop', up)).applicationStatus, 'running')
    const stopped = await databaseClients.settle('stop', up)
    assert.deepEqual(stopped, { ...up, applicationStatus: 'idle', containerState: null })
    assert.deepEqual([await databaseClients.tasks(up), await testBerth.engine.liveContainers(up.appName)], [[], []])
    await databaseClients.act('update', up, { env: 'A=1' })
    assert.equal((await databaseClients.act('start', up)).applicationStatus, 'running')
    const started = await databaseClients.settle('start', up)
    assert.deepEqual(started, { ...up, env: 'A=1', pendingChanges: true, lastDeployedAt: started.lastDeployedAt })
    assert.equal(testBerth.engine.specOf(up.appName)!.env.A, undefined)
    assert.deepEqual([...testBerth.engine.volumes], [up.volume])
  })

  test('refuses to start a service that was never deployed, also after a stop', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    assert.match(
      (await databaseClients.refused('PRECONDITION_FAILED', 'start', database)).message,
      new RegExp(`${kind.name}.deploy`),
    )
    const stopped = await databaseClients.settle('stop', database)
    assert.deepEqual([stopped.applicationStatus, stopped.volume, await testBerth.engine.services()], ['idle', null, []])
    await databaseClients.refused('PRECONDITION_FAILED', 'start', database)
  })

  test('accepts start of a running service, stop of a stopped one, and deploy of a stopped one', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const tasks = await databaseClients.tasks(up)
    assert.equal((await databaseClients.settle('start', up)).applicationStatus, 'done')
    assert.deepEqual(await databaseClients.tasks(up), tasks)
    for (const verb of ['stop', 'stop'])
      assert.equal((await databaseClients.settle(verb, up)).applicationStatus, 'idle')
    assert.equal((await databaseClients.settle('deploy', up)).applicationStatus, 'done')
  })
}

function reloadTests(kind: Kind): void {
  test('reload creates a new container with the present record', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const [before] = await databaseClients.tasks(up)
    await databaseClients.act('saveEnvironment', up, { env: 'A=1' })
    assert.equal(testBerth.engine.specOf(up.appName)!.env.A, undefined)
    const reloaded = await databaseClients.settle('reload', up, { appName: up.appName })
    assert.deepEqual([reloaded.applicationStatus, reloaded.pendingChanges], ['done', false])
    assert.equal(testBerth.engine.specOf(up.appName)!.env.A, '1')
    const [after] = await databaseClients.tasks(up)
    await databaseClients.settle('reload', up, { appName: up.appName })
    const [last] = await databaseClients.tasks(up)
    assert.equal(new Set([before, after, last]).size, 3)
    await databaseClients.settle('deploy', up)
    assert.deepEqual(await databaseClients.tasks(up), [last])
  })

  test('refuses a reload with another appName', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [up] = [await databaseClients.up({ appName: 'shop-db' }), await databaseClients.create({ appName: 'other' })]
    for (const appName of ['', 'other', 'Shop-DB', 'shop-db ', undefined, null, 5]) {
      await databaseClients.refused('BAD_REQUEST', 'reload', up, { appName }, 'appName')
    }
  })

  test('refuses a reload of a service that is not up', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const { appName } = database
    await databaseClients.refused('PRECONDITION_FAILED', 'reload', database, { appName })
    await databaseClients.settle('deploy', database)
    await databaseClients.settle('stop', database)
    await databaseClients.refused('PRECONDITION_FAILED', 'reload', database, { appName })
  })
}

function pendingTests(kind: Kind): void {
  const changes: [field: string, value: unknown, back: unknown][] = [
    ...deployedNames.map((name): [string, unknown, unknown] => [name, columnSamples[name], initialColumns[name]]),
    ['dockerImage', 'other', kind.defaultImage],
    ...Object.entries(settingsOf(kind)).map(([name, value]): [string, unknown, unknown] => [name, 'changed', value]),
  ]

  test('sets pendingChanges while the record differs from what runs', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    assert.equal((await databaseClients.act('update', made, { env: 'A=0' })).pendingChanges, false)
    await databaseClients.act('update', made, { env: null })
    const up = await databaseClients.settle('deploy', made)
    for (const [field, value, back] of changes) {
      assert.equal((await databaseClients.act('update', up, { [field]: value })).pendingChanges, true, field)
      assert.equal((await databaseClients.one(up)).pendingChanges, true)
      assert.equal((await databaseClients.act('update', up, { [field]: back })).pendingChanges, false, field)
    }
    await databaseClients.act('update', up, { env: 'A=1', memoryLimit: 64 })
    assert.equal((await databaseClients.settle('deploy', up)).pendingChanges, false)
    assert.equal(testBerth.engine.specOf(up.appName)!.env.A, '1')
  })

  test('sets no pendingChanges for a name, a description or a status', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const changed = await databaseClients.act('update', up, { name: 'b', description: 'c', applicationStatus: 'error' })
    assert.equal(changed.pendingChanges, false)
  })
}
