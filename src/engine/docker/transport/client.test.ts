import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import type { Answers } from '../../../../test/engine/fake-api.ts'
import { temporaryFolder } from '../../../../test/fixtures/folder.ts'
import { dockerEngine } from '../engine.ts'
import { dockerClient } from './client.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { Engine, FoundTask } from '../../engine.ts'

/** The timeout of calls that should succeed. Tests that wait for a timeout set a shorter one. */
const defaultTimeoutMs = 10_000

interface ApiOptions {
  version?: string | undefined
  timeoutMs?: number | undefined
}

async function clientWith(
  t: TestContext,
  answers: Answers,
  { version, timeoutMs = defaultTimeoutMs }: ApiOptions = {},
) {
  const api = await fakeApi(answers, version)
  t.after(api.close)
  return { ...api, client: dockerClient(api.dockerHost, null, timeoutMs) }
}

test('uses the newest API version of the engine or of Berth, whichever is older', async (t) => {
  for (const [engineVersion, usedVersion] of [
    ['1.41', '1.41'],
    ['1.9', '1.9'],
    ['1.44', '1.44'],
    ['1.99', '1.51'],
  ]) {
    const { client, requests } = await clientWith(t, () => [200, {}], { version: engineVersion })
    await client.call({ path: '/info' })
    assert.equal(requests[0]?.path, `/v${usedVersion}/info`)
  }
})

test('sends query and body, and parses the answer', async (t) => {
  const { client, requests } = await clientWith(t, () => [201, { ID: 'x' }])
  const call = { method: 'POST', path: '/a', query: { filters: { name: ['b c&d'] }, n: 1 }, body: { e: 'ü' } } as const
  assert.deepEqual(await client.call(call), { ID: 'x' })
  assert.deepEqual(requests[0], {
    method: 'POST',
    path: '/v1.41/a',
    query: { filters: '{"name":["b c&d"]}', n: '1' },
    body: { e: 'ü' },
  })
})

const failing: [title: string, answers: Answers, message: RegExp, timeoutMs?: number][] = [
  ['never answers', () => undefined, /did not answer GET \/x within 300 ms/, 300],
  [
    'answers only in part',
    (_request, response) => {
      response.writeHead(200).write('{"a":')
      return undefined
    },
    /within 300 ms/,
    300,
  ],
  [
    'closes the connection within an answer',
    (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{', () => response.socket?.destroy())
      return undefined
    },
    /does not answer: /,
  ],
  [
    'closes the connection without an answer',
    (_request, response) => {
      response.socket?.destroy()
      return undefined
    },
    /does not answer: /,
  ],
  [
    'answers with something other than JSON',
    (_request, response) => {
      response.end('<html>')
      return undefined
    },
    /not JSON/,
  ],
  ['has no leader', () => [503, { message: 'swarm has no leader' }], /cannot serve requests now: swarm has no leader/],
]
for (const [title, answers, message, timeoutMs] of failing) {
  test(`throws EngineUnavailable when the engine ${title}`, async (t) => {
    const { client } = await clientWith(t, answers, { timeoutMs })
    await assert.rejects(
      client.call({ path: '/x' }),
      (error: Error) => error instanceof EngineUnavailable && message.test(error.message),
    )
  })
}

test('throws EngineUnavailable for an answer over the limit of 256 MiB', async (t) => {
  const api = await fakeApi((_request, response) => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const writeMore = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', writeMore)
    writeMore()
    return undefined
  })
  t.after(api.close)
  await assert.rejects(dockerClient(api.dockerHost, null, 60_000).call({ path: '/x' }), /larger than 256 MiB/)
})

test('throws EngineFailure with the message and a reason for an error status', async (t) => {
  const { client } = await clientWith(t, () => [418, { message: 'no' }])
  await assert.rejects(
    client.call({ path: '/x' }),
    (error: Error) => error instanceof EngineFailure && error.reason === 'rejected' && error.message === 'no',
  )
})

const task: FoundTask = {
  id: 't',
  serviceName: 's',
  state: 'running',
  desired: 'running',
  failure: null,
  exitCode: null,
  containerId: 'c',
  nodeId: 'n',
  address: null,
  digest: null,
  createdAt: '',
  updatedAt: '',
}
const calls: Record<string, (engine: Engine) => Promise<unknown>> = {
  ping: (engine) => engine.ping(),
  prepare: (engine) => engine.prepare(),
  nodes: (engine) => engine.nodes(),
  tasks: (engine) => engine.tasks(['a']),
  removeService: (engine) => engine.removeService('a'),
  removeVolume: (engine) => engine.removeVolume('a', 'n'),
  image: (engine) => engine.image('a/b:1'),
  exitReport: (engine) => engine.exitReport(task),
  run: (engine) => engine.run(task, { argv: ['true'], env: {} }, 100),
  watch: (engine) => engine.watch(() => assert.fail('received an event'), new AbortController().signal),
}
const optionsFor = (dockerHost: string) => ({ dockerHost, installationId: 'i', networkName: 'n', timeoutMs: 200 })

for (const [name, call] of Object.entries(calls)) {
  test(`throws EngineUnavailable from ${name} when there is no engine`, async () => {
    await assert.rejects(call(dockerEngine(optionsFor('unix:///nowhere/docker.sock'))), EngineUnavailable)
    await assert.rejects(call(dockerEngine(optionsFor('tcp://127.0.0.1:1'))), EngineUnavailable)
  })
}

test('throws EngineUnavailable after the timeout when nothing answers', async (t) => {
  const socketPath = join(temporaryFolder(t), 'silent.sock')
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => {
    sockets.push(socket)
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const engine = dockerEngine(optionsFor(`unix://${socketPath}`))
  const started = performance.now()
  await Promise.all(Object.values(calls).map((call) => assert.rejects(call(engine), EngineUnavailable)))
  assert.ok(performance.now() - started < defaultTimeoutMs, `took ${performance.now() - started} ms`)
})

test('keeps the connection of a request alive before the engine answers', async (t) => {
  const keepAlive = t.mock.method(net.Socket.prototype, 'setKeepAlive')
  const requested = Promise.withResolvers<void>()
  const server = http.createServer(({ url }, response) => {
    if (url === '/_ping') response.setHeader('Api-Version', '1.41').end('OK')
    else requested.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = dockerClient(`tcp://127.0.0.1:${(server.address() as net.AddressInfo).port}`, null)
  const abort = new AbortController()
  const answer = assert.rejects(client.stream({ method: 'POST', path: '/images/load' }, abort.signal))
  await requested.promise
  assert.deepEqual(
    keepAlive.mock.calls.map((call) => call.arguments),
    [
      [true, 15_000],
      [true, 15_000],
    ],
  )
  abort.abort()
  await answer
  server.closeAllConnections()
  server.close()
})
