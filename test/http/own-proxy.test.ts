/** Berth on the unix socket of its proxy, and the addresses of clients behind proxies. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Berth, startBerth } from '../fixtures/harness.ts'

type Headers = Record<string, string>
const client = '203.0.113.5'
const wrong = { email: 'nobody@example.org', password: 'a wrong password' }

/** Sends a call to a socket or a port, and returns the response. */
async function send(
  target: { socketPath: string } | { port: number },
  path: string,
  { headers = {}, body, agent }: { headers?: Headers; body?: object; agent?: Agent } = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  const method = body === undefined ? 'GET' : 'POST'
  const contentType = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = request({
    ...target,
    path,
    method,
    headers: { host: 'berth.example.org', ...contentType, ...headers },
    agent: agent ?? false,
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, headers: response.headers, body: await text(response) }
}

/** The addresses in the audit log, oldest first. */
const addressesOf = async ({ app }: Berth) =>
  (await app.db.selectFrom('audit').select('address').orderBy('seq').execute()).map(({ address }) => address)

async function startOnSocket(env: Headers = {}) {
  const berth = await startBerth({ env: { BERTH_PUBLIC_URL: 'https://berth.example.org', ...env } })
  const socketPath = join(berth.folder, 'proxy', 'berth.socket')
  // Without an account, every sign-in is refused in another way.
  await berth.admin()
  await berth.listen()
  await berth.server.ownProxy.listen(socketPath)
  const { port } = berth.server.server.address() as { port: number }
  return { berth, socketPath, port }
}

test('believes its own proxy, and no other client, about addresses', async () => {
  const { berth, socketPath, port } = await startOnSocket()
  await using _ = berth
  assert.equal(statSync(join(berth.folder, 'proxy')).mode & 0o777, 0o700)
  const headers = { 'x-forwarded-for': client, forwarded: 'for=198.51.100.66' }
  for (const target of [{ socketPath }, { port }]) {
    assert.equal((await send(target, '/api/auth.signIn', { headers, body: wrong })).status, 401)
  }
  assert.deepEqual(await addressesOf(berth), [client, '127.0.0.1'])
  const logged = berth.logged.filter(({ event }) => event === 'request').map(({ fields }) => fields.address)
  assert.deepEqual(logged, [client, '127.0.0.1'])
})

test('counts failed sign-ins of each client behind the proxy', async () => {
  const { berth, socketPath } = await startOnSocket()
  await using _ = berth
  const signIn = async (address: string) =>
    (await send({ socketPath }, '/api/auth.signIn', { headers: { 'x-forwarded-for': address }, body: wrong })).status
  let status = 401
  for (let i = 0; i < 100 && status === 401; i += 1) status = await signIn(client)
  assert.equal(status, 429)
  assert.equal(await signIn(`${client}, 198.51.100.7`), 401)
})

test('believes a proxy of BERTH_TRUSTED_PROXIES', async () => {
  const { berth, port } = await startOnSocket({ BERTH_TRUSTED_PROXIES: '127.0.0.0/8' })
  await using _ = berth
  for (const headers of [{ 'x-forwarded-for': `10.0.0.1, ${client}, 127.0.0.9` }, { forwarded: `for=${client}` }]) {
    await send({ port }, '/api/auth.signIn', { headers, body: wrong })
  }
  assert.deepEqual(await addressesOf(berth), [client, client])
})

test('a session that begins over the proxy has a cookie for TLS alone', async () => {
  const { berth, socketPath } = await startOnSocket()
  await using _ = berth
  const account = { email: 'ada@example.org', password: 'correct horse battery' }
  const { body } = await berth.call<{ id: string; token: string }>('user.invite', { email: account.email })
  const accepted = await berth.call('auth.createUser', { ...body, password: account.password }, body.token)
  assert.equal(accepted.status, 200)
  const origin = 'https://berth.example.org'
  const signIn = (headers: Headers) =>
    send({ socketPath }, '/api/auth.signIn', { headers, body: { ...account, cookie: true } })
  const { status, headers } = await signIn({ origin })
  assert.deepEqual([status, /^__Host-berth=.*; Secure$/.test(String(headers['set-cookie']))], [200, true])
  assert.equal((await signIn({ origin: 'http://berth.example.org' })).status, 403)
  assert.equal((await signIn({ origin, host: 'other.example.org' })).status, 403)
})

test('says that the path of the socket is too long', async () => {
  await using berth = await startBerth()
  const path = join(berth.folder, 'x'.repeat(120))
  await assert.rejects(berth.server.ownProxy.listen(path), /BERTH_DATA is \d+ bytes too long/)
})

test('replaces the socket of a killed process, and ends open connections when it stops', async () => {
  const { berth, socketPath } = await startOnSocket()
  await berth.server.ownProxy.close()
  writeFileSync(socketPath, '')
  await berth.server.ownProxy.listen(socketPath)
  const agent = new Agent({ keepAlive: true })
  assert.equal((await send({ socketPath }, '/healthz', { agent })).status, 200)
  await berth.close()
  agent.destroy()
  await assert.rejects(send({ socketPath }, '/healthz'), /ENOENT/)
})
