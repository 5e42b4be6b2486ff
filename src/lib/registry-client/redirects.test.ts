/** Tests that no redirect brings credentials to another host, and that only safe redirects are followed. */
import assert from 'node:assert/strict'
import https from 'node:https'
import { test } from 'node:test'
import { certificateData, privateKey } from '../../../test/fixtures/long-lived-certificate.ts'
import {
  assertFault,
  challenge,
  listen,
  type Reply,
  rightAuthorization,
  serve,
  signIn,
} from '../../../test/fixtures/registry-server.ts'

test('sends no credentials to a host to which the registry redirects, and refuses the login', async (t) => {
  const far = await serve(t, (_, response) => response.writeHead(401, challenge('Basic')).end())
  const { host } = await serve(t, (_, response) =>
    response.writeHead(307, { location: `http://u:p@${far.host}/v2/` }).end(),
  )
  await assertFault(signIn(host), 'redirected', new RegExp(`redirects to ${far.host}`))
  assert.deepEqual(far.received, [])
})

test('sends no credentials to a host to which the token server redirects', async (t) => {
  const far = await serve(t, (_, response) => response.writeHead(401).end())
  for (const status of [302, 405]) {
    const tokens = await serve(t, (request, response) =>
      request.method === 'POST' || status === 302
        ? response.writeHead(307, { location: `http://${far.host}/token` }).end()
        : response.writeHead(status).end(),
    )
    const { host } = await serve(t, (_, response) =>
      response.writeHead(401, challenge(`Bearer realm="http://${tokens.host}/"`)).end(),
    )
    await assertFault(signIn(host), 'redirected', new RegExp(`to ${far.host}. Berth does not send the password`))
    assert.deepEqual(tokens.received, [rightAuthorization])
  }
  assert.deepEqual(far.received, [])
})

test('refuses a login that is redirected to a host with anonymous access', async (t) => {
  const far = await serve(t, ({ url }, response) => response.end(url === '/v2/' ? '{}' : '{"token":"of-anybody"}'))
  const redirect: Reply = ({ url }, response) => response.writeHead(307, { location: `http://${far.host}${url}` }).end()
  const tokens = await serve(t, redirect)
  const registryReplies: Record<string, Reply> = {
    '': (_, response) => response.writeHead(401, challenge('Basic')).end(),
    [rightAuthorization]: redirect,
  }
  const tokenReplies: Record<string, Reply> = {
    '': (_, response) => response.writeHead(401, challenge(`Bearer realm="http://${tokens.host}/token"`)).end(),
    'Bearer of-anybody': (_, response) => response.end('{}'),
  }
  for (const replies of [registryReplies, tokenReplies]) {
    const { host } = await serve(t, (request, response) =>
      replies[request.headers.authorization ?? '']!(request, response),
    )
    await assertFault(signIn(host), 'redirected', new RegExp(`to ${far.host}. Berth does not send the password`))
  }
  assert.deepEqual(far.received, [])
})

test('does not follow redirects from https to http', async (t) => {
  const far = await serve(t, (_, response) => response.end('{"token":"x"}'))
  let reply: Reply = (_, response) => response.writeHead(302, { location: `http://${far.host}/v2/` }).end()
  const host = await listen(
    t,
    https.createServer(
      { key: privateKey, cert: certificateData },
      (request, response) => void reply(request, response),
    ),
  )
  await assertFault(signIn(host), 'tls', /does not know/)
  await assertFault(signIn(host, { insecure: true }), 'redirected', /from https to http/)
  reply = (_, response) => response.writeHead(401, challenge(`Bearer realm="http://${far.host}/token"`)).end()
  await assertFault(signIn(host, { insecure: true }), 'tls', /password to be sent to .* unencrypted/)
  // insecure applies to the registry only.
  const other = await listen(
    t,
    https.createServer({ key: privateKey, cert: certificateData }, (_, response) => void response.end('{"token":"x"}')),
  )
  const realm = `https://${other.replace('127.0.0.1', 'localhost')}/`
  reply = (_, response) => response.writeHead(401, challenge(`Bearer realm="${realm}"`)).end()
  await assertFault(signIn(host, { insecure: true }), 'tls', /^The certificate of localhost:\d+ is signed/)
  assert.deepEqual(far.received, [])
})

test('follows a redirect from http to https on the same host', async (t) => {
  const received: unknown[] = []
  const secure = await listen(
    t,
    https.createServer({ key: privateKey, cert: certificateData }, ({ headers }, response) => {
      received.push(headers.authorization)
      response.writeHead(headers.authorization === rightAuthorization ? 200 : 401, challenge('Basic')).end('{}')
    }),
  )
  const { host, received: receivedPlain } = await serve(t, ({ url }, response) =>
    response.writeHead(301, { location: `https://${secure}${url}` }).end(),
  )
  assert.deepEqual(await signIn(`http://${host}`, { insecure: true }), { host, isChecked: true })
  assert.deepEqual([received, receivedPlain], [[undefined, rightAuthorization], []])
})
