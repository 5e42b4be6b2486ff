/** How the proxy's front process gets certificates: immediately, without lost requests, and for known names only. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { parseConfig } from '../../src/config.ts'
import { loopbackOf } from '../../src/routing/caddy/launch.ts'
import { until } from '../engine/until.ts'
import { connectProxy } from '../fixtures/connect-proxy.ts'
import { behind, keysSecret, startApplication, startProxy } from './caddy.ts'
import { dateIn, pairOf } from './certificate-files.ts'
import { requestVia } from './routing-berth.ts'
import { handshake, servedFingerprint } from './tls-client.ts'
import { startTraffic } from './traffic.ts'

const changes = 200

test(`${changes} changes of a certificate fail no request, and the next client gets the new certificate`, async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial)])
  const pairs = [pairOf({ names: ['a.example'] }), pairOf({ names: ['a.example'], type: 'rsa' })] as const
  await proxy.loadKeys({ pairs: [pairs[0]] })
  const agent = new https.Agent({ keepAlive: true, maxSockets: 8 })
  const tls = { rejectUnauthorized: false }
  await using traffic = startTraffic({
    perSecond: 200,
    url: 'https://a.example/page',
    ask: (url, options) => requestVia(proxy, url, options.agent === undefined ? { tls } : { tls, agent }),
  })
  const late: number[] = []
  for (let change = 1; change <= changes; change++) {
    await proxy.loadKeys({ pairs: [pairs[change % 2]!] })
    if ((await servedFingerprint(proxy.httpsPort, 'a.example')) !== pairs[change % 2]!.fingerprint256) late.push(change)
  }
  const { answers, faults } = await traffic.stop()
  agent.destroy()
  assert.deepEqual([late, faults], [[], []])
  assert.ok(answers > 400, `${answers} answers`)
  await proxy.loadKeys()
  await assert.rejects(handshake(proxy.httpsPort, 'a.example', tls), /alert/)
})

// With a session ticket, a client could reconnect after its certificate was removed.
test('no client gets a session ticket', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial)])
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example'] })] })
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.equal(await ticketFrom(proxy.httpsPort, version), undefined, version)
  }
})

test('refuses a name without a certificate and a client without a name at once, without an ACME order', async () => {
  await using proxy = await startProxy()
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example', '*.w.example'] })] })
  for (const name of ['b.example', 'w.example', 'x.y.w.example', 'a.example.', '*.w.example', '{env.SECRET}', '']) {
    const startMs = performance.now()
    assert.equal(await servedFingerprint(proxy.httpsPort, name), '', name)
    assert.ok(performance.now() - startMs < 5000, `${name}: ${performance.now() - startMs} ms`)
  }
  assert.notEqual(await servedFingerprint(proxy.httpsPort, 'A.W.EXAMPLE'), '')
  assert.ok(!existsSync(join(proxy.folder, 'front', 'caddy', 'acme')), 'no ACME account exists')
  assert.ok(!/acme|obtain/.test(readFileSync(join(proxy.folder, 'log'), 'utf8')))
})

test('returns a key only to a caller with the secret, and logs no secret', async () => {
  await using proxy = await startProxy()
  await proxy.loadRules([])
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example'] })] })
  const url = `http://${loopbackOf(proxy.folder).certificates}/?server_name=a.example`
  const ask = async (authorization: string) => {
    const [response] = await once(get(url, { agent: false, headers: { authorization } }), 'response')
    let body = ''
    for await (const chunk of response) body += String(chunk)
    return [response.statusCode, body.includes('PRIVATE KEY')]
  }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  assert.deepEqual(await ask(basic(`front:${keysSecret}`)), [200, true])
  for (const it of ['', basic('front:'), basic(`front:${keysSecret}x`)]) assert.deepEqual(await ask(it), [404, false])
  for (const path of ['/', '/?server_name=a.example', '/.well-known/acme-challenge/x?server_name=a.example']) {
    assert.ok(!(await proxy.get(`http://a.example${path}`)).body.includes('KEY'), path)
  }
  await proxy.end('keys')
  assert.equal(await servedFingerprint(proxy.httpsPort, 'a.example'), '')
  assert.ok(!readFileSync(join(proxy.folder, 'log'), 'utf8').includes(keysSecret))
})

test('serves a certificate that ACME stored instead of an expired one', async () => {
  await using proxy = await startProxy()
  const [expired, first, next] = [
    pairOf({ names: ['a.example'], days: [dateIn(-9), dateIn(-1)] }),
    pairOf({ names: ['a.example'] }),
    pairOf({ names: ['a.example'] }),
  ]
  const acme = { directory: 'https://ca.example:14000/Dir/', email: null, rootsFile: null }
  await proxy.loadKeys({ acme, pairs: [expired], issued: ['a.example'] })
  assert.equal(await servedFingerprint(proxy.httpsPort, 'a.example'), expired.fingerprint256)
  const folder = join(proxy.folder, 'storage', 'certificates', 'ca.example-14000-dir', 'a.example')
  mkdirSync(folder, { recursive: true })
  for (const { chain, key, fingerprint256 } of [first, next]) {
    writeFileSync(join(folder, 'a.example.key'), key)
    writeFileSync(join(folder, 'a.example.crt'), chain)
    assert.equal(await servedFingerprint(proxy.httpsPort, 'a.example'), fingerprint256)
  }
})

test('forwards an unknown ACME challenge to the application', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial)])
  const { status, body } = await proxy.get('http://a.example/.well-known/acme-challenge/its-own?x={y}')
  const { url, headers } = JSON.parse(body)
  assert.deepEqual(
    [status, url, headers.host, headers['x-forwarded-for'], headers['x-forwarded-proto']],
    [200, '/.well-known/acme-challenge/its-own?x={y}', 'a.example', '127.0.0.1', 'http'],
  )
})

test('asks the ACME directory by the outgoing proxy, and forwards challenges without it', async () => {
  await using outgoing = await connectProxy({ targets: {}, credentials: 'ann:p@ss' })
  const url = `http://ann:p%40ss@${outgoing.host}`
  await using application = await startApplication()
  const { proxySettings } = parseConfig({ HTTP_PROXY: url, HTTPS_PROXY: url })
  await using proxy = await startProxy({ outgoing: proxySettings })
  await proxy.loadRules([behind(application.dial)])
  const acme = { directory: 'https://acme.test/directory', email: null, rootsFile: null }
  await proxy.loadKeys({ acme, managed: ['a.example'], issued: ['a.example'] })
  await until('a request to the directory', async () => outgoing.received.length > 0)
  assert.equal((await proxy.get('http://a.example/.well-known/acme-challenge/its-own')).status, 200)
  assert.deepEqual([...new Set(outgoing.received)], ['CONNECT acme.test:443'])
  await until('the order to fail', async () => proxy.acmeLog() !== '')
  assert.doesNotMatch(readFileSync(join(proxy.folder, 'log'), 'utf8') + proxy.acmeLog(), /p@ss|p%40ss/)
})

/** Returns the session ticket that the server sent before its first response, or undefined. */
async function ticketFrom(port: number, version: 'TLSv1.2' | 'TLSv1.3'): Promise<Buffer | undefined> {
  const connection = connect({
    host: '127.0.0.1',
    port,
    servername: 'a.example',
    rejectUnauthorized: false,
    minVersion: version,
    maxVersion: version,
  })
  try {
    connection.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
    const [response] = await once(connection, 'data')
    assert.match(String(response), /^HTTP\/1\.1 200 /)
    assert.equal(connection.getProtocol(), version)
    return connection.getTLSTicket()
  } finally {
    connection.destroy()
  }
}
