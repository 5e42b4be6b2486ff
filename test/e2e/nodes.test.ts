/** Databases on the workers of a swarm of three nodes: all operations, and the loss of a node. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import type { RunAnswer } from './backup-suite.ts'
import type { Fields } from './database-clients.ts'
import { type MultiNodeBerth, startMultiNodeBerth, type PlacedDatabase } from './multi-node-berth.ts'
import { type Storage, startStorage } from './storage.ts'

const waitHeader = { prefer: 'wait=120' }

const end = new AsyncDisposableStack()
let runtime: MultiNodeBerth
let storage: Storage
let placed: PlacedDatabase[]

before(async () => {
  storage = end.use(await startStorage())
  runtime = end.use(await startMultiNodeBerth(3))
  storage.makeBucket('backups')
  placed = await runtime.deployOnWorkers('postgres', 'redis')
})

after(() => end.disposeAsync())

const forEachDatabase = async (work: (it: PlacedDatabase) => Promise<void>) => {
  await Promise.all(placed.map(work))
}

test('each worker has a database with its volume, and the database is reachable through its port on the node', () =>
  forEachDatabase(async ({ databaseClients, database, node }) => {
    const { volume, connection } = await databaseClients.one(database)
    assert.deepEqual(await node.volumes(volume!), [volume])
    assert.match(connection.externalUrl!, new RegExp(`@${node.address.replaceAll('.', '\\.')}:`))
    await databaseClients.open(database, async (session) => session.write('first'))
  }))

const assertLogsAndStats = () =>
  forEachDatabase(async ({ databaseClients, database }) => {
    const lines = await databaseClients.call('logs', database, { tail: 5 })
    assert.equal(lines.status, 200, JSON.stringify(lines.body))
    assert.equal((lines.body as unknown as object[]).length, 5)
    const { status, body } = (await databaseClients.call('stats', database)) as unknown as {
      status: number
      body: Fields
    }
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(Number(body.memoryBytes) > 1_000_000, JSON.stringify(body))
    assert.ok(Number(body.volumeBytes) > 1000, JSON.stringify(body))
  })

test('logs and statistics of a database on a worker are returned', assertLogsAndStats)

// The tests below also run after this reconnect.
test('logs and statistics work after a reconnect, when the swarm returns no logs of the node any more', async () => {
  const [{ databaseClients, database, node }] = placed as [PlacedDatabase]
  const logs = async () => (await databaseClients.call('logs', database, { tail: 5000 })).body as unknown as object[]
  const logsBefore = await logs()
  await node.reconnect()
  // If reconnecting takes so long that the node counts as down, its databases are fenced for a while.
  await databaseClients.waitUntil('the database to be up', database, (it) => it.applicationStatus === 'done', 60_000)
  await assert.rejects(runtime.own.docker('service', 'logs', database.appName), /node \w+ is not available/)
  await assertLogsAndStats()
  assert.deepEqual((await logs()).slice(0, logsBefore.length), logsBefore)
})

test('a changed password is set on the server, and the old password is refused', () =>
  forEachDatabase(async ({ databaseClients, database }) => {
    const oldUrl = await databaseClients.urlOf(database)
    await databaseClients.call('update', database, { databasePassword: 'another-password' })
    await databaseClients.done('deploy', database)
    assert.notEqual(await databaseClients.refusal(oldUrl), '')
    await databaseClients.open(database, async (session) => session.write('second'))
  }))

describe('work on two nodes at the same time', { concurrency: true }, () => {
  test('a database keeps its data when it is stopped and started', async () => {
    const [, { databaseClients, database, node }] = placed as [PlacedDatabase, PlacedDatabase]
    await databaseClients.done('stop', database)
    const containers = await node.docker('ps', '--quiet', '--filter', `name=${database.appName}.`)
    assert.deepEqual(containers, [])
    await databaseClients.done('start', database)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
  })

  test('a server that exits is reported with its last lines, and the deployment is rolled back', async () => {
    const [{ databaseClients, database }] = placed as [PlacedDatabase]
    await databaseClients.call('update', database, { command: databaseClients.client.broken })
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, /ended with exit code 1: .*no_such_setting.*\. Its last lines:\n.*no_such_setting/s)
    assert.match(body.message, /Rolled back/)
    await databaseClients.call('update', database, { command: null })
    await databaseClients.done('deploy', database)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
  })
})

test('a database on a worker is dumped, verified and restored', async () => {
  const { databaseClients, database } = placed.find((it) => it.databaseClients.kind.backup !== undefined)!
  const call = (name: string, input: Fields) =>
    runtime.berth.call<RunAnswer>(`backup.${name}`, input, undefined, waitHeader)
  const {
    body: { destinationId },
  } = await runtime.berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  const id = { [databaseClients.kind.idField]: database[databaseClients.kind.idField] }
  const {
    body: { backupId },
  } = await runtime.berth.call<{ backupId: string }>('backup.create', {
    schedule: restingSchedule,
    prefix: 'nightly',
    destinationId,
    database: 'shop',
    databaseType: databaseClients.kind.name,
    ...id,
  })
  const succeeded = ({ status, body }: { status: number; body: RunAnswer }) => {
    assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
    return body
  }
  const { runId } = succeeded(await call(databaseClients.kind.manualBackup!, { backupId }))
  succeeded(await call('verify', { backupId, runId }))
  await databaseClients.open(database, async (session) => session.write('lost by the restore'))
  succeeded(await call('restore', { backupId, runId, confirm: database.appName, ...id }))
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})

test("while Berth's own node is paused, an operation that needs a login job fails and names the node", async () => {
  const [{ databaseClients, database }] = placed as [PlacedDatabase]
  const { id } = (await runtime.engine.nodes()).find(({ local }) => local)!
  await runtime.engine.updateNode(id, { availability: 'pause' })
  const { status, body } = await databaseClients.callAndWait('reload', database, { appName: database.appName })
  await runtime.engine.updateNode(id, { availability: 'active' })
  assert.equal(status, 422)
  assert.match(body.message, /no login could be tried: Berth's own node node1 is paused\. Set it active/)
  await databaseClients.done('reload', database, { appName: database.appName })
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
})

test('databases on a lost node have status error, and have status done after its return', async () => {
  const [onDisconnected, onKilled] = placed as [PlacedDatabase, PlacedDatabase]
  await Promise.all([onDisconnected.node.disconnect(), onKilled.node.kill()])
  await forEachDatabase(async ({ databaseClients, database, node }) => {
    const isError = (it: Fields) => it.applicationStatus === 'error'
    const { statusReason } = await databaseClients.waitUntil('the loss to be noticed', database, isError, 30_000)
    assert.match(statusReason!, new RegExp(`^Node ${node.name} \\(${node.address}\\), which holds the volume, is down`))
  })
  await forEachDatabase(async ({ databaseClients, database, node }) => {
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, new RegExp(`^Node ${node.name} .* is down`))
    assert.equal((await databaseClients.call('stats', database)).status, 412)
    await until('the database to be fenced', async () =>
      (await runtime.engine.services()).some(({ name, replicas }) => name === database.appName && replicas === 0),
    )
  })
  const reconnectedAt = Date.now()
  await Promise.all([onDisconnected.node.connect(), onKilled.node.start()])
  await forEachDatabase(async ({ databaseClients, database, node }) => {
    await databaseClients.waitUntil('the database to be up', database, (it) => it.applicationStatus === 'done', 60_000)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
    assert.deepEqual(await node.volumes('berth-'), [database.volume])
  })
  const [previous, current] = await lastTwoContainers(onDisconnected)
  assert.deepEqual([previous.isRunning, current.isRunning], [false, true])
  // The server kept running while its node was disconnected, and ended when the node was back. The next server started
  // only after that.
  const times = [previous.startedAt, reconnectedAt, previous.finishedAt, current.startedAt]
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
})

interface ContainerState {
  isRunning: boolean
  startedAt: number
  finishedAt: number
}

/** The two most recently started containers of a server, the older one first. */
async function lastTwoContainers({ node, database }: PlacedDatabase): Promise<[ContainerState, ContainerState]> {
  const ids = await node.docker('ps', '--all', '--quiet', '--filter', `name=${database.appName}.`)
  const all = (await node.docker('inspect', '--format', '{{json .State}}', ...ids)).map((line): ContainerState => {
    const { Running, StartedAt, FinishedAt } = JSON.parse(line)
    return { isRunning: Running, startedAt: Date.parse(StartedAt), finishedAt: Date.parse(FinishedAt) }
  })
  assert.ok(all.length >= 2, JSON.stringify(all))
  return all.toSorted((a, b) => a.startedAt - b.startedAt).slice(-2) as [ContainerState, ContainerState]
}

test('a database that is removed while its node is down is deleted after the return of the node', async () => {
  const [{ databaseClients, database, node }] = placed as [PlacedDatabase]
  await node.disconnect()
  const isError = (it: Fields) => it.applicationStatus === 'error'
  await databaseClients.waitUntil('the loss to be noticed', database, isError, 30_000)
  assert.equal((await databaseClients.call('remove', database, { removeData: true })).status, 200)
  const serviceId = database[databaseClients.kind.idField]
  const deployment = async () => (await runtime.berth.call<Fields[]>('deployment.all', { serviceId })).body.at(-1)!
  const waiting = await until('the deployment to have a reason', async () => {
    const current = await deployment()
    return current.reason !== null && current
  })
  assert.deepEqual(waiting.state, 'running')
  assert.match(String(waiting.reason), new RegExp(`${node.name} .* is down`))
  await node.connect()
  await until('the deployment to end', async () => (await deployment()).state === 'done', 60_000)
  assert.deepEqual(await node.volumes(database.volume!), [])
})

test('a volume that was deleted on its node is reported, and acceptNewData starts with new data', async () => {
  const [, { databaseClients, database, node }] = placed as [PlacedDatabase, PlacedDatabase]
  await databaseClients.done('stop', database)
  const { volume } = await databaseClients.one(database)
  await until('the volume to be deleted', async () => {
    const containers = await node.docker('ps', '--all', '--quiet', '--filter', `volume=${volume}`)
    if (containers.length > 0) await node.docker('rm', ...containers).catch(() => undefined)
    return node.docker('volume', 'rm', volume!).then(
      () => true,
      () => false,
    )
  })
  const { status, body } = await databaseClients.callAndWait('start', database)
  assert.equal(status, 422)
  assert.match(body.message, new RegExp(`^Volume ${volume} is missing on node ${node.name}\\.`))
  assert.deepEqual(await node.volumes(volume!), [])
  await databaseClients.done('start', database, { acceptNewData: true })
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), [])
  // A remote command wrote the mark into the new volume, and another one finds the mark here.
  await databaseClients.done('reload', database, { appName: database.appName })
})

test('a removed database leaves no volume, service or job behind', async () => {
  const [, { databaseClients, database, node }] = placed as [PlacedDatabase, PlacedDatabase]
  await databaseClients.done('remove', database, { removeData: true })
  assert.deepEqual(await node.volumes(database.volume!), [])
  const names = (await runtime.engine.services()).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => /^berth-remote-command-/.test(name) || name === database.appName),
    [],
  )
  assert.deepEqual(await runtime.engine.listJobs(), [])
})
