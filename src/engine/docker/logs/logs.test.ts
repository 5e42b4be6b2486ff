/** Logs from a fake API, with errors within a log and repeated lines, which a test cannot provoke in a real engine. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
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

/**
 * @param answerService answers each request for the log of the service
 * @param answerContainer answers each request for the log of a container
 */
async function engineWith(
  t: TestContext,
  answerService: (request: ApiRequest, response: ServerResponse) => void,
  tasks: object[] = [],
  answerContainer?: (request: ApiRequest, response: ServerResponse) => void,
) {
  const events: ServerResponse[] = []
  const api = await fakeApi((request, response) => {
    if (request.path.endsWith('/services')) return [200, [service]]
    if (request.path.endsWith('/tasks')) return [200, tasks]
    if (request.path.endsWith('/info')) return [200, { Swarm: { NodeID: 'node1' } }]
    if (request.path.endsWith('/nodes/node2')) {
      return [
        200,
        {
          ID: 'node2',
          Description: { Hostname: 'two' },
          Spec: { Availability: 'active' },
          Status: { State: 'down', Addr: '10.0.0.2' },
        },
      ]
    }
    if (request.path.endsWith('/nodes/removed')) return [404, { message: 'node removed not found' }]
    if (request.path.endsWith('/containers/gone/logs')) return [404, { message: 'No such container: gone' }]
    response.writeHead(200).flushHeaders()
    if (request.path.endsWith('/events')) events.push(response)
    else if (request.path.includes('/containers/')) answerContainer!(request, response)
    else answerService(request, response)
    return undefined
  })
  t.after(api.close)
  const { dockerHost, requests } = api
  const engine = dockerEngine({ dockerHost, installationId: 'mine', networkName: 'berth', timeoutMs: 2000 })
  const logs = (follow: boolean, tail = 100, signal = new AbortController().signal, since: string | null = null) =>
    engine.logs('db', { tail, since, follow }, signal)
  const queries = () => requests.filter(({ path }) => /services\/.*logs$/.test(path)).map(({ query }) => query)
  return { logs, events, queries }
}

const text = async (lines: AsyncIterable<{ line: string }>) => (await Array.fromAsync(lines)).map(({ line }) => line)

const unavailable = (messagePattern: RegExp) => (error: unknown) =>
  error instanceof EngineUnavailable && messagePattern.test(error.message)

const endIncomplete = (response: ServerResponse) =>
  response.end(
    Buffer.concat([
      lineAt(1, 'one'),
      frame(
        3,
        'Error grabbing logs: warning: incomplete log stream. some logs could not be retrieved ' +
          'for the following reasons: node x is not available, task y has not been scheduled\n',
      ),
    ]),
  )

const taskOn = (NodeID: string, ContainerID: string) => ({
  ID: `task-${ContainerID}`,
  NodeID,
  Status: { State: 'running', ContainerStatus: { ContainerID } },
})

test('reads the logs of the containers when the log of the swarm is incomplete', async (t) => {
  const tasks = [taskOn('node1', 'first'), taskOn('node1', 'gone'), taskOn('node1', 'second'), { Status: {} }]
  const containerQueries: Record<string, string>[] = []
  const { logs } = await engineWith(
    t,
    (_request, response) => endIncomplete(response),
    tasks,
    ({ path, query }, response) => {
      containerQueries.push(query)
      response.end(/first/.test(path) ? lineAt(2, 'two') : lineAt(1, 'one'))
    },
  )
  assert.deepEqual(await text(await logs(false, 7, undefined, at(0))), ['one', 'two'])
  const query = { stdout: '1', stderr: '1', timestamps: '1', tail: '8', follow: '0', since: '1893456000.000000000' }
  assert.deepEqual(containerQueries, [query, query])
})

test('throws EngineUnavailable when the log is incomplete and a node is unreachable', async (t) => {
  const tasks = [taskOn('node1', 'first'), taskOn('node2', 'second')]
  const { logs } = await engineWith(
    t,
    (_request, response) => endIncomplete(response),
    tasks,
    (_request, response) => response.end(lineAt(2, 'two')),
  )
  await assert.rejects(logs(false), unavailable(/log of the service is incomplete: Node two \(10\.0\.0\.2\) is down$/))
})

test('throws EngineUnavailable when the log is incomplete and a node has left the swarm', async (t) => {
  const { logs } = await engineWith(t, (_request, response) => endIncomplete(response), [taskOn('removed', 'first')])
  await assert.rejects(logs(false), unavailable(/log of the service is incomplete: Node removed is not in the swarm$/))
})

test('a task that has no node yet does not make the log incomplete', async (t) => {
  const { logs } = await engineWith(t, (_request, response) =>
    response.end(
      Buffer.concat([
        lineAt(1, 'one'),
        frame(
          3,
          'Error grabbing logs: rpc error: warning: incomplete log stream. some logs could not be ' +
            'retrieved for the following reasons: task y has not been scheduled\n',
        ),
      ]),
    ),
  )
  assert.deepEqual(await text(await logs(false)), ['one'])
})

test('adds the lines of a task that is starting, which the log of a service leaves out', async (t) => {
  const tasks = ['starting', 'running'].map((State) => ({ ID: `${State}-task`, Status: { State } }))
  const { logs } = await engineWith(
    t,
    ({ path }, response) => {
      if (path.includes('/tasks/')) assert.match(path, /\/tasks\/starting-task\/logs$/)
      response.end(
        path.includes('/tasks/')
          ? Buffer.concat([lineAt(2, 'two'), lineAt(3, 'three')])
          : Buffer.concat([lineAt(1, 'one'), lineAt(2, 'two')]),
      )
    },
    tasks,
  )
  assert.deepEqual(await text(await logs(false)), ['one', 'two', 'three'])
  assert.deepEqual(await text(await logs(false, 2)), ['two', 'three'])
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
  const { logs, queries, events } = await engineWith(t, ({ query }, response) => {
    if (query.follow === '0') return response.end(Buffer.concat(past))
    const since = [lineAt(200, 'late'), lineAt(300, 'two'), lineAt(400, 'new')]
    return response.write(Buffer.concat([...past.slice(1), ...since]))
  })
  const lines: string[] = []
  for await (const { line } of await logs(true, 3)) {
    lines.push(line)
    if (line !== 'new') continue
    const watch = await until('the watch', async () => events[0])
    watch.write('{"Type":"service","Action":"remove","Actor":{}}\n')
  }
  assert.deepEqual(lines, ['one', 'one', 'two', 'late', 'two', 'new'])
  assert.equal(queries()[1]!.since, '1893455999.300000000')
})

test('throws EngineUnavailable when the engine closes the stream of logs or of events', async (t) => {
  const closing = await engineWith(t, (_request, response) => response.end(lineAt(1, 'one')))
  await assert.rejects(text(await closing.logs(true)), unavailable(/closed its stream of logs/))
  const withoutEvents = await engineWith(t, ({ query }, response) => query.follow === '0' && response.end())
  const lines = await withoutEvents.logs(true)
  const reading = text(lines)
  const rejected = assert.rejects(reading, unavailable(/closed its stream of events/))
  const events = await until('the watch', async () => withoutEvents.events[0])
  events.end()
  await rejected
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
