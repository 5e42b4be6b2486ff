/** Behind a reverse proxy: which address limits, sessions, the audit log and the log count, and whether cookies are Secure. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, test } from 'node:test'
import { installationToken, startBerth } from '../fixtures/harness.ts'

/** Two peers on loopback. Only the first is a trusted proxy. */
const [proxy, stranger] = ['127.0.0.1', '127.0.0.2']
const [client, neighbour] = ['198.51.100.7', '203.0.113.9']
const ada = { email: 'ada@example.org', password: 'correct horse battery' }

const berth = await startBerth({ env: { BERTH_TRUSTED_PROXIES: `${proxy},10.0.0.0/8` } })
after(() => berth.close())
const url = new URL(await berth.listen())
await berth.call('auth.createAdmin', ada, installationToken)

async function post(peer: string, name: string, input: object, headers: Record<string, string> = {}) {
  const sent = request(new URL(`/api/${name}`, url), {
    method: 'POST',
    localAddress: peer,
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  })
  sent.end(JSON.stringify(input))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += chunk
  return { status: answer.statusCode!, headers: answer.headers, body: JSON.parse(text) as { accessToken: string } }
}

const signInFrom = (peer: string, chain: string, input: object = {}) =>
  post(peer, 'auth.signIn', { ...ada, ...input }, { 'x-forwarded-for': chain })

const origins: [what: string, peer: string, chain: string, address: string][] = [
  ['a client of the proxy', proxy, client, client],
  ['a client that sends a chain of its own', proxy, `${neighbour}, ${client}`, client],
  ['a client behind two proxies', proxy, `${neighbour}, ${client}, 10.1.0.5, 10.9.9.9`, client],
  ['a container, also in a trusted network', proxy, `${client}, 10.0.0.7`, '10.0.0.7'],
  ['a stranger that sends a chain', stranger, client, stranger],
]

for (const [what, peer, chain, address] of origins) {
  test(`sessions, the audit log and the log have the address of ${what}`, async () => {
    const { body } = await signInFrom(peer, chain)
    const as = body.accessToken
    const { body: sessions } = await berth.call<{ isCurrent: boolean; address: string }[]>('auth.sessions', {}, as)
    assert.equal(sessions.find(({ isCurrent }) => isCurrent)!.address, address)
    const { body: entries } = await berth.call<{ address: string }[]>('audit.all', { order: 'desc', limit: 1 }, as)
    assert.equal(entries[0]!.address, address)
    const logged = berth.logged.filter((line) => JSON.stringify(line).includes('"auth.signIn"'))
    assert.ok(JSON.stringify(logged.at(-1)).includes(`"address":"${address}"`), JSON.stringify(logged.at(-1)))
  })
}

test('the limit of one client of the proxy stops no other, and a stranger cannot choose its address', async () => {
  const wrong = { password: 'not the password' }
  const guess = async (peer: string, chainOf: (count: number) => string) => {
    const statuses: number[] = []
    for (let count = 0; count < 11; count++) statuses.push((await signInFrom(peer, chainOf(count), wrong)).status)
    return statuses
  }
  const limited = [...Array<number>(10).fill(401), 429]
  assert.deepEqual(await guess(proxy, () => '198.51.100.99'), limited)
  assert.deepEqual(await guess(stranger, (count) => `198.51.100.${count}`), limited)
  assert.equal((await signInFrom(proxy, neighbour)).status, 200)
})

test('X-Forwarded-Proto of the proxy alone decides whether the cookie is Secure', async () => {
  const page = { origin: url.origin, 'sec-fetch-site': 'same-origin' }
  const cookieFrom = async (peer: string, proto: string, headers: Record<string, string> = page) => {
    const sent = { ...headers, 'x-forwarded-proto': proto, 'x-forwarded-for': neighbour }
    const { headers: answered } = await post(peer, 'auth.signIn', { ...ada, cookie: true }, sent)
    return /; Secure/.test(answered['set-cookie']?.join() ?? '') ? 'secure' : answered['set-cookie'] !== undefined
  }
  const tls = { ...page, origin: url.origin.replace('http:', 'https:') }
  assert.equal(await cookieFrom(proxy, 'http'), true)
  assert.equal(await cookieFrom(proxy, 'https', tls), 'secure')
  assert.equal(await cookieFrom(proxy, 'https'), false, 'a page without TLS is refused')
  // Another stranger: the first one has to wait.
  assert.equal(await cookieFrom('127.0.0.3', 'https'), true)
})
