/** Tests servers that are not registries or behave in unusual ways: classification, timeouts and limits. */
import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import {
  assertFault,
  challenge,
  listen,
  never,
  type Reply,
  rightAuthorization,
  serve,
  signIn,
  version,
} from '../../../test/fixtures/registry-server.ts'
import { canInheritCredentials, type FaultKind, openRegistry } from './registry.ts'

const answers: [title: string, reply: Reply, kind: FaultKind, messagePattern: RegExp][] = [
  [
    'a web page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
    'notRegistry',
    /web page \(HTTP 200\)/,
  ],
  [
    'another protocol',
    ({ socket }) => socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'broken',
    /connection .* broke/,
  ],
  ['a missing page', (_, response) => response.writeHead(404).end('not found'), 'notRegistry', /HTTP 404/],
  ['another API', (_, response) => response.end('{"version":"1.2"}'), 'notRegistry', /HTTP 200 with other content/],
  [
    'a page behind a password',
    (request, response) =>
      request.headers.authorization === rightAuthorization
        ? response.end('<html>')
        : response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
    'notRegistry',
    /web page/,
  ],
  [
    'a login without a challenge',
    (_, response) => response.writeHead(401).end(),
    'notRegistry',
    /does not say how to log in/,
  ],
  [
    'an unsupported login scheme',
    (_, response) => response.writeHead(401, challenge('Negotiate')).end(),
    'notRegistry',
    /neither Basic nor Bearer/,
  ],
  [
    'a registry that refuses this machine',
    (_, response) => response.writeHead(403, version).end(),
    'rights',
    /refuses requests from this machine/,
  ],
  [
    'too many requests',
    (_, response) => response.writeHead(429, { 'retry-after': '30' }).end(),
    'limited',
    /in 30 seconds/,
  ],
  [
    'an internal error',
    (_, response) => response.writeHead(503, version).end(),
    'answer',
    /internal error \(HTTP 503\)/,
  ],
  ['a broken connection', (_, response) => response.destroy(), 'broken', /connection to .* broke/],
  [
    'a missing token server',
    (_, response) => response.writeHead(401, challenge('Bearer service="x"')).end(),
    'notRegistry',
    /names no token server/,
  ],
  [
    'a wrong password',
    (_, response) => response.writeHead(401, challenge('Basic')).end(),
    'credentials',
    /rejected this username and password/,
  ],
  [
    'headers that are too large',
    (_, response) => response.writeHead(200, { long: 'x'.repeat(40_000) }).end(),
    'notRegistry',
    /valid HTTP/,
  ],
  [
    'a redirect loop',
    (_, response) => response.writeHead(302, { location: '/v2/' }).end(),
    'redirected',
    /redirects too many times/,
  ],
  [
    'a redirect to an invalid URL',
    (_, response) => response.writeHead(302, { location: 'ftp://a/b' }).end(),
    'redirected',
    /invalid URL/,
  ],
]
for (const [title, reply, kind, messagePattern] of answers) {
  test(`recognizes ${title}`, async (t) => {
    await assertFault(signIn((await serve(t, reply)).host), kind, messagePattern)
  })
}

test('sends no request to a metadata service, as registry, redirect target or token server', async (t) => {
  for (const host of ['169.254.169.254', 'http://0xA9FEA9FE', '[::ffff:a9fe:a9fe]:5000']) {
    await assertFault(signIn(host), 'egress', /link-local address or a metadata service.*BERTH_EGRESS_ALLOW/)
  }
  const byToken = await serve(t, (_, response) =>
    response.writeHead(401, challenge('Bearer realm="http://169.254.169.254/t"')).end(),
  )
  const redirecting = await serve(t, (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  )
  await assertFault(signIn(byToken.host), 'egress', /^169\.254\.169\.254 is a link-local/)
  await assertFault(signIn(redirecting.host), 'redirected', /redirects to 169\.254\.169\.254/)
})

test('recognizes a missing server and a server without HTTP', async (t) => {
  await assertFault(signIn('127.0.0.1:1'), 'refused', /refused the connection/)
  await assertFault(signIn('no-such-host.invalid'), 'name', /^The name no-such-host\.invalid could not be resolved/)
  const other = await listen(
    t,
    net.createServer((socket) => socket.end('220 mail\r\n')),
  )
  await assertFault(signIn(`http://${other}`), 'notRegistry', /does not speak valid HTTP/)
})

test('times out before an answer, within an answer, and at the token server', async (t) => {
  const silent = await listen(t, net.createServer())
  const half = await serve(t, (_, response) => response.writeHead(200, version).write('{'))
  const silentTokenServer = await serve(t, (_, response) =>
    response.writeHead(401, challenge(`Bearer realm="http://${silent}/"`)).end(),
  )
  for (const host of [silent, `http://${silent}`, half.host, silentTokenServer.host])
    await assertFault(signIn(host, { limitMs: 300 }), 'timeout', /did not answer within 0\.3 seconds/)
  const aborted = AbortSignal.timeout(100)
  await assert.rejects(signIn(silent, {}, aborted), { name: 'TimeoutError' })
})

test('does not read an answer of 2 GiB to its end', async (t) => {
  const part = Buffer.alloc(1024 * 1024, ' ')
  for (const status of [200, 401, 404]) {
    let sent = 0
    const { host } = await serve(t, (_, response) => {
      response.writeHead(status, { ...challenge('Basic'), 'content-length': 2048 * part.length })
      const more = () => {
        while (!response.destroyed && response.write(part)) sent += part.length
        sent += part.length
        response.once('drain', more)
      }
      more()
    })
    await assertFault(signIn(host), 'notRegistry', /larger than 1 MiB/)
    assert.ok(sent < 64 * part.length, `${sent} bytes`)
  }
})

test('refuses an invalid token', async (t) => {
  for (const body of ['{}', '<html>', '{"token":""}', '{"token":"a\\r\\nb"}', '{"token":7}', 'null']) {
    const tokens = await serve(t, (_, response) => response.end(body))
    const { host } = await serve(t, (_, response) =>
      response.writeHead(401, challenge(`Bearer realm="http://${tokens.host}/"`)).end(),
    )
    await assertFault(signIn(host), 'answer', /issued no token \(HTTP 200\)/)
  }
})

test('sends the credentials to a registry with anonymous access, which can refuse them', async (t) => {
  const { host, received } = await serve(t, ({ headers }, response) =>
    response.writeHead(headers.authorization === undefined ? 200 : 401, challenge('Basic')).end('{}'),
  )
  await assertFault(signIn(host), 'credentials')
  assert.deepEqual(received, [rightAuthorization])
  const open = await serve(t, (_, response) => response.end('{}'))
  assert.deepEqual(await signIn(open.host), { host: open.host, isChecked: false })
})

test('refuses invalid lists, and stops reading endless lists', async (t) => {
  let body = '{}'
  let link = ''
  const { host } = await serve(t, ({ url }, response) =>
    response.writeHead(200, { ...version, link }).end(url === '/v2/' ? '{}' : body),
  )
  using registry = openRegistry({ registryUrl: host, username: 'name', password: 'a-secret' })
  const all = (maxCount = 10) => registry.catalogue(maxCount, null, never)
  assert.deepEqual(await all(), { names: [], isWhole: true })
  for (body of ['{"repositories":7}', '{"repositories":[1]}', '{"repositories":{}}']) {
    await assertFault(all(), 'notRegistry')
  }
  body = '{"repositories":["a"]}'
  link = '</v2/_catalog?last=a>; rel="next"'
  assert.deepEqual(await all(3), { names: ['a', 'a', 'a'], isWhole: false })
  body = '{"repositories":null}'
  assert.deepEqual(await all(), { names: [], isWhole: false })
  link = '<http://127.0.0.1:1/v2/_catalog?last=a>; rel="next"'
  await assertFault(all(), 'redirected', /another host/)
})

test('allows credentials for the same origin, or from http to https on the same host', () => {
  const rows: [from: string, to: string, isAllowed: boolean][] = [
    ['r.example', 'https://R.example:443/v2/', true],
    ['http://r.example', 'r.example', true],
    ['r.example', 'http://r.example', false],
    ['r.example:5000', 'r.example', false],
    ['r.example', 's.example', false],
    ['', 'hub.docker.com', true],
    ['docker.io', 'https://index.docker.io/v1/', true],
    ['', 'docker.io.example', false],
    ['localhost:5000', 'http://localhost:5000', true],
    ['https://localhost:5000', 'localhost:5000', false],
    ['r.example', 'no address', false],
    ['no address', 'r.example', false],
  ]
  for (const [from, to, isAllowed] of rows) assert.equal(canInheritCredentials(from, to), isAllowed, `${from} ${to}`)
})
