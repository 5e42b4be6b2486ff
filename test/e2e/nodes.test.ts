/** Databases on the workers of a swarm of three nodes: all that Berth does with them, and what a lost node does. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import type { Fields } from './database-clients.ts'
import { type NodesWorld, openNodes, type Placed } from './nodes-world.ts'
import { type Storage, startStorage } from './storage.ts'

const wait = { prefer: 'wait=120' }

const end = new AsyncDisposableStack()
let runtime: NodesWorld
let storage: Storage
let placed: Placed[]

before(async () => {
  storage = end.use(await startStorage())
  runtime = end.use(await openNodes(3))
  storage.makeBucket('backups')
  placed = await runtime.place('postgres', 'redis')
})

after(() => end.disposeAsync())

const onEach = async (work: (it: Placed) => Promise<void>) => {
  await Promise.all(placed.map(work))
}

test('each node has one, with its volume, and it is reached through its port there', () =>
  onEach(async ({ databaseClients, database, node }) => {
    const { volume, connection } = await databaseClients.one(database)
    assert.deepEqual(await node.docker('volume', 'ls', '--quiet', '--filter', `name=${volume}`), [volume])
    assert.match(connection.externalUrl!, new RegExp(`@${node.address.replaceAll('.', '\\.')}:`))
    await databaseClients.open(database, async (session) => session.write('first'))
  }))

const engineQueries = () =>
  onEach(async ({ databaseClients, database }) => {
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

test('its logs are read, its figures measured', engineQueries)

test('also after it connected anew to a swarm that gives none of its logs any more, as is all below', async () => {
  const [{ databaseClients, database, node }] = placed as [Placed]
  const all = async () => (await databaseClients.call('logs', database, { tail: 5000 })).body as unknown as object[]
  const before = await all()
  await node.reconnect()
  // Where that took the node so long that it counted as lost, its databases are let go again.
  await databaseClients.waitUntil('it to be up', database, (it) => it.applicationStatus === 'done', 60_000)
  await assert.rejects(runtime.own.docker('service', 'logs', database.appName), /node \w+ is not available/)
  await engineQueries()
  assert.deepEqual((await all()).slice(0, before.length), before)
})

test('a changed password is given to the server, and the old one opens no more', () =>
  onEach(async ({ databaseClients, database }) => {
    const old = await databaseClients.urlOf(database)
    await databaseClients.call('update', database, { databasePassword: 'another-password' })
    await databaseClients.done('deploy', database)
    assert.notEqual(await databaseClients.refusal(old), '')
    await databaseClients.open(database, async (session) => session.write('second'))
  }))

test('it stops, starts and is loaded anew with its data', () =>
  onEach(async ({ databaseClients, database, node }) => {
    await databaseClients.done('stop', database)
    const containers = await node.docker('ps', '--quiet', '--filter', `name=${database.appName}.`)
    assert.deepEqual(containers, [])
    await databaseClients.done('start', database)
    await databaseClients.done('reload', database, { appName: database.appName })
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
  }))

test('why its server ends is told, with its last words, and the way back is taken', () =>
  onEach(async ({ databaseClients, database }) => {
    await databaseClients.call('update', database, { command: databaseClients.client.broken })
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, /ended with exit code 1\. Its last lines:\n.*(?:no_such_setting|no-such-option)/s)
    assert.match(body.message, /Rolled back/)
    await databaseClients.call('update', database, { command: null })
    await databaseClients.done('deploy', database)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
  }))

test('it is dumped, drilled and restored', async () => {
  const { databaseClients, database } = placed.find((it) => it.databaseClients.kind.backup !== undefined)!
  const call = (name: string, input: Fields) => runtime.berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
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
    schedule: '0 3 * * *',
    prefix: 'nightly',
    destinationId,
    database: 'shop',
    databaseType: databaseClients.kind.name,
    ...id,
  })
  const good = ({ status, body }: { status: number; body: RunAnswer }) => {
    assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
    return body
  }
  const { runId } = good(await call(databaseClients.kind.manualBackup!, { backupId }))
  good(await call('verify', { backupId, runId }))
  await databaseClients.open(database, async (session) => session.write('lost by the restore'))
  good(await call('restore', { backupId, runId, confirm: database.appName, ...id }))
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})

test("while Berth's own node takes nothing new, no login there is tried, and that is said", async () => {
  const [{ databaseClients, database }] = placed as [Placed]
  const { id } = (await runtime.engine.nodes()).find(({ local }) => local)!
  await runtime.engine.updateNode(id, { availability: 'pause' })
  const { status, body } = await databaseClients.callAndWait('reload', database, { appName: database.appName })
  await runtime.engine.updateNode(id, { availability: 'active' })
  assert.equal(status, 422)
  assert.match(body.message, /no login could be tried: Berth's own node node1 is paused\. Set it active/)
  await databaseClients.done('reload', database, { appName: database.appName })
})

test('a node that is lost makes its databases errors that name it, and done again once it is back', async () => {
  const [cut, off] = placed as [Placed, Placed]
  await Promise.all([cut.node.cut(), off.node.kill()])
  await onEach(async ({ databaseClients, database, node }) => {
    const lost = await databaseClients.waitUntil('the loss', database, (it) => it.applicationStatus === 'error', 30_000)
    assert.match(
      lost.statusReason!,
      new RegExp(`^Node ${node.name} \\(${node.address}\\), which holds the volume, is down`),
    )
  })
  await onEach(async ({ databaseClients, database, node }) => {
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, new RegExp(`^Node ${node.name} .* is down`))
    assert.equal((await databaseClients.call('stats', database)).status, 412)
    await until('it to be held', async () =>
      (await runtime.engine.services()).some(({ name, replicas }) => name === database.appName && replicas === 0),
    )
  })
  const mendedAt = Date.now()
  await Promise.all([cut.node.mend(), off.node.start()])
  await onEach(async ({ databaseClients, database, node }) => {
    await databaseClients.waitUntil('its return', database, (it) => it.applicationStatus === 'done', 60_000)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])
    assert.deepEqual(await node.docker('volume', 'ls', '--quiet', '--filter', 'name=berth-'), [database.volume])
  })
  const [old, now] = await lastTwoOf(cut)
  assert.deepEqual([old.isRunning, now.isRunning], [false, true])
  // Through the cut the server ran on, and it ended when its node was back. The next one has not begun before.
  const times = [old.startedAt, mendedAt, old.finishedAt, now.startedAt]
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
})

interface Run {
  isRunning: boolean
  startedAt: number
  finishedAt: number
}

/** Of the server's containers, those that began last. */
async function lastTwoOf({ node, database }: Placed): Promise<[Run, Run]> {
  const ids = await node.docker('ps', '--all', '--quiet', '--filter', `name=${database.appName}.`)
  const all = (await node.docker('inspect', '--format', '{{json .State}}', ...ids)).map((line): Run => {
    const { Running, StartedAt, FinishedAt } = JSON.parse(line)
    return { isRunning: Running, startedAt: Date.parse(StartedAt), finishedAt: Date.parse(FinishedAt) }
  })
  assert.ok(all.length >= 2, JSON.stringify(all))
  return all.toSorted((a, b) => a.startedAt - b.startedAt).slice(-2) as [Run, Run]
}

test('what is removed while its node is down goes when that is back, with its data', async () => {
  const [{ databaseClients, database, node }] = placed as [Placed]
  await node.cut()
  await databaseClients.waitUntil('the loss', database, (it) => it.applicationStatus === 'error', 30_000)
  const answered = await databaseClients.call('remove', database, { removeData: true })
  assert.equal(answered.status, 200)
  const work = async () =>
    (
      await runtime.berth.call<Fields[]>('deployment.all', { serviceId: database[databaseClients.kind.idField] })
    ).body.at(-1)!
  const waiting = await until('the reason', async () => {
    const it = await work()
    return it.reason !== null && it
  })
  assert.deepEqual(waiting.state, 'running')
  assert.match(String(waiting.reason), new RegExp(`${node.name} .* is down`))
  await node.mend()
  await until('its end', async () => (await work()).state === 'done', 60_000)
  assert.deepEqual(await node.docker('volume', 'ls', '--quiet', '--filter', `name=${database.volume}`), [])
})

test('a volume that is deleted there is missed, and new data is taken where that is asked for', async () => {
  const [, { databaseClients, database, node }] = placed as [Placed, Placed]
  await databaseClients.done('stop', database)
  const { volume } = await databaseClients.one(database)
  await until('it to go', async () => {
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
  assert.deepEqual(await node.docker('volume', 'ls', '--quiet', '--filter', `name=${volume}`), [])
  await databaseClients.done('start', database, { acceptNewData: true })
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), [])
  // An errand wrote the mark, and another one finds it.
  await databaseClients.done('reload', database, { appName: database.appName })
})

test('it is removed with its data, and nothing is left of what was done', async () => {
  const [, { databaseClients, database, node }] = placed as [Placed, Placed]
  await databaseClients.done('remove', database, { removeData: true })
  assert.deepEqual(await node.docker('volume', 'ls', '--quiet', '--filter', `name=${database.volume}`), [])
  const names = (await runtime.engine.services()).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => /errand/.test(name) || name === database.appName),
    [],
  )
  assert.deepEqual(await runtime.engine.listJobs(), [])
})
