/** Requests by a proxy to storages, registries and signals. No DNS server knows the names of the targets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer } from 'node:tls'
import { parseConfig } from '../src/config.ts'
import { openBucket } from '../src/lib/s3/s3.ts'
import { StorageFault } from '../src/lib/storage/faults.ts'
import { callSignalUrl } from '../src/backups/runs/signal-url.ts'
import { memoryBucket } from './backups/memory-bucket.ts'
import { connectProxy } from './fixtures/connect-proxy.ts'
import { fakeLog, type LoggedLine } from './fixtures/fake-log.ts'
import { freePort } from './fixtures/free-port.ts'
import { certificateData, privateKey } from './fixtures/long-lived-certificate.ts'
import { assertFault, challenge, rightAuthorization, serve, signIn, version } from './fixtures/registry-server.ts'
import { startTestBerth } from './fixtures/test-berth.ts'

const { signal } = new AbortController()
const portOf = (endpoint: string) => Number(new URL(endpoint).port)
const egressOf = (env: Record<string, string>) => parseConfig(env).egress

/** Ends TLS for a server, with a certificate for sweep.example. */
async function tlsBefore(t: TestContext, port: number): Promise<number> {
  const server = createServer({ cert: certificateData, key: privateKey }, (socket) => {
    const onward = connect(port, '127.0.0.1').on('error', () => void socket.destroy())
    socket.on('error', () => void onward.destroy())
    socket.pipe(onward).pipe(socket)
    t.after(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('destination.testConnection reaches an http storage by a proxy with a password', async () => {
  await using storage = await memoryBucket()
  await using proxy = await connectProxy({
    targets: { 'storage.test': portOf(storage.endpoint) },
    credentials: 'ann:hidden',
  })
  await using testBerth = await startTestBerth({ HTTP_PROXY: proxy.url })
  const { endpoint: _, ...settings } = storage.settings
  const input = { ...settings, name: 'bucket', endpoint: 'http://storage.test:9000', report: true }
  const { message } = await testBerth.ok('destination.testConnection', input)
  assert.match(String(message), /^Wrote a probe object, read it back/)
  for (const method of ['PUT', 'GET', 'DELETE']) {
    assert.ok(proxy.received.includes(`${method} http://storage.test:9000`), method)
  }
  await proxy[Symbol.asyncDispose]()
  const failed = await testBerth.ok('destination.testConnection', input)
  assert.match(String(failed.message), /^Berth cannot connect to the proxy 127\.0\.0\.1:\d+ \(HTTP_PROXY\)/)
  const { checks } = failed as { checks: { check: string; result: string }[] }
  assert.deepEqual(
    checks.filter(({ result }) => result === 'failed').map(({ check }) => check),
    ['connect'],
  )
  const { report: __, ...refusing } = input
  await testBerth.refused('BAD_GATEWAY', 'destination.testConnection', refusing)
  assert.doesNotMatch(JSON.stringify([message, failed]), /hidden/)
})

test('reaches an https storage through a tunnel of the proxy, and verifies its certificate', async (t) => {
  await using storage = await memoryBucket()
  const port = await tlsBefore(t, portOf(storage.endpoint))
  await using proxy = await connectProxy({ targets: { 'sweep.example': port, 'other.example': port } })
  const egress = egressOf({ HTTPS_PROXY: proxy.host })
  const settings = { ...storage.settings, endpoint: 'https://sweep.example' }
  {
    using bucket = openBucket(settings, { egress, ca: certificateData })
    await bucket.put('a', Buffer.from('text'), signal)
  }
  assert.deepEqual([storage.objects.get('a')?.toString(), proxy.received], ['text', ['CONNECT sweep.example:443']])
  using other = openBucket({ ...settings, endpoint: 'https://other.example:8443' }, { egress, ca: certificateData })
  await assert.rejects(other.put('a', Buffer.from('text'), signal), { kind: 'tls' })
  assert.equal(proxy.received.at(-1), 'CONNECT other.example:8443')
})

/** The fault of a write to a storage. */
async function faultOf(env: Record<string, string>, endpoint: string): Promise<StorageFault> {
  const settings = { endpoint, region: '', bucket: 'backups', accessKey: 'key', secretAccessKey: 'secret' }
  using bucket = openBucket(settings, { egress: egressOf(env), attempts: 1 })
  const error = await bucket.put('a', Buffer.from('a'), signal).then(
    () => assert.fail('the request succeeded'),
    (fault: unknown) => fault,
  )
  assert.ok(error instanceof StorageFault, String(error))
  assert.doesNotMatch(error.message, /hidden/)
  return error
}

for (const scheme of ['http', 'https']) {
  test(`${scheme}: names the proxy and the setting without a login, and with a wrong password`, async () => {
    await using proxy = await connectProxy({ targets: {}, credentials: 'ann:hidden' })
    const setting = `${scheme.toUpperCase()}_PROXY`
    for (const [credentials, message] of [
      ['', /requires a login \(HTTP 407\)/],
      ['ann:hidden-wrong@', /rejected its user or password \(HTTP 407\)/],
    ] as const) {
      const fault = await faultOf({ [setting]: `http://${credentials}${proxy.host}` }, `${scheme}://storage.test`)
      assert.deepEqual([fault.kind, fault.isTransient], ['proxy', false])
      assert.match(fault.message, message)
      assert.ok(fault.message.includes(`${proxy.host} (${setting})`), fault.message)
    }
  })
}

test('names the proxy that refuses a target, and the one that cannot reach it', async () => {
  await using forbidding = await connectProxy({ targets: {}, refusal: 403 })
  const forbidden = await faultOf({ HTTPS_PROXY: forbidding.url }, 'https://storage.test')
  assert.deepEqual([forbidden.kind, forbidden.isTransient], ['proxy', false])
  assert.match(forbidden.message, /refused a connection to storage\.test:443 \(HTTP 403\).*NO_PROXY/)
  await using empty = await connectProxy({ targets: {} })
  const unknown = await faultOf({ HTTPS_PROXY: empty.url }, 'https://storage.test')
  assert.deepEqual([unknown.kind, unknown.isTransient], ['proxy', true])
  assert.match(unknown.message, /could not connect to storage\.test:443 \(HTTP 502\)/)
  const plain = await faultOf({ HTTP_PROXY: forbidding.url }, 'http://storage.test')
  assert.ok(plain.message.includes(`${forbidding.host} (HTTP_PROXY)`), plain.message)
})

test('names a proxy that is down or whose name is unknown', async () => {
  for (const [setting, endpoint] of [
    ['HTTP_PROXY', 'http://storage.test'],
    ['HTTPS_PROXY', 'https://storage.test'],
  ] as const) {
    const host = `127.0.0.1:${await freePort()}`
    const down = await faultOf({ [setting]: host }, endpoint)
    assert.deepEqual([down.kind, down.isTransient], ['proxy', true])
    assert.ok(down.message.includes(`${host} (${setting}): ECONNREFUSED`), down.message)
  }
  const unknown = await faultOf({ HTTPS_PROXY: 'http://no-such-proxy.invalid:3128' }, 'https://storage.test')
  assert.match(unknown.message, /^The name of the proxy no-such-proxy\.invalid:3128 \(HTTPS_PROXY\)/)
  const plain = await connectProxy({ targets: {} })
  const tls = await faultOf({ HTTPS_PROXY: `https://${plain.host}` }, 'https://storage.test')
  await plain[Symbol.asyncDispose]()
  assert.match(tls.message, /^The TLS handshake with the proxy/)
})

test('asks no proxy for a metadata service, for this machine, and for hosts of NO_PROXY', async () => {
  await using storage = await memoryBucket()
  await using proxy = await connectProxy({ targets: {} })
  const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
  for (const endpoint of ['http://169.254.169.254', 'https://169.254.169.254', 'http://0xA9FEA9FE']) {
    assert.equal((await faultOf(env, endpoint)).kind, 'egress', endpoint)
  }
  using bucket = openBucket(storage.settings, { egress: egressOf(env) })
  await bucket.put('a', Buffer.from('text'), signal)
  assert.equal(storage.objects.get('a')?.toString(), 'text')
  const fault = await faultOf({ ...env, NO_PROXY: 'corp.example, no-such-host.invalid' }, 'http://no-such-host.invalid')
  assert.equal(fault.kind, 'name')
  assert.deepEqual(proxy.received, [])
})

test('logs in to a registry by the proxy, and names the proxy that does not forward the login', async (t) => {
  const reply: Parameters<typeof serve>[1] = (request, response) =>
    request.headers.authorization === rightAuthorization
      ? response.writeHead(200, version).end('{}')
      : response.writeHead(401, challenge('Basic')).end()
  const { host, received } = await serve(t, reply)
  const port = Number(new URL(`http://${host}`).port)
  const targets = { 'registry.test': port, 'sweep.example': await tlsBefore(t, port) }
  await using proxy = await connectProxy({ targets, credentials: 'ann:hidden' })
  const egress = egressOf({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url })
  await signIn('http://registry.test:5000', { egress })
  await signIn('sweep.example', { egress, ca: certificateData })
  assert.deepEqual(received, [rightAuthorization, rightAuthorization])
  assert.ok(proxy.received.includes('CONNECT sweep.example:443'))
  const anonymous = { HTTP_PROXY: proxy.host, HTTPS_PROXY: proxy.host }
  for (const registryUrl of ['http://registry.test:5000', 'sweep.example']) {
    const attempt = signIn(registryUrl, { egress: egressOf(anonymous) })
    await assertFault(attempt, 'proxy', /^The proxy 127\.0\.0\.1:\d+ \(HTTPS?_PROXY\) requires a login/)
  }
  await using forbidding = await connectProxy({ targets: {}, refusal: 403 })
  const forbidden = egressOf({ HTTP_PROXY: forbidding.url, HTTPS_PROXY: forbidding.url })
  await assertFault(signIn('sweep.example', { egress: forbidden }), 'proxy', /sweep\.example:443 \(HTTP 403\)/)
  const plain = signIn('http://registry.test:5000', { egress: forbidden })
  await assertFault(plain, 'notRegistry', /The request went by the proxy 127\.0\.0\.1:\d+ \(HTTP_PROXY\)$/)
})

test('calls a signalUrl by the proxy, and logs a failure of the proxy without the URL', async () => {
  await using storage = await memoryBucket()
  const targets = { 'watch.test': portOf(storage.endpoint) }
  await using proxy = await connectProxy({ targets, credentials: 'ann:hidden' })
  const lines: LoggedLine[] = []
  const call = (httpProxy: string, signalUrl: string) => {
    const env = { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpProxy }
    return callSignalUrl({ config: { egress: egressOf(env) }, log: fakeLog(lines) }, 'run-1', signalUrl)
  }
  await call(proxy.url, 'http://watch.test/hidden-path')
  assert.deepEqual(proxy.received, ['GET http://watch.test'])
  lines.length = 0
  for (const scheme of ['http', 'https']) {
    await call(proxy.host, `${scheme}://watch.test/hidden-path`)
    const reason = String(lines.at(-1)?.fields.reason)
    assert.match(reason, /^The proxy 127\.0\.0\.1:\d+ \(HTTPS?_PROXY\) requires a login/)
  }
  await call(proxy.url, 'https://hidden.test/hidden-path')
  assert.match(String(lines.at(-1)?.fields.reason), /could not connect to the requested host \(HTTP 502\)/)
  assert.equal(lines.length, 3)
  assert.doesNotMatch(JSON.stringify(lines), /hidden|watch\.test/)
})
