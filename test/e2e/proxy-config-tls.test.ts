/** Certificates and ACME: a real Caddy runs the configurations of `src/routing/caddy`, and real clients connect. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { test } from 'node:test'
import { acmeStates } from '../../src/routing/caddy/acme-log.ts'
import { until } from '../engine/until.ts'
import { behind, rule, startApplication, startProxy } from './caddy.ts'
import { dateIn, makeCertificate, pairOf } from './certificate-files.ts'
import { handshake } from './tls-client.ts'

test('serves for each name the newest valid certificate, and prefers an exact name to a wildcard', async () => {
  await using proxy = await startProxy()
  const shared = pairOf({ names: ['a.example', 'b.example'], days: [dateIn(-20), dateIn(9)] })
  const newest = pairOf({ names: ['a.example'], days: [dateIn(-2), dateIn(9)], type: 'rsa' })
  const early = pairOf({ names: ['a.example'], days: [dateIn(1), dateIn(9)] })
  const expired = pairOf({ names: ['a.example', 'old.example'], days: [dateIn(-1), dateIn(-0.5)] })
  const wildcard = pairOf({ names: ['*.w.example'], days: [dateIn(-1), dateIn(9)] })
  const exact = pairOf({ names: ['x.w.example'], days: [dateIn(-3), dateIn(9)] })
  const many = Array.from({ length: 40 }, (_, i) => pairOf({ names: [`n${i}.example`, 'n.example'] }))
  const served = (name: string) => handshake(proxy.httpsPort, name, { rejectUnauthorized: false })
  await proxy.loadKeys({ pairs: [wildcard, exact] })
  assert.deepEqual(
    [await served('x.w.example'), await served('y.w.example')],
    [exact.fingerprint256, wildcard.fingerprint256],
  )
  await proxy.loadKeys({ pairs: [shared, newest, early, expired, wildcard, exact, ...many] })
  const expected = {
    'a.example': newest,
    'b.example': shared,
    'old.example': expired,
    'x.w.example': exact,
    'y.w.example': wildcard,
    'A.EXAMPLE': newest,
    'n7.example': many[7]!,
    'n39.example': many[39]!,
  }
  for (const [name, pair] of Object.entries(expected)) assert.equal(await served(name), pair.fingerprint256, name)
  await assert.rejects(served('c.example'), /alert/)
  await proxy.loadKeys({ pairs: [shared] })
  assert.equal(await served('a.example'), shared.fingerprint256, 'a removed certificate is not served any more')
  await assert.rejects(served('y.w.example'), /alert/)
})

test('believes a trusted proxy about the client and its TLS, and nobody else', async () => {
  await using application = await startApplication()
  const sent = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
  const read = async (trustedProxies: string[], tls: 'auto' | null) => {
    await using proxy = await startProxy({ trustedProxies })
    await proxy.loadRules([behind(application.dial, { tls, redirects: [rule('^https://a\\.example/old$', '/new')] })])
    const { status, headers, body } = await proxy.get('http://a.example/', { headers: sent })
    const old = await proxy.get('http://a.example/old', { headers: sent })
    if (status !== 200) return [status, headers.location, old.status]
    const got = (JSON.parse(body) as { headers: Record<string, string> }).headers
    return [got['x-forwarded-proto'], got['x-forwarded-for'], old.headers.location]
  }
  const trusted = ['https', '203.0.113.9, 127.0.0.1', '/new']
  assert.deepEqual(await read(['127.0.0.0/8'], 'auto'), trusted)
  assert.deepEqual(await read(['127.0.0.0/8'], null), trusted)
  assert.deepEqual(await read(['192.0.2.0/24'], null), ['http', '127.0.0.1', undefined])
  assert.equal((await read([], 'auto'))[0], 301)
})

test('redirects plain HTTP if tls=auto, and forwards HTTP/2 requests over TLS unchanged', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadKeys({ pairs: [pairOf({ names: ['a.example'] })] })
  await proxy.loadRules([
    behind(application.dial, { tls: 'auto', redirects: [rule('^https://a\\.example/old$', '/new')] }),
  ])
  const plain = await proxy.get('http://a.example/x?y={z}')
  assert.deepEqual([plain.status, plain.headers.location], [301, `https://a.example:${proxy.httpsPort}/x?y={z}`])
  assert.equal((await proxy.get('http://a.example/x', { method: 'POST' })).status, 308)
  const session = connectHttp2(`https://127.0.0.1:${proxy.httpsPort}`, {
    servername: 'a.example',
    rejectUnauthorized: false,
  })
  const ask = (path: string, authority = 'a.example') =>
    new Promise<{ status: unknown; location: unknown; body: string }>((resolve, reject) => {
      const stream = session.request({ ':path': path, ':authority': authority })
      let [body, status, location]: [string, unknown, unknown] = ['', 0, undefined]
      stream
        .on('response', (headers) => {
          ;[status, location] = [headers[':status'], headers.location]
        })
        .on('data', (chunk) => {
          body += chunk
        })
        .on('end', () => resolve({ status, location, body }))
        .on('error', reject)
        .end()
    })
  const { status, body } = await ask('/p?q={env.SECRET}')
  assert.deepEqual(
    [status, JSON.parse(body).url, JSON.parse(body).headers['x-forwarded-proto']],
    [200, '/p?q={env.SECRET}', 'https'],
  )
  assert.deepEqual(await ask('/old'), { status: 302, location: '/new', body: '' })
  assert.ok([400, 404].includes(Number((await ask('/', '{env.SECRET}.example')).status)))
  session.close()
})

test('reports an ACME server that does not answer, with the time of the next attempt', async () => {
  await using proxy = await startProxy()
  mkdirSync(join(proxy.folder, 'roots'))
  writeFileSync(join(proxy.folder, 'roots', 'ca.pem'), makeCertificate({ names: ['ca.example'], ca: true }).chain)
  await proxy.loadKeys({
    managed: ['a.example'],
    acme: {
      directory: 'https://127.0.0.1:1/directory',
      email: 'ops@example.org',
      rootsFile: join(proxy.folder, 'roots', 'ca.pem'),
    },
  })
  const state = await until('the failure', async () => {
    const current = acmeStates(proxy.acmeLog()).get('a.example')
    return current?.nextTryAt ? current : null
  })
  assert.match(state.error!, /connection refused/)
  assert.ok(state.nextTryAt!.getTime() - state.at.getTime() >= 60_000)
})

test('a configuration that Caddy rejects changes nothing', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial, { redirects: [rule('/a', 'https://x.example/')] })])
  const config = JSON.parse(await proxy.configOf('rules'))
  config.apps.http.servers.rules.routes[3].handle[0].mappings[0].input_regexp = '(?=a)'
  await assert.rejects(proxy.loadRulesConfig(config), /400 .*invalid or unsupported Perl syntax/)
  assert.equal((await proxy.get('http://a.example/a')).status, 302)
})
