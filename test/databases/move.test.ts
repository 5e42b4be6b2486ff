/** Moving a database to another node: refusals, the copied data, and recovery from every interruption. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { operations } from '../../src/operations.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { type Database, type DatabaseClients, databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { type Disks, disksBehind, listOf, shop } from './movers.ts'
import { type Failure, type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('mysql')

interface VolumeBody {
  name: string
  node: string
  state: string
  databaseId: string | null
  volumeId: string
}

interface Moved extends AsyncDisposable {
  testBerth: TestBerth
  databaseClients: DatabaseClients
  database: Database
  disks: Disks
}

/** A database on the first of two nodes, with data on its volume. */
async function moving(): Promise<Moved> {
  const testBerth = await startTestBerth()
  testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
  await waitForNode(testBerth, 'node2')
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.up({ node: 'node1' })
  await databaseClients.act('saveExternalPort', database, { externalPort: 13306 }, wait)
  const disks = disksBehind(testBerth, database.appName)
  disks.on.set(database.volume!, { dump: shop, list: listOf() })
  return { testBerth, databaseClients, database, disks, [Symbol.asyncDispose]: () => testBerth[Symbol.asyncDispose]() }
}

/** The side of a move that a host name belongs to. */
const sideOf = (host: string) => /^berth-([a-z]+)-/.exec(host)?.[1] ?? 'live'

const volumesOf = async (testBerth: TestBerth) => testBerth.ok<VolumeBody[]>('volume.all')

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('moving', { concurrency: true }, () => {
  wayTests()
  refusalTests()
  failureTests()
  crashTests()
})

/** Asserts that the database is on the new node with all its data, the old volume is kept, and no copy is left. */
async function checkMoved({ testBerth, databaseClients, database, disks }: Moved): Promise<void> {
  const one = await databaseClients.one(database)
  assert.deepEqual([one.node, one.applicationStatus, one.statusReason], ['second', 'done', null])
  assert.notEqual(one.volume, database.volume)
  assert.equal(disks.on.get(one.volume!)!.dump, shop)
  assert.equal(disks.on.get(database.volume!)!.dump, shop)
  assert.match(one.connection.externalUrl!, /@192\.0\.2\.22:13306/)
  const service = testBerth.engine.specOf(database.appName)!
  assert.deepEqual([service.nodeId, service.replicas], ['node2', 1])
  assert.equal(testBerth.engine.specOf(databaseClients.gateway(database))?.nodeId, 'node2')
  const volumes = (await volumesOf(testBerth)).map(({ name, node, state, databaseId }) => [
    name,
    node,
    state,
    databaseId,
  ])
  assert.deepEqual(volumes, [
    [database.volume, 'memory', 'kept', null],
    [one.volume, 'second', 'attached', databaseClients.idOf(database)],
  ])
  await checkClean(testBerth, 2)
}

/** Asserts that the database runs on its old node with its data, and no copy is left. */
async function checkStayed({ testBerth, databaseClients, database, disks }: Moved): Promise<void> {
  const one = await databaseClients.one(database)
  assert.deepEqual([one.node, one.volume], [database.node, database.volume])
  assert.equal(disks.on.get(database.volume!)!.dump, shop)
  const service = testBerth.engine.specOf(database.appName)!
  assert.deepEqual([service.nodeId, service.replicas], ['node1', 1])
  await testBerth.until('the fresh volume to go', async () => ((await volumesOf(testBerth)).length === 1 ? true : null))
  await checkClean(testBerth, 2)
}

async function checkClean(testBerth: TestBerth, services: number): Promise<void> {
  assert.equal((await testBerth.engine.services()).length, services)
  assert.deepEqual(await testBerth.engine.listJobs(), [])
  assert.deepEqual(await testBerth.app.db.selectFrom('move').selectAll().execute(), [])
}

function wayTests(): void {
  test('moves data and port to the new node and keeps the old volume', async () => {
    await using it = await moving()
    const moved = await it.databaseClients.act('move', it.database, { node: 'second' }, wait)
    assert.deepEqual([moved.node, moved.applicationStatus], ['second', 'done'])
    await checkMoved(it)
    const [work] = (await it.testBerth.ok<Input[]>('deployment.all')).filter(({ action }) => action === 'move')
    assert.deepEqual([work!.state, work!.phase, work!.reason], ['done', 'apply', null])
    // Back again, by the id of the node.
    const back = await it.databaseClients.act('move', it.database, { node: 'node1' }, wait)
    assert.deepEqual([back.node, back.applicationStatus], ['memory', 'done'])
  })

  test('rehearses while the database runs, and copies while it is stopped', async () => {
    await using it = await moving()
    const { testBerth, database, disks } = it
    const copies: string[] = []
    disks.before = (part, host) => {
      const { replicas } = testBerth.engine.specOf(database.appName)!
      copies.push(`${part} ${sideOf(host)} ${replicas}`)
    }
    await it.databaseClients.act('move', database, { node: 'second' }, wait)
    assert.deepEqual(copies.slice(0, 6), [
      'ask target 1',
      'list live 1',
      'list target 1',
      'ask source 0',
      'ask target 0',
      'list source 0',
    ])
    assert.deepEqual(copies.slice(6, 8).sort(), ['dump source 0', 'load target 0'])
    assert.deepEqual(copies.slice(8), ['dump target 0', 'list target 0'])
  })

  test('restores the kept volume of a move into a new service', async () => {
    await using it = await moving()
    await it.databaseClients.act('move', it.database, { node: 'second' }, wait)
    const old = (await volumesOf(it.testBerth)).find(({ state }) => state === 'kept')!
    const made = await it.testBerth.ok<Database>('volume.restore', {
      volumeId: old.volumeId,
      name: 'before',
      appName: 'before',
      projectId: it.testBerth.projectId,
    })
    assert.equal((await it.databaseClients.settle('deploy', made)).node, 'memory')
  })

  test('exists for every kind whose servers can be copied completely', () => {
    const names = operations.map(({ name }) => name)
    for (const one of kinds) assert.equal(names.includes(`${one.name}.move`), one.backup?.serverInventory !== undefined)
    assert.ok(kinds.filter(({ backup }) => backup?.serverInventory !== undefined).length >= 4)
  })
}

function refusalTests(): void {
  test('refuses a node that is unknown, the same or unusable, and begins nothing', async () => {
    await using it = await moving()
    const { testBerth, databaseClients, database } = it
    const refused = (code: Failure['code'], node: unknown, path?: string) =>
      databaseClients.refused(code, 'move', database, { node }, path)
    await refused('NOT_FOUND', 'nobody', 'node')
    for (const node of ['', 5, null, 'a\u0000b']) await refused('BAD_REQUEST', node, 'node')
    for (const node of ['node1', 'memory']) assert.match((await refused('CONFLICT', node)).message, /on memory already/)
    testBerth.engine.addNode('node3', { hostname: 'second' })
    await refused('BAD_REQUEST', 'second', 'node')
    for (const how of [{ availability: 'drain' }, { availability: 'pause' }, { state: 'down' }] as const) {
      testBerth.engine.addNode('node4', how)
      assert.match((await refused('CONFLICT', 'node4')).message, /node4, /)
      testBerth.engine.takeNode('node4')
    }
  })

  test('refuses a database that is stopped, in progress or being restored', async () => {
    await using it = await moving()
    const { testBerth, databaseClients, database } = it
    const refused = async (pattern: RegExp) =>
      assert.match((await databaseClients.refused('CONFLICT', 'move', database, { node: 'node2' })).message, pattern)
    const run = {
      id: 'run',
      kind: kind.name,
      databaseId: databaseClients.idOf(database),
      database: 'shop',
      destinationId: 'none',
      action: 'restore',
      trigger: 'manual',
      status: 'waiting',
    } as const
    // Due so late that no loop runs it.
    await testBerth.app.transact((tx) => insertRun(tx, run, new Date('2099-01-01')))
    await refused(/The run run \(restore\) is under way/)
    await testBerth.app.transact((tx) => tx.deleteFrom('backupRun').execute())
    await databaseClients.act('stop', database, {}, wait)
    await refused(/does not run\. Call mysql\.deploy/)
    const created = await databaseClients.create({ appName: 'other' })
    await databaseClients.refused('CONFLICT', 'move', created, { node: 'node2' })
  })

  test('refuses other work during a move, but accepts changes of the record', async () => {
    await using it = await moving()
    const { testBerth, databaseClients, database, disks } = it
    const held = Promise.withResolvers<void>()
    disks.before = (part) => (part === 'dump' ? held.promise : undefined)
    const answered = await databaseClients.act('move', database, { node: 'node2' })
    assert.deepEqual([answered.applicationStatus, answered.node], ['running', 'memory'])
    await testBerth.until('the copy', async () => (disks.done.some(([part]) => part === 'dump') ? true : null))
    const calls: [verb: string, more: Input][] = [
      ['deploy', {}],
      ['start', {}],
      ['stop', {}],
      ['reload', { appName: database.appName }],
      ['remove', {}],
      ['saveExternalPort', { externalPort: null }],
    ]
    for (const [verb, more] of calls) {
      const { status, body } = await databaseClients.ask(verb, database, more)
      assert.deepEqual([status, body.code], [409, 'CONFLICT'], verb)
      assert.match(body.message, /is being moved to second \(deployment /)
    }
    assert.match((await databaseClients.ask('move', database, { node: 'node2' })).body.message, /Work on this service/)
    await databaseClients.act('update', database, { description: 'on its way' })
    const { statusReason, statusCode } = await databaseClients.one(database)
    assert.deepEqual([statusReason, statusCode], ['Stopped while its data is moved to node second', 'Moving'])
    held.resolve()
    await seen(testBerth, databaseClients, database, (one) => one.applicationStatus === 'done')
    await checkMoved(it)
  })
}

function failureTests(): void {
  test('names what cannot be copied before anything stops, without secrets', async () => {
    await using it = await moving()
    const { databaseClients, database, disks, testBerth } = it
    disks.on.get(database.volume!)!.list = listOf("account\t'bob'\t'%'\tthe-hash-of-bob")
    const tasks = await databaseClients.tasks(database)
    const { status, body } = await databaseClients.ask('move', database, { node: 'second' }, wait)
    assert.equal(status, 422)
    assert.match(body.message, /could not be moved to second.*account 'bob'/)
    assert.doesNotMatch(body.message, /the-hash-of-bob/)
    await checkStayed(it)
    assert.deepEqual(await databaseClients.tasks(database), tasks)
    assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 1)
  })

  const parts: [title: string, fail: (part: string, host: string) => boolean][] = [
    ['the dump', (part, host) => part === 'dump' && host.startsWith('berth-source-')],
    ['the restore', (part) => part === 'load'],
    ['the dump for the comparison', (part, host) => part === 'dump' && host.startsWith('berth-target-')],
  ]
  for (const [title, fail] of parts) {
    test(`returns to the old node if ${title} fails`, async () => {
      await using it = await moving()
      it.disks.before = (part, host) => (fail(part, host) ? 3 : undefined)
      const { status, body } = await it.databaseClients.ask('move', it.database, { node: 'second' }, wait)
      assert.equal(status, 422)
      assert.match(body.message, /could not be moved to second: .*exit code 3.*it broke.*Rolled back/s)
      await checkStayed(it)
      it.disks.before = () => undefined
      await it.databaseClients.act('move', it.database, { node: 'second' }, wait)
      assert.equal((await it.databaseClients.one(it.database)).node, 'second')
    })
  }

  test('fails a move whose copy differs', async () => {
    await using it = await moving()
    it.disks.before = (part, host) => {
      if (part !== 'dump' || !host.startsWith('berth-target-')) return
      const fresh = [...it.disks.on].find(([name]) => name !== it.database.volume)![1]
      fresh.dump = 'INSERT INTO `t` VALUES (1);\n'
    }
    const { body } = await it.databaseClients.ask('move', it.database, { node: 'second' }, wait)
    assert.match(body.message, /The copy of the database shop differs from the original\. .*1 row instead of 2/)
    await checkStayed(it)
  })

  test('leaves the database running if the new server does not start', async () => {
    await using it = await moving()
    const { testBerth, databaseClients, database, disks } = it
    disks.before = (part, host) => {
      if (part !== 'ask') return
      testBerth.engine.behave(host, 'out of memory')
      return 1
    }
    const {
      body: { message },
    } = await databaseClients.ask('move', database, { node: 'second' }, wait)
    assert.match(message, /The temporary server for the copy on second did not start/)
    await checkStayed(it)
  })

  test('returns to the old node as soon as the new one is unavailable', async () => {
    await using it = await moving()
    const held = Promise.withResolvers<void>()
    it.disks.before = (part) => (part === 'load' ? held.promise : undefined)
    const answered = it.databaseClients.ask('move', it.database, { node: 'second' }, wait)
    await it.testBerth.until('the copy', async () => (it.disks.done.some(([part]) => part === 'load') ? true : null))
    it.testBerth.engine.setNode('node2', { state: 'down' })
    const { body } = await answered
    held.resolve()
    assert.match(body.message, /Node second .* is down/)
    const one = await it.databaseClients.one(it.database)
    assert.deepEqual([one.node, one.volume], [it.database.node, it.database.volume])
    it.testBerth.engine.setNode('node2', { state: 'ready' })
    await checkStayed(it)
  })
}

function crashTests(): void {
  /** The job during which Berth is killed. */
  const crashes: [part: string, side: string][] = [
    ['ask', 'target'],
    ['list', 'live'],
    ['ask', 'source'],
    ['dump', 'source'],
    ['load', 'target'],
    ['dump', 'target'],
  ]
  for (const [at, side] of crashes) {
    test(`resumes without loss after a kill at ${at} of the ${side} server`, async () => {
      await using it = await moving()
      const { testBerth, databaseClients, database, disks } = it
      const held = Promise.withResolvers<void>()
      let isThere = false
      disks.before = (part, host) => {
        if (part !== at || sideOf(host) !== side || isThere) return
        isThere = true
        return held.promise
      }
      await databaseClients.act('move', database, { node: 'second' })
      await testBerth.until('the job', async () => (isThere ? true : null))
      await testBerth.restart(async () => held.resolve())
      await seen(
        testBerth,
        databaseClients,
        database,
        (one) => one.applicationStatus === 'done' && one.node === 'second',
      )
      await checkMoved(it)
    })
  }

  test('removes a job that an earlier process left', async () => {
    await using it = await moving()
    it.disks.before = (part) => (part === 'load' ? 3 : undefined)
    const answered = it.databaseClients.ask('move', it.database, { node: 'second' }, wait)
    const move = await it.testBerth.until(
      'the move',
      async () => (await it.testBerth.app.db.selectFrom('move').selectAll().executeTakeFirst()) ?? null,
    )
    it.testBerth.engine.leaveJob(`berth-old-${move.deploymentId}`, move.deploymentId)
    assert.equal((await answered).status, 422)
    await checkStayed(it)
  })
}
