/** Clients of other nodes' engines, against an HTTPS server that answers like an engine behind its port. */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createAuthority, signCertificate } from '../../../authority/x509.ts'
import { engineFailure } from '../../../../test/engine/engine-failure.ts'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { type EngineFailure, EngineUnavailable, type FoundTask } from '../../engine.ts'
import type { NodeConnection } from '../../node-connection.ts'
import { dockerEngine } from '../engine.ts'
import { clientOver } from '../transport/client.ts'
import { dialNode } from '../transport/host.ts'

const now = new Date()
const authority = await createAuthority('engines', 'test', now)
const issue = (commonName: string, use: 'server' | 'client') =>
  signCertificate(authority, { commonName, dnsNames: use === 'server' ? [commonName] : [], use, validDays: 1 }, now)
const client = await issue('berth', 'client')

/** What the own engine reports of the node `n2`; null: the swarm has no such node. */
type NodeState = 'ready' | 'down' | null

/** An engine whose swarm has the other node `n2`, and a function that counts the requests to n2 by path. */
async function engineWith(
  t: TestContext,
  { state = 'ready', answer = answersOf('n2'), name = 'n2.test', hasImage = false }: Partial<Setup> = {},
) {
  const server = await issue(name, 'server')
  const paths: string[] = []
  const remote = https.createServer(
    { key: server.keyPem, cert: server.certificatePem, ca: authority.certificatePem, requestCert: true },
    (request, response) => {
      paths.push(request.url ?? '')
      answer(request, response)
    },
  )
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  const api = await fakeApi(({ path }) => {
    if (path.endsWith('/images/i%3A1/json') && hasImage) return [200, { Id: 'x', Architecture: 'amd64' }]
    if (path.endsWith('/images/i%3A1/get')) return [200, 'the archive']
    if (path.endsWith('/info')) return [200, { Swarm: { NodeID: 'n1' } }]
    if (!path.endsWith('/nodes/n2') || state === null) return [404, { message: 'no such node' }]
    const Status = { State: state, Addr: '10.0.0.2' }
    return [200, { ID: 'n2', Description: { Hostname: 'two' }, Spec: { Availability: 'active' }, Status }]
  })
  t.after(async () => {
    await api.close()
    remote.closeAllConnections()
    remote.close()
  })
  const connection: NodeConnection = {
    host: '127.0.0.1',
    port: (remote.address() as AddressInfo).port,
    ca: authority.certificatePem,
    certificate: client.certificatePem,
    key: client.keyPem,
    serverName: 'n2.test',
  }
  const engine = dockerEngine({
    dockerHost: api.dockerHost,
    installationId: 'mine',
    networkName: 'berth',
    timeoutMs: 2000,
    connectionTo: async () => connection,
  })
  return { engine, paths, ownPaths: () => api.requests.map(({ path }) => path), remote, connection }
}

interface Setup {
  state: NodeState
  answer: RequestListener
  name: string
  /** Whether the own engine has the image i:1. */
  hasImage: boolean
}

function answersOf(nodeId: string): RequestListener {
  return ({ url = '' }, response) => {
    if (url === '/_ping') return response.setHeader('api-version', '1.41').end('OK')
    if (url.endsWith('/info')) return response.end(JSON.stringify({ Swarm: { NodeID: nodeId } }))
    return response.end('{}')
  }
}

test('asks the engine of the node, and checks once which node it is', async (t) => {
  const { engine, paths, ownPaths } = await engineWith(t)
  assert.equal(await engine.hasVolume('a', 'n2'), true)
  assert.equal(await engine.hasVolume('b', 'n2'), true)
  assert.deepEqual(paths, ['/_ping', '/v1.41/info', '/v1.41/volumes/a', '/v1.41/volumes/b'])
  assert.deepEqual(ownPaths(), ['/v1.41/info'])
})

test('a node that opens no connection fails a slow call after 10 seconds', async (t) => {
  const silent = net.createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const pems = { ca: authority.certificatePem, certificate: client.certificatePem, key: client.keyPem }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const slow = clientOver(dialNode({ host: '127.0.0.1', port, serverName: 'n2.test', ...pems }))
  const refused = assert.rejects(
    slow.call({ method: 'POST', path: '/containers/create', timeoutMs: 60_000 }),
    (error) => error instanceof EngineUnavailable && /: no connection within 10 seconds$/.test(error.message),
  )
  t.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  t.mock.timers.tick(50_000)
  await refused
})

test('asks its own engine about its own node', async (t) => {
  const { engine, paths } = await engineWith(t)
  assert.equal(await engine.hasVolume('a', 'n1'), false)
  assert.deepEqual(paths, [])
})

test('checks the node again after its connection has changed', async (t) => {
  const { engine, paths, connection } = await engineWith(t)
  await engine.hasVolume('a', 'n2')
  const renewed = await issue('berth again', 'client')
  Object.assign(connection, { certificate: renewed.certificatePem, key: renewed.keyPem })
  await engine.hasVolume('a', 'n2')
  assert.equal(paths.filter((path) => path.endsWith('/info')).length, 2)
})

const failing: [title: string, setup: Partial<Setup>, reason: EngineFailure['reason'], message: RegExp][] = [
  ['another node that answers', { answer: answersOf('n3') }, 'nodeUnreachable', /is of node n3/],
  ['a certificate of another node', { name: 'n3.test' }, 'nodeUnreachable', /127\.0\.0\.1:\d+: .*n2\.test/s],
  [
    'a connection that breaks',
    { answer: (request) => void request.socket.destroy() },
    'nodeUnreachable',
    /127\.0\.0\.1:\d+: The engine does not answer/,
  ],
  [
    'a node that is down',
    { state: 'down', answer: (request) => void request.socket.destroy() },
    'nodeUnreachable',
    /^Node two \(10\.0\.0\.2\) is down$/,
  ],
  [
    'a node that has left the swarm',
    { state: null, answer: (request) => void request.socket.destroy() },
    'nodeMissing',
    /^Node n2 is not in the swarm$/,
  ],
]
for (const [title, setup, reason, message] of failing) {
  test(`reports ${title}`, async (t) => {
    const { engine } = await engineWith(t, setup)
    await assert.rejects(engine.hasVolume('a', 'n2'), engineFailure(reason, message))
    await assert.rejects(engine.provideImage('i:1', 'n2', new AbortController().signal), engineFailure(reason, message))
  })
}

for (const hasImage of [true, false]) {
  const title = hasImage ? 'copies an image that the node cannot pull' : 'reports an image that no engine has'
  test(title, async (t) => {
    let loaded = ''
    const answer: RequestListener = (request, response) => {
      const { url = '' } = request
      if (url.includes('/images/i%3A1/json')) return response.writeHead(404).end('{"message":"No such image"}')
      if (url.includes('/images/create')) return response.end('{"error":"no registry answers"}\n')
      if (!url.includes('/images/load')) return answersOf('n2')(request, response)
      request.on('data', (part: Buffer) => {
        loaded += String(part)
      })
      return request.on('end', () => response.end('{"stream":"Loaded"}\n'))
    }
    const { engine } = await engineWith(t, { answer, hasImage })
    const provided = engine.provideImage('i:1', 'n2', new AbortController().signal)
    const message = /^No such image: i:1, and it cannot be pulled: no registry answers$/
    if (hasImage) await provided
    else await assert.rejects(provided, engineFailure('missing', message))
    assert.equal(loaded, hasImage ? '"the archive"' : '')
  })
}

/** Answers for a container whose streams break as soon as they are open. */
const breaking: RequestListener = (request, response) => {
  const { url = '' } = request
  if (url.includes('/wait')) {
    response.writeHead(200).flushHeaders()
    return
  }
  if (url.includes('/json') && url.includes('/exec/')) return response.end('{"Running":true,"ExitCode":null}')
  if (url.includes('/create') || url.endsWith('/exec')) return response.end('{"Id":"c"}')
  return answersOf('n2')(request, response)
}

async function engineWithBreakingStreams(t: TestContext, answer = breaking) {
  const context = await engineWith(t, { answer })
  context.remote.on('upgrade', ({ url = '' }, socket) => {
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
    if (url.includes('/exec/')) socket.end()
    else setTimeout(() => socket.destroy(), 50)
  })
  return context.engine
}

const isBroken = engineFailure('nodeUnreachable', /^127\.0\.0\.1:\d+: The connection to the (job|program) broke/)

test('reports a job whose connection to the node breaks as `nodeUnreachable`', async (t) => {
  const engine = await engineWithBreakingStreams(t)
  const job = { nodeId: 'n2', name: 'j', recordId: 'r', image: 'i:1', argv: ['dump'], env: {}, stdin: false }
  const { stdout, ended } = await engine.runJob(job, new AbortController().signal)
  await assert.rejects(stdout.toArray(), isBroken)
  await assert.rejects(ended, isBroken)
})

test('reports a program whose connection to the node breaks as `nodeUnreachable`', async (t) => {
  const engine = await engineWithBreakingStreams(t)
  const task = { serviceName: 's', nodeId: 'n2', containerId: 'c', state: 'running' } as FoundTask
  await assert.rejects(engine.run(task, { argv: ['true'], env: {} }, 1000), isBroken)
})

test('stops to ask for the exit code after 2 seconds, also if the clock is set back', async (t) => {
  let asked = 0
  const answer: RequestListener = (request, response) => {
    const isRunning = !request.url?.includes('/exec/') || ++asked < 300
    return isRunning ? breaking(request, response) : response.end('{"Running":false,"ExitCode":0}')
  }
  const engine = await engineWithBreakingStreams(t, answer)
  let nowMs = Date.now()
  t.mock.method(Date, 'now', () => (nowMs -= 60_000))
  const task = { serviceName: 's', nodeId: 'n2', containerId: 'c', state: 'running' } as FoundTask
  await assert.rejects(engine.run(task, { argv: ['true'], env: {} }, 1000), isBroken)
})

test('reports a pull whose connection to the node breaks as `nodeUnreachable`', async (t) => {
  const answer: RequestListener = (request, response) => {
    if (!request.url?.includes('/images/create')) return answersOf('n2')(request, response)
    return response.write('{"status":"Pulling"}\n', () => response.destroy())
  }
  const { engine } = await engineWith(t, { answer })
  const pulled = engine.pullImage('i:1', new AbortController().signal, 'n2')
  await assert.rejects(pulled, engineFailure('nodeUnreachable', /127\.0\.0\.1:\d+: The engine does not answer/))
})

test('knows the jobs of this process on a node whose engine does not answer', async (t) => {
  let isHung = false
  const answer: RequestListener = (request, response) => {
    if (!isHung) breaking(request, response)
  }
  const { engine, remote, paths } = await engineWith(t, { answer })
  remote.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
  })
  const job = { nodeId: 'n2', name: 'j', recordId: 'r', image: 'i:1', argv: ['client'], env: {}, stdin: false }
  const starting = engine.runJob(job, new AbortController().signal)
  const attached = [{ name: 'j', recordId: 'r' }]
  assert.deepEqual(await engine.attachedJobs('n2'), attached)
  await starting
  isHung = true
  const requests = paths.length
  assert.deepEqual(await engine.attachedJobs('n2'), attached)
  assert.deepEqual(await engine.attachedJobs('n1'), [])
  assert.equal(paths.length, requests)
  isHung = false
  await (await starting).stop()
  assert.deepEqual(await engine.attachedJobs('n2'), [])
})
