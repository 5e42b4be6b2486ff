/** Berth behind a real Caddy: pages, calls, events and sessions by HTTPS, on a host that no rule reaches. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { subprotocol } from '../../src/sessions/protocol.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { pathOf } from '../sessions/session-client.ts'
import { startSessionBerth } from '../sessions/session-berth.ts'
import { startBerthByHttps } from './berth-by-https.ts'
import { behind, startApplication, startProxy } from './caddy.ts'
import { pairOf } from './certificate-files.ts'
import { requestVia } from './routing-berth.ts'
import { handshake, servedFingerprint } from './tls-client.ts'

const host = 'berth.example.org'
const resources = new AsyncDisposableStack()
after(() => resources.disposeAsync())
const socket = join(folderUnder(resources), 'berth.socket')
const berth = resources.use(await startSessionBerth({ env: { BERTH_PUBLIC_URL: `https://${host}` } }))
await berth.listenForProxy(socket)
const application = resources.use(await startApplication())
const proxy = resources.use(
  await startProxy({ front: (httpsPort) => ({ berth: { host, httpsPort, socket, isStrict: true } }) }),
)
const own = pairOf({ names: [host] })
const [claimed, wildcard] = [pairOf({ names: [host], type: 'rsa' }), pairOf({ names: ['*.example.org'] })]
await proxy.loadRules([behind(application.dial, { hosts: [host, '*.example.org'] })])
await proxy.loadKeys({ pairs: [claimed, wildcard], berth: { host, pair: own } })

const tls = { ca: own.chain }
const ask = (path: string, headers: Record<string, string> = {}) =>
  requestVia(proxy, `https://${host}${path}`, { tls, headers })
const bearer = { authorization: `Bearer ${berth.admin}` }

test('serves Berth by HTTPS with its own certificate, and tells browsers to use no other', async () => {
  assert.equal(await handshake(proxy.httpsPort, host, tls), own.fingerprint256)
  const { status, body, headers } = await ask('/api/project.all', bearer)
  assert.deepEqual([status, JSON.parse(body)[0].name], [200, 'shop'])
  assert.equal(headers['strict-transport-security'], 'max-age=31536000')
  assert.equal((await ask('/', { accept: 'text/html' })).status, 200)
  assert.equal((await ask('/api/nothing')).status, 404)
})

test('redirects HTTP to HTTPS', async () => {
  const { status, headers } = await requestVia(proxy, `http://${host}/console?a={b}`)
  assert.deepEqual([status, headers.location], [308, `https://${host}:${proxy.httpsPort}/console?a={b}`])
  assert.equal(headers['strict-transport-security'], undefined)
})

test('no rule and no certificate of another application reaches the host', async () => {
  assert.equal(
    (await requestVia(proxy, 'https://other.example.org/', { tls: { rejectUnauthorized: false } })).status,
    200,
  )
  assert.equal(application.requestCount(), 1)
  assert.equal(await servedFingerprint(proxy.httpsPort, 'other.example.org'), wildcard.fingerprint256)
  await proxy.loadKeys({ pairs: [claimed, wildcard], berth: { host, pair: null } })
  assert.equal(await servedFingerprint(proxy.httpsPort, host), '', 'without a certificate of its own it has none')
  await proxy.loadKeys({ pairs: [claimed, wildcard], berth: { host, pair: own } })
  assert.equal(await servedFingerprint(proxy.httpsPort, host), own.fingerprint256)
})

test('no client can forge its address', async () => {
  const forged = { 'x-forwarded-for': '198.51.100.66', forwarded: 'for=198.51.100.66', 'x-real-ip': '198.51.100.66' }
  await ask('/healthz', forged)
  const { fields } = berth.logged.findLast(({ event }) => event === 'request')!
  assert.equal(fields.address, '127.0.0.1')
})

test('believes a trusted proxy in front of its own about the client and about TLS', async () => {
  await using behindOther = await startBerthByHttps('127.0.0.0/8')
  const headers = { 'x-forwarded-for': '198.51.100.66, 203.0.113.5', 'x-forwarded-proto': 'https' }
  const secure = await requestVia(behindOther, `https://${host}/healthz`, { headers, tls: { ca: behindOther.ca } })
  const plain = await requestVia(behindOther, `http://${host}/healthz`, { headers })
  assert.deepEqual([secure.status, plain.status], [200, 200])
  const requests = behindOther.berth.logged.filter(({ event }) => event === 'request')
  assert.deepEqual(
    requests.map(({ fields }) => fields.address),
    ['203.0.113.5', '203.0.113.5'],
  )
  const unproven = await requestVia(behindOther, `http://${host}/healthz`)
  assert.equal(unproven.status, 308)
})

test('passes on events at once', async () => {
  const options: RequestOptions = { host: '127.0.0.1', port: proxy.httpsPort, servername: host, ...tls, agent: false }
  const request = get({ ...options, path: '/api/events?kind=project', headers: { host, ...bearer } })
  const [response] = await once(request, 'response')
  const text = textWith(response, '"moved in"')
  await berth.ok('project.create', { name: 'moved in' })
  assert.match(await text, /"change":"created"/)
  request.destroy()
})

async function textWith(stream: AsyncIterable<Buffer>, expected: string): Promise<string> {
  let text = ''
  for await (const part of stream) {
    text += part
    if (text.includes(expected)) return text
  }
  throw new Error(`The stream ended without ${expected}: ${text}`)
}

test('passes on a session in both directions', async () => {
  const address = `wss://127.0.0.1:${proxy.httpsPort}${pathOf({ databaseId: berth.databaseId })}`
  const options = { servername: host, ...tls, headers: { host, ...bearer } }
  const client = new WebSocket(address, subprotocol, options)
  let output = ''
  client.on('message', (data, isBinary) => {
    if (isBinary) output += String(data)
  })
  await once(client, 'open')
  client.send(Buffer.from('select 1'), { binary: true })
  client.send(JSON.stringify({ type: 'endInput' }))
  const [code] = await once(client, 'close')
  assert.deepEqual([code, output], [1000, 'select 1'])
})

test('a request during a restart of Berth waits for it', async () => {
  await berth.closeForProxy()
  const answer = ask('/healthz')
  await berth.listenForProxy(socket)
  assert.equal((await answer).status, 200)
})
