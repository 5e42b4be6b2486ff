/** Sessions in a cookie: how they begin, what they may do, and how they end. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { installationToken, startBerth } from '../fixtures/harness.ts'
import { day, minute, password } from './auth-fixture.ts'
import {
  cookieOf,
  exchange,
  pageHeaders,
  type Browser,
  startBrowser,
  startTls,
  tokenOf,
  turnOnFactor,
} from './cookie-fixture.ts'

let browser: Browser
beforeEach(async () => {
  browser = await startBrowser()
})
afterEach(() => browser.close())

const attributes = 'Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict'
const sessions = async (accountId: string) =>
  (await browser.tokens()).filter((it) => it.kind === 'session' && it.accountId === accountId).length
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

interface Listed {
  sessionId: string
  isCurrent: boolean
  passed2FA: boolean
}
const list = async (cookie: string) =>
  JSON.parse((await browser.call('auth.sessions', {}, { cookie })).text) as Listed[]

test('the answer of a sign-in sets the token as a cookie and does not contain it', async () => {
  const answer = await browser.call('auth.signIn', { ...browser.ada, cookie: true })
  const cookie = cookieOf(answer)
  assert.deepEqual(answer.headers['set-cookie'], [`berth=${tokenOf(cookie)}; ${attributes}`])
  assert.deepEqual([answer.json.accessToken, answer.json.expiresAt], ['', '2030-01-31T00:00:00.000Z'])
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.ok(!answer.text.includes(tokenOf(cookie)))
  assert.ok(!JSON.stringify(browser.berth.logged).includes(tokenOf(cookie)))
  assert.equal((await browser.call('auth.get', {}, { cookie })).json.id, browser.adaId)
})

test('over TLS the cookie is secure and bound to the host, also if the proxy sends no X-Forwarded-Proto', async () => {
  await using end = new AsyncDisposableStack()
  const tls = await startTls(browser.url, end)
  const input = { ...browser.ada, cookie: true }
  const answer = await exchange(tls, '/api/auth.signIn', input, pageHeaders(tls, true))
  const cookie = cookieOf(answer)
  assert.deepEqual(answer.headers['set-cookie'], [`__Host-berth=${tokenOf(cookie)}; ${attributes}; Secure`])
  for (const headers of [{}, { 'x-forwarded-proto': 'https' }]) {
    const read = await exchange(tls, '/api/auth.get', null, { ...pageHeaders(tls, false), cookie, ...headers })
    assert.equal(read.json.id, browser.adaId)
  }
  const ended = await exchange(tls, '/api/auth.logout', {}, { ...pageHeaders(tls, true), cookie })
  assert.deepEqual(ended.headers['set-cookie'], ['__Host-berth=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure'])
})

test('over TLS only the cookie with the prefix counts, for a neighbouring name can set the other one', async () => {
  await using behindProxy = await startBrowser({ BERTH_TRUSTED_PROXIES: '127.0.0.1' })
  const token = tokenOf(await behindProxy.signIn())
  const tls = { 'x-forwarded-proto': 'https' }
  assert.equal((await behindProxy.call('auth.get', {}, { ...tls, cookie: `berth=${token}` })).status, 401)
  assert.equal((await behindProxy.call('auth.get', {}, { ...tls, cookie: `__Host-berth=${token}` })).status, 200)
})

test('without the input `cookie` the answer has the token and sets no cookie', async () => {
  for (const cookie of [undefined, false]) {
    const answer = await browser.call('auth.signIn', { ...browser.ada, cookie })
    assert.match(answer.json.accessToken!, /^berth_sess_/)
    assert.equal(answer.headers['set-cookie'], undefined)
  }
})

test('a refused sign-in sets no cookie', async () => {
  const answer = await browser.call('auth.signIn', { ...browser.ada, password: 'wrong horse', cookie: true })
  assert.deepEqual([answer.status, answer.headers['set-cookie']], [401, undefined])
})

test('an idempotency key stores neither a sign-in nor the token of the cookie', async () => {
  const key = { 'idempotency-key': 'same' }
  const input = { ...browser.ada, cookie: true }
  const cookies = [
    cookieOf(await browser.call('auth.signIn', input, key)),
    cookieOf(await browser.call('auth.signIn', input, key)),
  ]
  assert.notEqual(cookies[0], cookies[1])
  const rows = () => browser.berth.app.db.selectFrom('idempotency').selectAll().execute()
  assert.deepEqual(await rows(), [])
  assert.equal(
    (await browser.call('auth.createToken', { name: 'ci', scope: 'read' }, { cookie: cookies[0], ...key })).status,
    200,
  )
  assert.equal((await rows()).length, 1)
})

test('the first start signs in with a cookie', async () => {
  await using berth = await startBerth()
  const url = new URL(await berth.listen())
  const page = pageHeaders(url, true)
  const input = { ...browser.ada, cookie: true }
  const answer = await exchange(url, '/api/auth.createAdmin', input, { ...page, ...bearer(installationToken) })
  const cookie = cookieOf(answer)
  assert.deepEqual([answer.status, answer.json.accessToken], [200, ''])
  assert.equal((await exchange(url, '/api/project.create', { name: 'shop' }, { ...page, cookie })).status, 200)
})

test('an invitation signs in with a cookie, and replaces no session of the inviter', async () => {
  const cookie = await browser.signIn()
  const { json } = await browser.call('user.invite', { email: 'bob@example.org' }, { cookie })
  const input = { id: json.id, token: json.token, password, cookie: true }
  const answer = await browser.call('auth.createUser', input, bearer(json.token as string))
  const ofBob = cookieOf(answer)
  assert.equal(answer.json.accessToken, '')
  assert.equal((await browser.call('auth.get', {}, { cookie: ofBob })).json.email, 'bob@example.org')
  assert.equal((await browser.call('auth.get', {}, { cookie })).json.id, browser.adaId)
})

test('a second factor is asked for before a cookie is set', async () => {
  const secret = await turnOnFactor(browser, await browser.signIn())
  const missing = await browser.call('auth.signIn', { ...browser.ada, cookie: true })
  assert.deepEqual([missing.status, missing.headers['set-cookie']], [401, undefined])
  const cookie = await browser.signIn({ code: browser.codeOf(secret) })
  assert.deepEqual(
    (await list(cookie)).filter(({ isCurrent }) => isCurrent).map(({ passed2FA }) => passed2FA),
    [true],
  )
})

test('auth.login sets the cookie after the second factor', async () => {
  const first = await browser.signIn()
  const secret = await turnOnFactor(browser, first)
  const challenge = await browser.call('auth.login', { ...browser.ada, cookie: true }, { cookie: first })
  assert.deepEqual([challenge.status, challenge.headers['set-cookie']], [200, undefined])
  const input = { id: browser.adaId, pin: browser.codeOf(secret), cookie: true }
  const answer = await browser.call('auth.verifyLogin2FA', input, bearer(challenge.json.challengeToken as string))
  assert.equal(answer.json.accessToken, '')
  assert.equal((await browser.call('auth.get', {}, { cookie: cookieOf(answer) })).status, 200)
})

test('an expired session is refused, but auth.login accepts it', async () => {
  const cookie = await browser.signIn()
  browser.pass(30 * day)
  assert.equal((await browser.call('auth.get', {}, { cookie })).status, 401)
  const answer = await browser.call('auth.login', { ...browser.ada, cookie: true }, { cookie })
  assert.notEqual(cookieOf(answer), cookie)
})

test('a cookie without a session of Berth is refused like an unknown token', async () => {
  const { json } = await browser.call(
    'auth.createToken',
    { name: 'ci', scope: 'admin' },
    { cookie: await browser.signIn() },
  )
  for (const token of ['', 'x', 'berth_sess_unknown', installationToken, json.token as string]) {
    assert.equal((await browser.call('auth.get', {}, { cookie: `berth=${token}` })).status, 401, token)
  }
})

test('of several cookies, as on localhost with two installations, the one of a session counts', async () => {
  const cookie = await browser.signIn()
  const others = ['berth=berth_sess_other', '__Host-berth=berth_sess_other', 'theme=dark']
  assert.equal((await browser.call('auth.get', {}, { cookie: [...others, cookie].join('; ') })).status, 200)
})

test('a session in a cookie is a session: it lists itself and creates tokens', async () => {
  await browser.signIn()
  const cookie = await browser.signIn()
  const current = (await list(cookie)).filter(({ isCurrent }) => isCurrent)
  assert.equal(current.length, 1)
  assert.equal((await browser.call('auth.createToken', { name: 'ci', scope: 'read' }, { cookie })).status, 200)
  const verified = await browser.call('auth.verifyToken', {}, { cookie })
  assert.deepEqual([verified.json.kind, verified.json.accountId], ['session', browser.adaId])
  const entries = await browser.berth.app.db.selectFrom('audit').selectAll().orderBy('seq').execute()
  const { operation, kind, tokenId, accountId } = entries.at(-1)!
  assert.deepEqual(
    [operation, kind, tokenId, accountId],
    ['auth.createToken', 'session', current[0]!.sessionId, browser.adaId],
  )
})

test('a sign-out ends the session and removes the cookie', async () => {
  const cookie = await browser.signIn()
  const answer = await browser.call('auth.logout', {}, { cookie })
  assert.deepEqual(answer.headers['set-cookie'], ['berth=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict'])
  assert.equal((await browser.call('auth.get', {}, { cookie })).status, 401)
})

test('the end of the current session removes the cookie, and the end of another one does not', async () => {
  await browser.signIn()
  const cookie = await browser.signIn()
  const all = await list(cookie)
  const [other, own] = [false, true].map((isCurrent) => all.find((it) => it.isCurrent === isCurrent)!.sessionId)
  const first = await browser.call('auth.revokeSession', { sessionId: other }, { cookie })
  const last = await browser.call('auth.revokeSession', { sessionId: own }, { cookie })
  assert.deepEqual([first.headers['set-cookie'], last.headers['set-cookie']?.length], [undefined, 1])
})

test('a new password ends the other sessions, also those in a cookie', async () => {
  const [cookie, other] = [await browser.signIn(), await browser.signIn()]
  browser.pass(minute)
  const update = { email: null, password: 'another long password' }
  assert.equal((await browser.call('auth.update', update, { cookie })).status, 200)
  assert.equal((await browser.call('auth.get', {}, { cookie })).status, 200)
  assert.equal((await browser.call('auth.get', {}, { cookie: other })).status, 401)
  assert.equal(await sessions(browser.adaId), 1)
})

test('if a bearer token is sent too, it counts alone', async () => {
  const cookie = await browser.signIn()
  const { token, id } = await browser.berth.user()
  const otherPage = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', host: 'evil.example' }
  const both = { cookie, ...bearer(token), ...otherPage }
  assert.equal((await browser.call('auth.get', {}, both)).json.id, id)
  assert.equal((await browser.call('auth.get', {}, { cookie, ...bearer('berth_sess_unknown') })).status, 401)
  assert.equal((await browser.call('auth.get', {}, { cookie, authorization: 'Bearer' })).status, 401)
  const ended = await browser.call('auth.logout', {}, both)
  assert.deepEqual([ended.status, ended.headers['set-cookie']], [200, undefined])
  assert.equal((await browser.call('auth.get', {}, { cookie })).status, 200)
})

test('the password of a proxy (Basic) does not replace the cookie', async () => {
  const cookie = await browser.signIn()
  assert.equal((await browser.call('auth.get', {}, { cookie, authorization: 'Basic YTpi' })).status, 200)
})
