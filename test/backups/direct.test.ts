/** Dumps, restores and drills that a worker exchanges with the storage, and when the data goes through Berth instead. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { jsonLines } from '../../src/dumps/direct/protocol.ts'
import { newIdentity } from '../../src/lib/crypto/encryption.ts'
import type { Input } from '../fixtures/test-berth.ts'
import { pauseJobs, row, type Run } from './restores.ts'
import { type DirectShop, openDirectShop } from './workers.ts'

type DirectRun = Run & { streamed: { reason: string; message: string } | null; rowCount: number | null }

let shop: DirectShop
beforeEach(async () => {
  shop = await openDirectShop()
})
afterEach(() => shop[Symbol.asyncDispose]())

const dump = async (more: Input = {}) => (await shop.dump(await shop.backup('nightly', more))) as DirectRun

async function checkNothingLeft(): Promise<void> {
  assert.deepEqual(await shop.testBerth.engine.listJobs(), [])
  assert.deepEqual(shop.bucket.openUploads(), [])
}

test('dumps and restores in the network of the container, on its node', async () => {
  const run = await dump()
  assert.deepEqual([run.status, run.reason, run.streamed, run.rowCount], ['done', null, null, 1])
  const [task] = await shop.testBerth.engine.tasks([shop.database.appName])
  const worker = `berth-worker-${run.runId}`
  assert.deepEqual(
    shop.started.map(({ name, nodeId, networkOf, volumesFrom }) => [name, nodeId, networkOf, volumesFrom]),
    [
      [worker, task!.nodeId, task!.containerId, undefined],
      [`berth-dump-${run.runId}`, task!.nodeId, task!.containerId, worker],
      [worker, task!.nodeId, task!.containerId, undefined],
    ],
  )
  shop.data.text = row(2)
  const restored = await shop.restore({ backupId: run.backupId, runId: run.runId, skipSafetyDump: true })
  const end = (await shop.waitForEnd(restored.runId)) as DirectRun
  assert.deepEqual([end.status, end.reason, end.streamed], ['done', null, null])
  assert.equal(shop.data.text, row(1))
  await checkNothingLeft()
})

test('gives a worker neither the secret of the storage nor an identity', async () => {
  const { identity, recipient } = await newIdentity()
  const run = await dump({ recipient })
  assert.deepEqual([run.status, run.streamed, run.rowCount], ['done', null, 1])
  const input = { backupId: run.backupId, runId: run.runId, identity, skipSafetyDump: true }
  const end = (await shop.waitForEnd((await shop.restore(input)).runId)) as DirectRun
  assert.deepEqual([end.status, end.streamed], ['done', null])
  const received = shop.received.join('')
  assert.match(received, /"fileKey":"[^"]{24}"/)
  assert.ok(!received.includes('a-secret-of-the-storage'))
  assert.ok(!received.includes(identity))
})

test('ends with the failure of the tool, and completes no upload', async () => {
  shop.data.text = null
  const run = await dump()
  assert.equal(run.status, 'error')
  assert.match(run.reason!, /Unknown database/)
  assert.equal(shop.bucket.objects.size, 0)
  await checkNothingLeft()
})

test('does not complete the upload of a tool that fails after its last byte', async () => {
  const tools = shop.testBerth.engine.onJob
  shop.testBerth.engine.onJob = async (job, io) => {
    await tools(job, io)
    return job.name.startsWith('berth-dump-') ? 3 : 0
  }
  const run = await dump()
  assert.equal(run.status, 'error')
  assert.match(run.reason!, /exit code 3/)
  assert.equal(shop.bucket.objects.size, 0)
  await checkNothingLeft()
})

/** Records the names of jobs in the order in which they are ended. */
function recordEnds(): string[] {
  const ended: string[] = []
  const jobs = shop.testBerth.engine.onJob
  shop.testBerth.engine.onJob = (job, io) => {
    io.signal.addEventListener('abort', () => ended.push(job.name), { once: true })
    return jobs(job, io)
  }
  return ended
}

async function beginDump(): Promise<string> {
  const backupId = await shop.backup('nightly')
  return (await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId })).runId
}

async function checkCancelled(runId: string): Promise<void> {
  await shop.testBerth.ok('backup.cancel', { runId })
  const run = await shop.waitForEnd(runId)
  assert.deepEqual([run.status, (run as Input).reasonCode], ['error', 'Cancelled'])
  await checkNothingLeft()
}

test('ends the tool, and then the worker with the pipes, when the run is cancelled', async () => {
  const paused = pauseJobs(shop, 'dump')
  const ended = recordEnds()
  const runId = await beginDump()
  await paused.begun
  await checkCancelled(runId)
  assert.deepEqual(ended, [`berth-dump-${runId}`, `berth-worker-${runId}`])
})

test('ends a worker that works without tools when the run is cancelled', async () => {
  const begun = Promise.withResolvers<void>()
  const tools = shop.testBerth.engine.onJob
  shop.testBerth.engine.onJob = async (job, io) => {
    const isCheck = shop.started.some(({ name }) => name.startsWith('berth-dump-'))
    if (!isCheck || !job.name.startsWith('berth-worker-')) return tools(job, io)
    io.stdout.write(`${JSON.stringify({ type: 'ready' })}\n`)
    begun.resolve()
    await once(io.signal, 'abort')
    return 137
  }
  const ended = recordEnds()
  const runId = await beginDump()
  await begun.promise
  await checkCancelled(runId)
  assert.equal(ended.at(-1), `berth-worker-${runId}`)
})

test('ends a worker that is not ready yet when the run is cancelled', async () => {
  const begun = Promise.withResolvers<void>()
  shop.worker.program = async (_job, { signal }) => {
    begun.resolve()
    await once(signal, 'abort')
    return 137
  }
  const runId = await beginDump()
  await begun.promise
  await checkCancelled(runId)
})

test('sends the data through Berth if the node cannot have the image, or the worker does not start', async () => {
  const { engine } = shop.testBerth
  const provide = engine.provideImage
  engine.provideImage = async () => {
    throw new EngineFailure('missing', 'No such image')
  }
  const without = await dump()
  assert.deepEqual([without.status, without.streamed?.reason], ['done', 'WorkerImageMissing'])
  assert.match(without.streamed!.message, /node:26-slim.*docker load/)
  engine.provideImage = provide
  shop.worker.program = async (_job, { stderr }) => {
    stderr.write('node: not found\n')
    return 127
  }
  const failed = await dump()
  assert.deepEqual([failed.status, failed.streamed?.reason], ['done', 'WorkerFailed'])
  assert.match(failed.streamed!.message, /node: not found/)
})

test('sends the data through Berth if the node does not reach the storage', async () => {
  shop.worker.program = async (_job, { stdout }) => {
    stdout.write(`${JSON.stringify({ type: 'unreachable', fault: 'refused', message: 'No route' })}\n`)
    return 0
  }
  const run = await dump()
  assert.deepEqual([run.status, run.streamed?.reason], ['done', 'StorageUnreachable'])
  assert.match(run.streamed!.message, /No route/)
  await checkNothingLeft()
})

test('signs only requests on the object of the run', async () => {
  const replies: Input[] = []
  shop.worker.program = async (_job, { stdin, stdout }) => {
    const requests = [
      { do: 'part', number: 1, sizeBytes: 1, sha256: 'a'.repeat(64) },
      { do: 'read', at: 0, etag: null },
      { do: 'head' },
    ]
    for (const [id, request] of requests.entries()) stdout.write(`${JSON.stringify({ type: 'sign', id, request })}\n`)
    for await (const line of jsonLines(stdin!)) {
      if ((line as Input).reply !== undefined) replies.push(line as Input)
      if (replies.length === requests.length) break
    }
    return 1
  }
  const run = await dump()
  assert.deepEqual([run.status, run.streamed?.reason], ['done', 'WorkerFailed'])
  const [part, read, head] = replies
  assert.match(String(part!.refused), /does not sign/)
  assert.match(String(read!.refused), /does not sign/)
  assert.match(JSON.stringify(head!.signed), new RegExp(run.runId))
})

test('fails if the worker ends during the dump, and deletes what it uploaded', async () => {
  const killed = new AbortController()
  shop.workerEnds.push(killed.signal)
  const paused = pauseJobs(shop, 'dump')
  const backupId = await shop.backup('nightly')
  const { runId } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId })
  await paused.begun
  killed.abort()
  const run = await shop.waitForEnd(runId)
  assert.equal(run.status, 'error')
  assert.match(run.reason!, /ended early/)
  assert.equal(shop.bucket.objects.size, 0)
  await checkNothingLeft()
})

test('begins a dump again after Berth was stopped during it', async () => {
  const paused = pauseJobs(shop, 'dump')
  const backupId = await shop.backup('nightly')
  const { runId } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId })
  await paused.begun
  shop.before.do = () => undefined
  await shop.testBerth.restart()
  const run = (await shop.waitForEnd(runId)) as DirectRun
  assert.deepEqual([run.status, run.streamed, run.rowCount], ['done', null, 1])
  await checkNothingLeft()
})

test('lists the nodes that reach the storage, and why others do not', async () => {
  const { engine } = shop.testBerth
  engine.addNode('worker-1')
  const nodesOf = async () => {
    const input = { name: 'it', ...shop.bucket.settings, report: true }
    const { nodes } = await shop.testBerth.ok<{ nodes: Input[] }>('destination.testConnection', input)
    return nodes.map(({ nodeId, result }) => [nodeId, result])
  }
  const own = (await engine.nodes()).find(({ local }) => local)!.id
  assert.deepEqual(await nodesOf(), [
    [own, 'reached'],
    ['worker-1', 'reached'],
  ])
  const provide = engine.provideImage
  engine.provideImage = async (reference, nodeId, signal) => {
    if (nodeId === 'worker-1') throw new EngineFailure('nodeUnreachable', 'No answer')
    return provide(reference, nodeId, signal)
  }
  assert.deepEqual(await nodesOf(), [
    [own, 'reached'],
    ['worker-1', 'notTested'],
  ])
  assert.deepEqual(await engine.listJobs(), [])
})
