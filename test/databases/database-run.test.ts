/** deploy, start, stop and reload of every kind of database: what is answered, and what the engine is given. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { initialColumns, deployedNames } from '../../src/databases/columns.ts'
import { anyImage } from '../engine/memory/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { columnSamples } from './column-samples.ts'
import { defaultVersion, fleetOf, resolved, settingsOf } from '../fixtures/fleet.ts'
import { startSite, wait } from '../fixtures/site.ts'

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
/** What each needs beside the id. */
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
  test('an id that is not there is not found by any operation, and an empty or missing one is refused', async () => {
    await using site = await startSite()
    for (const verb of verbs) {
      const ask = (id: unknown) => ({ ...needed[verb], [kind.idField]: id })
      const name = `${kind.name}.${verb}`
      for (const id of ['nobody', site.projectId, "' or 1=1 --"]) await site.refused('NOT_FOUND', name, ask(id))
      await site.refused('BAD_REQUEST', name, ask(''), kind.idField)
      await site.refused('BAD_REQUEST', name, { ...needed[verb] }, kind.idField)
    }
  })
}

function deployTests(kind: Kind): void {
  test('deploy answers at once with the record running, and it becomes done', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    const answer = await fleet.act('deploy', made)
    assert.deepEqual(answer, { ...made, applicationStatus: 'running' })
    const done = await fleet.settle('deploy', made)
    const { statusReason, pendingChanges, node, containerState, lastDeployedAt } = done
    assert.deepEqual(
      { statusReason, pendingChanges, node, containerState, status: done.applicationStatus },
      { statusReason: null, pendingChanges: false, node: 'memory', containerState: 'running', status: 'done' },
    )
    assert.equal(new Date(lastDeployedAt!).toISOString(), lastDeployedAt)
    assert.deepEqual([...site.engine.volumes], [done.volume])
  })

  test('a deploy that is overtaken while it looks for a node leaves nothing that nobody knows of', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    const { nodes } = site.engine
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: overtaken, resolve: overtake } = Promise.withResolvers<void>()
    site.engine.nodes = async () => {
      ask()
      await overtaken
      return nodes()
    }
    await fleet.act('deploy', made)
    await asked
    await fleet.act('deploy', made)
    overtake()
    const done = await fleet.settle('deploy', made)
    assert.deepEqual([...site.engine.volumes], [done.volume])
  })

  test('with Prefer: wait it answers the record once it is done, and says that it kept to it', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const { status, body, headers } = await fleet.ask('deploy', await fleet.create(), {}, wait)
    assert.deepEqual([status, body.applicationStatus, headers['preference-applied']], [200, 'done', wait.prefer])
    const one = await fleet.one(body)
    const masks = Object.fromEntries(kind.secrets.map((name) => [name, '********']))
    assert.deepEqual(body, { ...one, ...masks, connection: body.connection })
  })

  test('the same record twice changes nothing on the engine', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const { run: _, ...before } = site.changes()
    const tasks = await fleet.tasks(up)
    const again = await fleet.settle('deploy', up)
    const { run: __, ...after } = site.changes()
    assert.deepEqual([after, await fleet.tasks(up)], [before, tasks])
    assert.deepEqual({ ...again, lastDeployedAt: up.lastDeployedAt }, up)
  })
}

function specTests(kind: Kind): void {
  test('the engine is given what the record says', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const database = await fleet.create({ appName: 'shop-db' })
    await fleet.act('update', database, {
      command: `-c 'a b' "c"`,
      env: 'TZ=UTC\n# no\nQUOTED="x y"',
      memoryReservation: 64,
      memoryLimit: 128,
      cpuReservation: 0.25,
      cpuLimit: 0.5,
    })
    const { volume } = await fleet.settle('deploy', database)
    const spec = site.engine.specOf('shop-db')!
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
      (await site.engine.services()).map(({ name }) => name),
      ['shop-db'],
    )
  })

  test('an image that stands for another is deployed as that', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    await fleet.up({ appName: 'shop-db', dockerImage: 'mariadb:6' })
    assert.equal(site.engine.specOf('shop-db')!.image, anyImage('mariadb:11')!.id)
  })
}

function stopTests(kind: Kind): void {
  test('stop keeps everything, and start brings it back as it was last deployed', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    assert.equal((await fleet.act('stop', up)).applicationStatus, 'running')
    const stopped = await fleet.settle('stop', up)
    assert.deepEqual(stopped, { ...up, applicationStatus: 'idle', containerState: null })
    assert.deepEqual([await fleet.tasks(up), await site.engine.liveContainers(up.appName)], [[], []])
    await fleet.act('update', up, { env: 'A=1' })
    assert.equal((await fleet.act('start', up)).applicationStatus, 'running')
    const started = await fleet.settle('start', up)
    assert.deepEqual(started, { ...up, env: 'A=1', pendingChanges: true, lastDeployedAt: started.lastDeployedAt })
    assert.equal(site.engine.specOf(up.appName)!.env.A, undefined)
    assert.deepEqual([...site.engine.volumes], [up.volume])
  })

  test('start of a service that was never deployed is refused, also after a stop', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const database = await fleet.create()
    assert.match(
      (await fleet.refused('PRECONDITION_FAILED', 'start', database)).message,
      new RegExp(`${kind.name}.deploy`),
    )
    const stopped = await fleet.settle('stop', database)
    assert.deepEqual([stopped.applicationStatus, stopped.volume, await site.engine.services()], ['idle', null, []])
    await fleet.refused('PRECONDITION_FAILED', 'start', database)
  })

  test('start of one that is up, stop of one that is stopped, and deploy of a stopped one are as good', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const tasks = await fleet.tasks(up)
    assert.equal((await fleet.settle('start', up)).applicationStatus, 'done')
    assert.deepEqual(await fleet.tasks(up), tasks)
    for (const verb of ['stop', 'stop']) assert.equal((await fleet.settle(verb, up)).applicationStatus, 'idle')
    assert.equal((await fleet.settle('deploy', up)).applicationStatus, 'done')
  })
}

function reloadTests(kind: Kind): void {
  test('reload makes a new container, with the record as it is', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const [before] = await fleet.tasks(up)
    await fleet.act('saveEnvironment', up, { env: 'A=1' })
    assert.equal(site.engine.specOf(up.appName)!.env.A, undefined)
    const reloaded = await fleet.settle('reload', up, { appName: up.appName })
    assert.deepEqual([reloaded.applicationStatus, reloaded.pendingChanges], ['done', false])
    assert.equal(site.engine.specOf(up.appName)!.env.A, '1')
    const [after] = await fleet.tasks(up)
    await fleet.settle('reload', up, { appName: up.appName })
    const [last] = await fleet.tasks(up)
    assert.equal(new Set([before, after, last]).size, 3)
    await fleet.settle('deploy', up)
    assert.deepEqual(await fleet.tasks(up), [last])
  })

  test('reload with an appName that is not its own is refused', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [up] = [await fleet.up({ appName: 'shop-db' }), await fleet.create({ appName: 'other' })]
    for (const appName of ['', 'other', 'Shop-DB', 'shop-db ', undefined, null, 5]) {
      await fleet.refused('BAD_REQUEST', 'reload', up, { appName }, 'appName')
    }
  })

  test('reload of a service that is not up is refused', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const database = await fleet.create()
    const { appName } = database
    await fleet.refused('PRECONDITION_FAILED', 'reload', database, { appName })
    await fleet.settle('deploy', database)
    await fleet.settle('stop', database)
    await fleet.refused('PRECONDITION_FAILED', 'reload', database, { appName })
  })
}

function pendingTests(kind: Kind): void {
  const changes: [field: string, value: unknown, back: unknown][] = [
    ...deployedNames.map((name): [string, unknown, unknown] => [name, columnSamples[name], initialColumns[name]]),
    ['dockerImage', 'other', kind.defaultImage],
    ...Object.entries(settingsOf(kind)).map(([name, value]): [string, unknown, unknown] => [name, 'changed', value]),
  ]

  test('pendingChanges says that the record differs from what runs, until it is changed back or deployed', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    assert.equal((await fleet.act('update', made, { env: 'A=0' })).pendingChanges, false)
    await fleet.act('update', made, { env: null })
    const up = await fleet.settle('deploy', made)
    for (const [field, value, back] of changes) {
      assert.equal((await fleet.act('update', up, { [field]: value })).pendingChanges, true, field)
      assert.equal((await fleet.one(up)).pendingChanges, true)
      assert.equal((await fleet.act('update', up, { [field]: back })).pendingChanges, false, field)
    }
    await fleet.act('update', up, { env: 'A=1', memoryLimit: 64 })
    assert.equal((await fleet.settle('deploy', up)).pendingChanges, false)
    assert.equal(site.engine.specOf(up.appName)!.env.A, '1')
  })

  test('a name, a description or a status is nothing that runs', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const changed = await fleet.act('update', up, { name: 'b', description: 'c', applicationStatus: 'error' })
    assert.equal(changed.pendingChanges, false)
  })
}
