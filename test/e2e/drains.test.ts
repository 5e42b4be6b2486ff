/** Drains of nodes of a real swarm: they finish the work on a node first, name what they end, and are no alert. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../engine/until.ts'
import type { Fields } from './database-clients.ts'
import { type MultiNodeBerth, type PlacedDatabase, startMultiNodeBerth } from './multi-node-berth.ts'
import { watchPlannedWork } from './planned-work.ts'

const images = ['redis:8', 'haproxy:3.0']

interface NodeBody {
  id: string
  hostname: string
  availability: string
  isOwn: boolean
  engineState: { state: string; reasonCode: string | null } | null
  drain: { reasonCode: string | null } | null
  ended?: { hosts: string[]; ports: string[]; work: { type: string; name: string }[] }
}

let runtime: MultiNodeBerth
let placed: PlacedDatabase
let planned: Awaited<ReturnType<typeof watchPlannedWork>>

before(async () => {
  runtime = await startMultiNodeBerth(2, { managerImages: images, workerImages: images })
  placed = await runtime.deployOn(runtime.workers[0]!, 'redis')
  planned = await watchPlannedWork(runtime)
})

after(async () => {
  await planned[Symbol.asyncDispose]()
  await runtime[Symbol.asyncDispose]()
})

const nodes = async () => (await runtime.berth.call<NodeBody[]>('cluster.getNodes')).body
const worker = async () => (await nodes()).find(({ isOwn }) => !isOwn)!
const update = (input: Fields) =>
  runtime.berth.call<NodeBody & { message: string; reason?: string }>('cluster.updateNode', input)

/** Starts a job for the database on the worker that reads its input until its end. */
async function startJob(nodeId: string) {
  const { databaseClients, database } = placed
  const [task] = await runtime.engine.tasks([database.appName])
  const job = await runtime.engine.runJob(
    {
      name: `berth-session-${process.pid}`,
      recordId: database[databaseClients.kind.idField] as string,
      nodeId,
      networkOf: task!.containerId!,
      image: 'redis:8',
      argv: ['cat'],
      env: {},
      stdin: true,
    },
    new AbortController().signal,
  )
  job.stdout.resume()
  return job
}

test('a drain waits for work on the node, and the database runs again when the node is active', async () => {
  const { databaseClients, database } = placed
  await databaseClients.open(database, async (session) => session.write('first'))
  const { id } = await worker()
  const job = await startJob(id)
  const drain = { nodeId: id, availability: 'drain' }
  const refused = await update(drain)
  assert.equal(refused.status, 409)
  assert.ok(refused.body.message.includes(database.appName), refused.body.message)
  const { status, body } = await update({ ...drain, force: true })
  assert.deepEqual([status, body.availability, body.drain?.reasonCode], [200, 'active', 'WorkOnNode'])
  job.stdin!.end()
  assert.equal((await job.ended).exitCode, 0)
  await until('the drain', async () => (await worker()).availability === 'drain', 60_000)
  await until('the database to be stopped', async () => {
    await planned.check()
    return ((await databaseClients.one(database)) as Fields).statusCode === 'NodeDrained'
  })
  await until('the engine to be out of reach', async () => {
    const { engineState, drain: waiting } = await worker()
    return waiting === null && engineState?.state === 'unavailable' && engineState.reasonCode === 'NodeDrained'
  })
  await planned.check()
  await update({ nodeId: id, availability: 'active' })
  await until(
    'the database to be up',
    async () => {
      await planned.check()
      return (await databaseClients.one(database)).applicationStatus === 'done'
    },
    120_000,
  )
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})

test("a drain of Berth's own node is refused with its databases, and with force names what it ends", async () => {
  const { database } = await runtime.deployOn(runtime.own, 'redis')
  const { id } = (await nodes()).find(({ isOwn }) => isOwn)!
  const drain = { nodeId: id, availability: 'drain' }
  const { status, body } = await update(drain)
  assert.deepEqual([status, body.reason], [409, 'DrainEndsRoutes'])
  assert.ok(body.message.includes(database.appName), body.message)
  const forced = await update({ ...drain, force: true })
  assert.deepEqual([forced.status, forced.body.availability], [200, 'drain'])
  await update({ nodeId: id, availability: 'active' })
})
