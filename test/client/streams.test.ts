/** The streams of the typed client: events that go on where they stopped, and logs. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test, type TestContext } from 'node:test'
import { type Change, createClient, type EventsInput, type Reset } from '../../client/client.ts'
import { linesOf } from '../../client/lines.ts'
import { berthProcess } from '../e2e/process.ts'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startBerth } from '../fixtures/harness.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { refusal } from './refusal.ts'
import { openRelay } from './relay.ts'

/** Follows the events of projects. `connected` counts the connections. */
function following(url: string, token: string, input: EventsInput = { kinds: ['project'] }) {
  const abort = new AbortController()
  const [names, breaks]: [string[], boolean[]] = [[], []]
  const events = createClient({ url, token }).events(input, {
    signal: abort.signal,
    onConnection: (isConnected) => void breaks.push(isConnected),
  })
  const ended = (async () => {
    for await (const event of events) names.push(event.type === 'reset' ? 'reset' : String(event.record.name))
  })()
  ended.catch(() => undefined)
  return {
    names,
    breaks,
    ended,
    abort: () => abort.abort(new Error('enough')),
    signal: abort.signal,
    untilConnected: (count = 1) =>
      until('the connection', async () => breaks.filter((isConnected) => isConnected).length >= count),
    untilNamed: (name: string) => until(`the event of ${name}`, async () => names.includes(name)),
  }
}

test('follows the changes until the signal aborts', async () => {
  await using berth = await startBerth()
  const { token } = await berth.admin()
  const { untilConnected, untilNamed, abort, ended, names, breaks, signal } = following(await berth.listen(), token)
  await untilConnected()
  await berth.call('project.create', { name: 'first' })
  await untilNamed('first')
  abort()
  await assert.rejects(ended, /^Error: enough$/)
  assert.deepEqual([names, breaks], [['first'], [true, false]])
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('gives the fields of a change', async () => {
  await using berth = await startBerth()
  const { token } = await berth.admin()
  const client = createClient({ url: await berth.listen(), token })
  const isConnected = Promise.withResolvers<void>()
  const connected = client.events({ kinds: ['project'] }, { onConnection: () => isConnected.resolve() }).next()
  await isConnected.promise
  const project = await client.project.create({ name: 'second' })
  const { value } = (await connected) as { value: Change }
  assert.deepEqual(
    [value.type, value.kind, value.change, value.recordId, value.projectId],
    ['change', 'project', 'created', project.projectId, project.projectId],
  )
  // The position of an event that is known: the stream begins with the next one.
  const later = client.events({ lastEventId: String(Number(value.id) - 1), id: project.projectId })
  assert.equal(((await later.next()).value as Change).id, value.id)
  await later.return()
})

test('goes on without a gap after the connection broke', async (t) => {
  await using berth = await startBerth()
  const { token } = await berth.admin()
  const relay = await openRelay(t, await berth.listen())
  const stream = following(relay.url, token)
  await stream.untilConnected()
  const wanted: string[] = []
  for (let round = 1; round <= 3; round++) {
    for (const name of [`${round} before`, `${round} after`]) {
      await berth.call('project.create', { name })
      wanted.push(name)
      if (name.endsWith('before')) relay.breakAll()
    }
    await stream.untilConnected(round + 1)
  }
  await stream.untilNamed('3 after')
  stream.abort()
  assert.deepEqual(
    stream.names.filter((name, at) => stream.names.indexOf(name) === at),
    wanted,
  )
})

/** A Berth in its own process, without an engine. */
async function ownProcess(t: Pick<TestContext, 'after'>) {
  const end = new AsyncDisposableStack()
  t.after(() => end.disposeAsync())
  const berth = await berthProcess(folderUnder(end), { DOCKER_HOST: 'unix:///nowhere/docker.sock' })
  end.defer(() => berth.kill())
  await berth.start()
  return { berth, token: await berth.signIn() }
}

test('goes on without a gap after kills of Berth', async (t) => {
  const { berth, token } = await ownProcess(t)
  const stream = following(berth.base, token)
  await stream.untilConnected()
  const wanted: string[] = []
  for (let round = 1; round <= 3; round++) {
    for (let i = 1; i <= 20; i++) {
      wanted.push(`${round}-${i}`)
      await berth.call('project.create', { name: `${round}-${i}` })
    }
    await berth.kill()
    await berth.start()
  }
  await stream.untilNamed('3-20')
  stream.abort()
  await assert.rejects(stream.ended, /^Error: enough$/)
  assert.deepEqual(
    stream.names.filter((name, at) => stream.names.indexOf(name) === at),
    wanted,
  )
})

test('aborts while it waits to connect again', async (t) => {
  const { berth, token } = await ownProcess(t)
  const stream = following(berth.base, token)
  await stream.untilConnected()
  await berth.kill()
  await until('the end of the connection', async () => stream.breaks.at(-1) === false)
  stream.abort()
  await assert.rejects(stream.ended, /^Error: enough$/)
})

test('reports that events were missed, and that a token is not accepted', async () => {
  await using berth = await startBerth()
  const { token } = await berth.admin()
  const url = await berth.listen()
  const { value } = await createClient({ url, token }).events({ lastEventId: '999999' }).next()
  assert.equal((value as Reset).type, 'reset')
  const error = await refusal(createClient({ url, token: 'berth_sess_other' }).events().next())
  assert.deepEqual([error.code, error.status], ['UNAUTHORIZED', 401])
})

test('follows a log until the service is removed, or the signal aborts', async () => {
  await using berth = await startTestBerth()
  const clients = databaseClientsOf(berth, kindNamed('postgres'))
  const database = await clients.createDeployed()
  for (const line of ['one', 'two']) berth.engine.printLine(database.appName, line)
  const { postgres } = createClient({ url: await berth.listen(), token: berth.admin })
  const input = { postgresId: clients.idOf(database) }
  const abort = new AbortController()
  const aborted = postgres.logs.follow(input, { signal: abort.signal })
  assert.equal((await aborted.next()).value?.line, 'one')
  abort.abort(new Error('enough'))
  await assert.rejects(aborted.next(), /^Error: enough$/)
  const lines: string[] = []
  for await (const { line } of postgres.logs.follow(input)) {
    lines.push(line)
    if (line === 'two') await clients.remove(database)
  }
  assert.deepEqual(lines, ['one', 'two'])
})

test('reports a log whose connection breaks', async (t) => {
  await using berth = await startTestBerth()
  const clients = databaseClientsOf(berth, kindNamed('postgres'))
  const database = await clients.createDeployed()
  berth.engine.printLine(database.appName, 'one')
  const relay = await openRelay(t, await berth.listen())
  const { postgres } = createClient({ url: relay.url, token: berth.admin })
  const log = postgres.logs.follow({ postgresId: clients.idOf(database) })
  assert.equal((await log.next()).value?.line, 'one')
  relay.breakAll()
  assert.equal((await refusal(log.next())).code, 'CONNECTION_LOST')
})

test('a stream that ends within a line, or is silent, is lost', async () => {
  const lost = (error: unknown): never => {
    throw error
  }
  const reading = async (body: ReadableStream) => {
    const lines: string[] = []
    for await (const line of linesOf(new Response(body), lost, undefined, 50)) lines.push(line)
    return lines
  }
  const streamOf = (text: string, isEnded: boolean) =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text))
        if (isEnded) controller.close()
      },
    })
  assert.deepEqual(await reading(streamOf('one\n\ntwo\n', true)), ['one', '', 'two'])
  await assert.rejects(reading(streamOf('one\ntw', true)), /^Error: the answer is incomplete$/)
  await assert.rejects(reading(streamOf('one\n', false)), /^Error: nothing has arrived for 0.05 s$/)
})
