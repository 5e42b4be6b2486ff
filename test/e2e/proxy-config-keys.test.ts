/** How the front is given certificates: at once, without a loss, by name alone, and nobody else. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { loopbackOf } from '../../src/routing/caddy/launch.ts'
import { behind, keysSecret, startApplication, startProxy } from './caddy.ts'
import { dateIn, pairOf } from './certificate-files.ts'
import { askAt } from './routing-world.ts'
import { handshake, shown } from './tls-client.ts'
import { startTraffic } from './traffic.ts'

const swaps = 200

test(`${swaps} changes of a certificate cost none of 200 requests a second, and each is seen by the next client`, async () => {
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
    ask: (url, asked) => askAt(proxy, url, asked.agent === undefined ? { tls } : { tls, agent }),
  })
  const late: number[] = []
  for (let at = 1; at <= swaps; at++) {
    await proxy.loadKeys({ pairs: [pairs[at % 2]!] })
    if ((await shown(proxy.httpsPort, 'a.example')) !== pairs[at % 2]!.fingerprint256) late.push(at)
  }
  const { answers, faults } = await traffic.stop()
  agent.destroy()
  assert.deepEqual([late, faults], [[], []])
  assert.ok(answers > 400, `${answers} answers`)
  await proxy.loadKeys()
  await assert.rejects(handshake(proxy.httpsPort, 'a.example', tls), /alert/)
})

test('no client is given a ticket, by which it could come back when the certificate is gone', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial)])
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example'] })] })
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.equal(await ticketFrom(proxy.httpsPort, version), undefined, version)
  }
})

test('a name without a certificate and a client without a name are told so at once, and nothing is asked', async () => {
  await using proxy = await startProxy()
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example', '*.w.example'] })] })
  for (const name of ['b.example', 'w.example', 'x.y.w.example', 'a.example.', '*.w.example', '{env.SECRET}', '']) {
    const began = performance.now()
    assert.equal(await shown(proxy.httpsPort, name), '', name)
    assert.ok(performance.now() - began < 5000, `${name}: ${performance.now() - began} ms`)
  }
  assert.notEqual(await shown(proxy.httpsPort, 'A.W.EXAMPLE'), '')
  assert.ok(!existsSync(join(proxy.folder, 'front', 'caddy', 'acme')), 'no account, no order')
  assert.ok(!/acme|obtain/.test(readFileSync(join(proxy.folder, 'log'), 'utf8')))
})

test('only who knows the secret is given a key, and the secret is in no log', async () => {
  await using proxy = await startProxy()
  await proxy.loadRules([])
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example'] })] })
  const url = `http://${loopbackOf(proxy.folder).certificates}/?server_name=a.example`
  const ask = async (authorization: string) => {
    const [answer] = await once(get(url, { agent: false, headers: { authorization } }), 'response')
    let body = ''
    for await (const piece of answer) body += String(piece)
    return [answer.statusCode, body.includes('PRIVATE KEY')]
  }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  assert.deepEqual(await ask(basic(`front:${keysSecret}`)), [200, true])
  for (const it of ['', basic('front:'), basic(`front:${keysSecret}x`)]) assert.deepEqual(await ask(it), [404, false])
  for (const path of ['/', '/?server_name=a.example', '/.well-known/acme-challenge/x?server_name=a.example']) {
    assert.ok(!(await proxy.get(`http://a.example${path}`)).body.includes('KEY'), path)
  }
  await proxy.end('keys')
  assert.equal(await shown(proxy.httpsPort, 'a.example'), '')
  assert.ok(!readFileSync(join(proxy.folder, 'log'), 'utf8').includes(keysSecret))
})

test('what ACME stored is served from there, before what has ended', async () => {
  await using proxy = await startProxy()
  const [ended, first, next] = [
    pairOf({ names: ['a.example'], days: [dateIn(-9), dateIn(-1)] }),
    pairOf({ names: ['a.example'] }),
    pairOf({ names: ['a.example'] }),
  ]
  const acme = { directory: 'https://ca.example:14000/Dir/', email: null, rootsFile: null }
  await proxy.loadKeys({ acme, pairs: [ended], issued: ['a.example'] })
  assert.equal(await shown(proxy.httpsPort, 'a.example'), ended.fingerprint256)
  const folder = join(proxy.folder, 'storage', 'certificates', 'ca.example-14000-dir', 'a.example')
  mkdirSync(folder, { recursive: true })
  for (const { chain, key, fingerprint256 } of [first, next]) {
    writeFileSync(join(folder, 'a.example.key'), key)
    writeFileSync(join(folder, 'a.example.crt'), chain)
    assert.equal(await shown(proxy.httpsPort, 'a.example'), fingerprint256)
  }
})

test('questions in the way of ACME that are not its own come to the application', async () => {
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

/** A ticket comes before the answer to what was asked; undefined where none has come by then. */
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
    const [answer] = await once(connection, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 200 /)
    assert.equal(connection.getProtocol(), version)
    return connection.getTLSTicket()
  } finally {
    connection.destroy()
  }
}
