/** How the front is given certificates: at once, without a loss, by name alone, and nobody else. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { loopbackOf } from '../../src/proxy/launch.ts'
import { behind, dateIn, keysSecret, pairOf, type Proxy, startApplication, startProxy } from './caddy.ts'
import type { Reply } from './routing-world.ts'
import { handshake, shown } from './tls-client.ts'
import { startTraffic } from './traffic.ts'

const swaps = 200

test(`${swaps} changes of a certificate cost none of 200 requests a second, and each is seen by the next client`,
  async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial)])
  const pairs = [pairOf({ names: ['a.example'] }), pairOf({ names: ['a.example'], type: 'rsa' })] as const
  await proxy.loadKeys({ pairs: [pairs[0]] })
  const agent = new https.Agent({ keepAlive: true, maxSockets: 8 })
  const traffic = startTraffic({ perSecond: 200, url: 'https://a.example/page', ask: (url, asked) =>
    askTls(proxy, url, asked.agent === undefined ? undefined : agent) })
  const ticket = await sessionOf(proxy.httpsPort)
  const late: number[] = []
  for (let at = 1; at <= swaps; at++) {
    await proxy.loadKeys({ pairs: [pairs[at % 2]!] })
    if (await shown(proxy.httpsPort, 'a.example') !== pairs[at % 2]!.fingerprint256) late.push(at)
  }
  const { answers, faults } = await traffic.stop()
  agent.destroy()
  assert.deepEqual([late, faults], [[], []])
  assert.ok(answers > 400, `${answers} answers`)
  await proxy.loadKeys()
  await assert.rejects(handshake(proxy.httpsPort, 'a.example', { rejectUnauthorized: false, session: ticket }), /alert/,
    'who was there before is no exception')
})

test('a name without a certificate and a client without a name are told so at once, and nothing is asked', async () => {
  await using proxy = await startProxy()
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example', '*.w.example'] })] })
  for (const name of ['b.example', 'w.example', 'x.y.w.example', 'a.example.', '*.w.example', '{env.SECRET}', '']) {
    const began = performance.now()
    assert.equal(await shown(proxy.httpsPort, name), '', name)
    assert.ok(performance.now() - began < 500, `${name}: ${performance.now() - began} ms`)
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
  const [ended, first, next] = [pairOf({ names: ['a.example'], days: [dateIn(-9), dateIn(-1)] }),
    pairOf({ names: ['a.example'] }), pairOf({ names: ['a.example'] })]
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
  assert.deepEqual([status, url, headers.host, headers['x-forwarded-for'], headers['x-forwarded-proto']],
    [200, '/.well-known/acme-challenge/its-own?x={y}', 'a.example', '127.0.0.1', 'http'])
})

function askTls(proxy: Proxy, url: string, agent: https.Agent | undefined): Promise<Reply> {
  const { hostname, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = https.get({ host: '127.0.0.1', port: proxy.httpsPort, servername: hostname, path: pathname,
      headers: { host: hostname }, agent: agent ?? false, rejectUnauthorized: false }, (answer) => {
      answer.resume().on('error', reject)
        .on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body: '' }))
    })
    asked.on('error', reject)
  })
}

/** A ticket by which a client could come back; undefined where it is given none. */
async function sessionOf(port: number): Promise<Buffer | undefined> {
  const connection = connect({ host: '127.0.0.1', port, servername: 'a.example', rejectUnauthorized: false })
  let ticket: Buffer | undefined
  connection.on('session', (it: Buffer) => { ticket = it })
  await once(connection, 'secureConnect')
  await pause(50)
  connection.destroy()
  return ticket
}
