/** Logs from a fake API, with errors within a log and repeated lines, which a test cannot provoke in a real engine. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engineFailure } from '../../../../test/engine/engine-failure.ts'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import type { ApiRequest } from '../../../../test/engine/fake-api.ts'
import { frame } from '../../../../test/engine/frame.ts'
import { until } from '../../../../test/engine/until.ts'
import { dockerEngine } from '../engine.ts'
import { EngineUnavailable } from '../../engine.ts'
import { installationLabel } from '../../labels.ts'

const service = {
  ID: 'id1',
  Version: { Index: 1 },
  Spec: { Name: 'db', Labels: { [installationLabel]: 'mine' }, TaskTemplate: {} },
}

const at = (ms: number) => `2030-01-01T00:00:00.${String(ms).padStart(3, '0')}000000Z`

const lineAt = (ms: number, line: string) => frame(1, `${at(ms)} ${line}\n`)

const nodeDown = {
  ID: 'node2',
  Description: { Hostname: 'two' },
  Spec: { Availability: 'active' },
  Status: { State: 'down', Addr: '10.0.0.2' },
}

const taskOn = (NodeID: string, ContainerID: string) => ({
  ID: `task-${ContainerID}`,
  NodeID,
  Status: { State: 'running', ContainerStatus: { ContainerID } },
})

/** @param answer answers each request for the log of a container */
async function engineWith(
  t: TestContext,
  answer: (request: ApiRequest, response: ServerResponse) => void,
  tasks: object[] = [taskOn('node1', 'first')],
) {
  const state = { tasks, isRemoved: false, created: new Set<string>() }
  const api = await fakeApi((request, response) => {
    if (request.path.endsWith('/services')) return [200, [service]]
    if (request.path.endsWith('/services/id1'))
      return state.isRemoved ? [404, { message: 'not found' }] : [200, service]
    if (request.path.endsWith('/tasks')) return [200, state.tasks]
    if (request.path.endsWith('/info')) return [200, { Swarm: { NodeID: 'node1' } }]
    if (request.path.endsWith('/nodes/node2')) return [200, nodeDown]
    if (request.path.endsWith('/nodes/removed')) return [404, { message: 'node removed not found' }]
    if (request.path.includes('/containers/gone/')) return [404, { message: 'No such container: gone' }]
    const details = /\/containers\/(\w+)\/json$/.exec(request.path)
    if (details) return [200, { State: { Status: state.created.has(details[1]!) ? 'created' : 'running' } }]
    response.writeHead(200).flushHeaders()
    answer(request, response)
    return undefined
  })
  t.after(api.close)
  const { dockerHost, requests } = api
  const engine = dockerEngine({ dockerHost, installationId: 'mine', networkName: 'berth', timeoutMs: 2000 })
  const logs = (follow: boolean, tail = 100, signal = new AbortController().signal, since: string | null = null) =>
    engine.logs('db', { tail, since, follow }, signal)
  const queries = () => requests.filter(({ path }) => path.endsWith('/logs')).map(({ query }) => query)
  return { logs, queries, requests, state }
}

const text = async (lines: AsyncIterable<{ line: string }>) => (await Array.fromAsync(lines)).map(({ line }) => line)

const unavailable = (messagePattern: RegExp) => (error: unknown) =>
  error instanceof EngineUnavailable && messagePattern.test(error.message)

const isNodeDown = engineFailure('nodeUnreachable', /^Node two \(10\.0\.0\.2\) is down$/)

test('reads the logs of all containers, and never that of the swarm', async (t) => {
  const tasks = [taskOn('node1', 'first'), taskOn('node1', 'gone'), taskOn('node1', 'second'), { Status: {} }]
  const { logs, queries, requests } = await engineWith(
    t,
    ({ path }, response) => response.end(/first/.test(path) ? lineAt(2, 'two') : lineAt(1, 'one')),
    tasks,
  )
  assert.deepEqual(await text(await logs(false, 7, undefined, at(0))), ['one', 'two'])
  const query = { stdout: '1', stderr: '1', timestamps: '1', tail: '8', follow: '0', since: '1893456000.000000000' }
  assert.deepEqual(queries(), [query, query, query])
  assert.deepEqual(
    requests.filter(({ path }) => /\/(?:services|tasks)\/.*\/logs/.test(path)),
    [],
  )
})

test('throws EngineFailure when the engine reports an error within the log', async (t) => {
  const { logs } = await engineWith(t, (_request, response) =>
    response.end(Buffer.concat([lineAt(1, 'one'), frame(3, 'Error grabbing logs: unexpected EOF\n')])),
  )
  const incomplete = /^The log of the service is incomplete: Error grabbing logs: unexpected EOF$/
  await assert.rejects(logs(false), engineFailure('failed', incomplete))
})

test('throws EngineFailure when a node is unreachable or has left the swarm', async (t) => {
  const onTwo = [taskOn('node1', 'first'), taskOn('node2', 'second')]
  const withNodeDown = await engineWith(t, (_request, response) => response.end(lineAt(2, 'two')), onTwo)
  await assert.rejects(withNodeDown.logs(false), isNodeDown)
  const withoutNode = await engineWith(t, () => undefined, [taskOn('removed', 'first')])
  await assert.rejects(withoutNode.logs(false), engineFailure('nodeMissing', /^Node removed is not in the swarm$/))
})

test('requests times in nanoseconds, and one piece more than the number of lines', async (t) => {
  const { logs, queries } = await engineWith(t, (_request, response) => response.end(lineAt(1, 'one')))
  await logs(false, 7, undefined, '2030-01-01T00:00:00.123456789Z')
  assert.deepEqual(
    queries().map(({ tail, since, follow }) => [tail, since, follow]),
    [['8', '1893456000.123456789', '0']],
  )
})

test('reads the complete log when the first returned piece may belong to a cut line', async (t) => {
  const long = [frame(1, `${at(2)} ${'x'.repeat(9)}`), frame(1, `${at(2)} y\n`), lineAt(3, 'z')]
  const { logs, queries } = await engineWith(t, ({ query }, response) =>
    response.end(Buffer.concat(query.tail === 'all' ? [lineAt(1, 'a'), ...long] : long)),
  )
  assert.deepEqual(await text(await logs(false, 2)), ['xxxxxxxxxy', 'z'])
  assert.deepEqual(
    queries().map(({ tail }) => tail),
    ['3', 'all'],
  )
})

test('neither repeats nor loses lines when following begins', async (t) => {
  const past = [lineAt(1, 'cut off'), lineAt(100, 'one'), lineAt(100, 'one'), lineAt(300, 'two')]
  const { logs, queries, state } = await engineWith(t, ({ query }, response) => {
    if (query.follow === '0') return response.end(Buffer.concat(past))
    const since = [lineAt(200, 'late'), lineAt(300, 'two'), lineAt(400, 'new')]
    return response.write(Buffer.concat([...past.slice(1), ...since]))
  })
  const lines: string[] = []
  for await (const { line } of await logs(true, 3)) {
    lines.push(line)
    if (line === 'new') state.isRemoved = true
  }
  assert.deepEqual(lines, ['one', 'one', 'two', 'late', 'two', 'new'])
  assert.equal(queries()[1]!.since, '1893455999.300000000')
})

test('follows containers that come later, each from the moment when it is started', async (t) => {
  const { logs, queries, state } = await engineWith(t, ({ path, query }, response) => {
    if (/first/.test(path)) return response.end(lineAt(1, 'of the first'))
    assert.equal(query.follow, '1')
    return response.write(lineAt(500, 'of the second'))
  })
  const lines: string[] = []
  for await (const { line } of await logs(true)) {
    lines.push(line)
    if (line === 'of the first') {
      state.created.add('second')
      state.tasks = [...state.tasks, taskOn('node1', 'second')]
      setTimeout(() => state.created.clear(), 1500)
    } else state.isRemoved = true
  }
  assert.deepEqual(lines, ['of the first', 'of the second'])
  assert.deepEqual(
    queries().map(({ follow }) => follow),
    ['0', '1', '1'],
  )
})

test('a reader that is slow holds the lines back', async (t) => {
  const block = Buffer.concat(Array.from({ length: 100 }, (_, index) => lineAt(index, 'x'.repeat(10_000))))
  let blocks = 0
  const { logs } = await engineWith(t, ({ query }, response) => {
    if (query.follow === '0') return void response.end()
    const write = () => {
      blocks++
      response.write(block, (error) => error ?? write())
    }
    return write()
  })
  const stop = new AbortController()
  const lines = (await logs(true, 100, stop.signal))[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value.line.length, 10_000)
  let before = -1
  await until('the engine to be held back', async () => {
    if (before === blocks) return true
    before = blocks
    return pause(300, false)
  })
  stop.abort()
  assert.equal((await lines.return!()).done, true)
})

test('throws when a stream of lines breaks, and when a later container cannot be read', async (t) => {
  const breaking = await engineWith(t, ({ query }, response) => {
    if (query.follow === '0') response.end(lineAt(1, 'one'))
    else response.write(lineAt(2, 'two'), () => response.destroy())
  })
  await assert.rejects(text(await breaking.logs(true)), unavailable(/The engine does not answer: aborted/))
  const withNodeDown = await engineWith(t, ({ query }, response) => query.follow === '0' && response.end())
  const lines = await withNodeDown.logs(true)
  withNodeDown.state.tasks = [taskOn('node2', 'second')]
  await assert.rejects(text(lines), isNodeDown)
})

test('ends without an error when the signal is aborted before the first read', async (t) => {
  const { logs } = await engineWith(t, ({ query }, response) =>
    query.follow === '0' ? response.end() : response.write(lineAt(1, 'one')),
  )
  const stop = new AbortController()
  const lines = await logs(true, 100, stop.signal)
  stop.abort()
  assert.ok((await text(lines)).length <= 1)
})
