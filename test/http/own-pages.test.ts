/** Which requests with a cookie Berth accepts: those of its own pages, under a host name that it knows. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hostname } from 'node:os'
import { issueToken } from '../../src/accounts/tokens.ts'
import { operations } from '../../src/operations.ts'
import { installationToken } from '../fixtures/harness.ts'
import { exchange as exchangeText } from './raw.ts'
import { exchange, pageHeaders, type Browser, startBrowser } from '../accounts/cookie-fixture.ts'

let browser: Browser
let cookie: string
before(async () => {
  browser = await startBrowser({
    BERTH_PUBLIC_HOST: 'DB.example.org',
    BERTH_HOSTS: 'berth.example.org,berth.lan',
    BERTH_TRUSTED_PROXIES: '127.0.0.1',
  })
  cookie = await browser.signIn()
})
after(() => browser.close())

const create = { name: 'shop' }
const foreign = { origin: 'https://evil.example' }
const neighbour = { 'sec-fetch-site': 'same-site' }

/** The answers to a read, to a change, to two streams and to the metrics. */
const statusesOf = async (headers: Record<string, string | undefined>) => {
  const sent = { cookie, ...headers }
  const answers = [
    await browser.call('project.all', {}, sent),
    await browser.call('project.create', create, sent),
    await browser.send('/api/events', null, sent),
    await browser.call('postgres.logs', { postgresId: 'none', follow: true }, sent),
    await browser.send('/metrics', null, sent),
  ]
  for (const { status, json } of answers) if (status === 403) assert.equal(json.code, 'FORBIDDEN')
  return answers.map(({ status }) => status)
}
const accepted = [200, 200, 200, 404, 200]
const refused = [403, 403, 403, 403, 403]

test('a page of Berth may read, change and follow', async () => {
  assert.deepEqual(await statusesOf({}), accepted)
})

test('a page of another origin may nothing, and changes nothing', async () => {
  const projects = () => browser.berth.app.db.selectFrom('project').selectAll().execute()
  const before = await projects()
  for (const headers of [foreign, neighbour, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }]) {
    assert.deepEqual(await statusesOf(headers), refused, JSON.stringify(headers))
  }
  const { origin } = browser.url
  assert.deepEqual(await statusesOf({ origin: origin.replace(/\d+$/, '1') }), refused, 'another port')
  assert.deepEqual(await statusesOf({ origin, 'x-forwarded-proto': 'https' }), refused, 'a page without TLS')
  assert.deepEqual(await projects(), before)
})

test('a request that no header ascribes to a page of Berth is refused', async () => {
  assert.deepEqual(await statusesOf({ origin: undefined, 'sec-fetch-site': undefined }), refused)
  const change = await browser.call('project.create', create, { cookie, origin: undefined })
  assert.deepEqual([change.status, change.json.message?.includes('Origin is missing')], [403, true])
})

test('without TLS, where browsers send no Sec-Fetch-Site, reads have the header of the client', async () => {
  assert.deepEqual(await statusesOf({ 'sec-fetch-site': undefined, 'berth-session': 'cookie' }), accepted)
})

test('a preflight is not answered, and no answer allows another origin', async () => {
  const preflight = {
    ...foreign,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'berth-session',
  }
  for (const path of ['/api/project.all', '/api/events', '/metrics', '/']) {
    const answer = await browser.berth.server.inject({ method: 'OPTIONS', url: path, headers: preflight })
    assert.equal(answer.statusCode, 405)
    assert.deepEqual(corsHeaders(answer.headers), [])
  }
  const { token } = await browser.berth.admin()
  const read = await browser.call('project.all', {}, { ...foreign, authorization: `Bearer ${token}` })
  assert.deepEqual([read.status, corsHeaders(read.headers)], [200, []])
})

const corsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'))

test('no sign-in sets a cookie for another page, nor under an unknown host name, and none writes', async () => {
  const signIns = operations.filter(({ input }) => Object.hasOwn(input.shape, 'cookie')).map(({ name }) => name)
  assert.equal(signIns.length, 5)
  const { app } = browser.berth
  const fields = { id: app.newId(), kind: 'challenge', accountId: browser.adaId, address: '' } as const
  const challenge = await app.transact((tx) => issueToken(tx, fields, app.now()))
  const before = await browser.tokens()
  const input = { ...browser.ada, id: browser.adaId, token: 'x', pin: '000000', cookie: true }
  for (const name of signIns) {
    const bearer = name === 'auth.verifyLogin2FA' ? challenge.token : installationToken
    const headers = { authorization: `Bearer ${bearer}` }
    for (const page of [foreign, neighbour, { origin: undefined }, { host: 'evil.example' }]) {
      const answer = await browser.call(name, input, { ...headers, ...page })
      assert.deepEqual(
        [answer.status, answer.json.code, answer.headers['set-cookie']],
        [403, 'FORBIDDEN', undefined],
        name,
      )
    }
  }
  assert.deepEqual(await browser.tokens(), before)
})

test('an unknown host name is refused with the setting to change, for cookies only', async () => {
  const { token } = await browser.berth.admin()
  for (const host of ['evil.example', 'evil.example:3000', 'localhost.evil.example', 'example.org']) {
    const page = { host, origin: `http://${host}` }
    assert.deepEqual(await statusesOf(page), refused, host)
    assert.match((await browser.call('project.all', {}, { cookie, ...page })).json.message!, /BERTH_HOSTS/)
    const program = await exchange(browser.url, '/api/project.all', null, { host, authorization: `Bearer ${token}` })
    assert.equal(program.status, 200, host)
  }
})

test('the console is refused under an unknown host name, and the reference is not', async () => {
  const statusOf = async (path: string, host: string) =>
    (await exchange(browser.url, path, null, { host, accept: 'text/html' })).status
  for (const path of ['/', '/projects']) assert.equal(await statusOf(path, 'evil.example'), 403, path)
  assert.deepEqual([await statusOf('/', 'berth.lan'), await statusOf('/docs', 'evil.example')], [200, 200])
})

test('addresses, localhost, the name of the machine and the names of the settings are known', async () => {
  const names = ['localhost', '192.0.2.7:3000', '[::1]:3000', 'db.example.org', 'berth.lan:3000', 'berth.example.org']
  for (const host of [...names, hostname()]) {
    assert.deepEqual(await statusesOf({ host, origin: `http://${host.toLowerCase()}` }), accepted, host)
  }
  const final = { host: 'BERTH.example.org.', origin: 'http://berth.example.org.' }
  assert.deepEqual(await statusesOf(final), accepted)
})

test('a call without a token and a cookie is refused as before', async () => {
  const answer = await exchange(browser.url, '/api/project.all', null, pageHeaders(browser.url, false))
  assert.equal(answer.status, 401)
})

test('a request with several hosts is refused, for cookies and pages only', async () => {
  const { token } = await browser.berth.admin()
  const { host } = browser.url
  const session = ['Sec-Fetch-Site: same-origin', `Cookie: ${cookie}`]
  const statusOf = async (target: string, headers: string[]) => {
    const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, 'Connection: close']
    return (await exchangeText(browser.url.href, `${lines.join('\r\n')}\r\n\r\n`)).split(' ', 2)[1]
  }
  const twice = 'Host: evil.example'
  assert.deepEqual(
    [
      await statusOf('/api/project.all', session),
      await statusOf('/api/project.all', [twice, ...session]),
      await statusOf('http://evil.example/api/project.all', session),
      await statusOf('http://evil.example/', ['Accept: text/html']),
      await statusOf('/projects', [twice, 'Accept: text/html']),
      await statusOf('/api/project.all', [twice, `Authorization: Bearer ${token}`]),
    ],
    ['200', '403', '403', '403', '403', '200'],
  )
})
