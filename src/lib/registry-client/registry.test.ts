/**
 * Tests servers that are not registries or behave in unusual ways: classification, timeouts and safety of credentials.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import { certificateData, privateKey } from '../../../test/fixtures/long-lived-certificate.ts'
import {
  explain,
  type FaultKind,
  canInheritCredentials,
  openRegistry,
  type Options,
  RegistryFault,
} from './registry.ts'

const never = new AbortController().signal
const version = { 'docker-distribution-api-version': 'registry/2.0' }
const asked = (realm: string) => ({ ...version, 'www-authenticate': realm })
const right = `Basic ${Buffer.from('name:a-secret').toString('base64')}`

type Reply = (request: http.IncomingMessage, response: http.ServerResponse) => unknown

async function listening(t: TestContext, server: net.Server): Promise<string> {
  const open = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => open.add(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as net.AddressInfo).port}`
}

/** Returns the host of the server, and the credentials that it received. */
async function serve(t: TestContext, reply: Reply) {
  const seen: string[] = []
  const host = await listening(
    t,
    http.createServer((request, response) => {
      if (request.headers.authorization !== undefined) seen.push(request.headers.authorization)
      reply(request, response)
    }),
  )
  return { host, seen }
}

async function signIn(registryUrl: string, options: Options = {}, signal = never) {
  using registry = openRegistry({ registryUrl, username: 'name', password: 'a-secret' }, options)
  return await registry.signIn(signal)
}

async function refused(attempt: Promise<unknown>, kind: FaultKind, words: RegExp = /./) {
  const fault = await attempt.then(
    () => assert.fail('it was let in'),
    (error: unknown) => error,
  )
  assert.ok(fault instanceof RegistryFault, String(fault))
  assert.deepEqual([fault.kind, words.test(explain(fault))], [kind, true], fault.message)
  assert.ok(!fault.message.includes('a-secret'))
  return fault
}

const answers: [title: string, reply: Reply, kind: FaultKind, words: RegExp][] = [
  [
    'a web page',
    (_, it) => it.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
    'notRegistry',
    /web page \(HTTP 200\)/,
  ],
  ['a page that is missing', (_, it) => it.writeHead(404).end('not found'), 'notRegistry', /HTTP 404/],
  ['another API', (_, it) => it.end('{"version":"1.2"}'), 'notRegistry', /HTTP 200 in words of its own/],
  [
    'a page behind a password',
    (request, it) =>
      request.headers.authorization === right
        ? it.end('<html>')
        : it.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
    'notRegistry',
    /web page/,
  ],
  ['nobody let in', (_, it) => it.writeHead(401).end(), 'notRegistry', /does not say how to log in/],
  ['another sort of login', (_, it) => it.writeHead(401, asked('Negotiate')).end(), 'notRegistry', /another sort/],
  ['a host that is shut out', (_, it) => it.writeHead(403, version).end(), 'rights', /lets nobody in from here/],
  ['too many requests', (_, it) => it.writeHead(429, { 'retry-after': '30' }).end(), 'limited', /in 30 seconds/],
  ['a fault', (_, it) => it.writeHead(503, version).end(), 'answer', /fault of its own \(HTTP 503\)/],
  ['a broken line', (_, it) => it.destroy(), 'broken', /connection to .* broke/],
  [
    'no token server',
    (_, it) => it.writeHead(401, asked('Bearer service="x"')).end(),
    'notRegistry',
    /names no server/,
  ],
  [
    'a wrong password',
    (_, it) => it.writeHead(401, asked('Basic')).end(),
    'credentials',
    /username with this password/,
  ],
  [
    'headers without end',
    (_, it) => it.writeHead(200, { long: 'x'.repeat(40_000) }).end(),
    'notRegistry',
    /HTTP as it/,
  ],
  ['redirects in a circle', (_, it) => it.writeHead(302, { location: '/v2/' }).end(), 'redirected', /on and on/],
  ['a redirect to nowhere', (_, it) => it.writeHead(302, { location: 'ftp://a/b' }).end(), 'redirected', /no URL/],
]
for (const [title, reply, kind, words] of answers) {
  test(`recognizes ${title}`, async (t) => {
    await refused(signIn((await serve(t, reply)).host), kind, words)
  })
}

test('sends no request to a metadata service, neither as registry nor as token server', async (t) => {
  for (const host of ['169.254.169.254', 'http://0xA9FEA9FE', '[::ffff:a9fe:a9fe]:5000']) {
    await refused(signIn(host), 'egress', /link-local address or a metadata service.*BERTH_EGRESS_ALLOW/)
  }
  const byToken = await serve(t, (_, it) => it.writeHead(401, asked('Bearer realm="http://169.254.169.254/t"')).end())
  const sentOn = await serve(t, (_, it) => it.writeHead(302, { location: 'http://169.254.169.254/latest' }).end())
  await refused(signIn(byToken.host), 'egress', /^169\.254\.169\.254 is a link-local/)
  await refused(signIn(sentOn.host), 'redirected', /sends requests on to 169\.254\.169\.254/)
})

test('recognizes a missing server and one without HTTP', async (t) => {
  await refused(signIn('127.0.0.1:1'), 'refused', /refused the connection/)
  await refused(signIn('no-such-host.invalid'), 'name', /^The name no-such-host\.invalid could not be resolved/)
  const other = await listening(
    t,
    net.createServer((socket) => socket.end('220 mail\r\n')),
  )
  await refused(signIn(`http://${other}`), 'notRegistry', /does not speak HTTP/)
})

test('times out before an answer, within an answer, and at the token server', async (t) => {
  const silent = await listening(t, net.createServer())
  const half = await serve(t, (_, it) => it.writeHead(200, version).write('{'))
  const away = await serve(t, (_, it) => it.writeHead(401, asked(`Bearer realm="http://${silent}/"`)).end())
  for (const host of [silent, `http://${silent}`, half.host, away.host]) {
    const began = performance.now()
    await refused(signIn(host, { limitMs: 300 }), 'timeout', /did not answer within 0\.3 seconds/)
    assert.ok(performance.now() - began < 3000)
  }
  const calledOff = AbortSignal.timeout(100)
  await assert.rejects(signIn(silent, {}, calledOff), { name: 'TimeoutError' })
})

test('does not read an answer of two gibibytes', async (t) => {
  const part = Buffer.alloc(1024 * 1024, ' ')
  for (const status of [200, 401, 404]) {
    let sent = 0
    const { host } = await serve(t, (_, it) => {
      it.writeHead(status, { ...asked('Basic'), 'content-length': 2048 * part.length })
      const more = () => {
        while (!it.destroyed && it.write(part)) sent += part.length
        sent += part.length
        it.once('drain', more)
      }
      more()
    })
    const began = performance.now()
    await refused(signIn(host), 'notRegistry', /more than a mebibyte/)
    assert.ok(sent < 64 * part.length && performance.now() - began < 5000, `${sent} bytes`)
  }
})

test('sends no credentials to the host of a redirect, and refuses the login', async (t) => {
  const far = await serve(t, (_, it) => it.writeHead(401, asked('Basic')).end())
  const { host } = await serve(t, (_, it) => it.writeHead(307, { location: `http://u:p@${far.host}/v2/` }).end())
  await refused(signIn(host), 'redirected', new RegExp(`sends requests on to ${far.host}`))
  assert.deepEqual(far.seen, [])
})

test('sends no credentials to the host of a redirect of the token server', async (t) => {
  const far = await serve(t, (_, it) => it.writeHead(401).end())
  for (const status of [302, 405]) {
    const tokens = await serve(t, (request, it) =>
      request.method === 'POST' || status === 302
        ? it.writeHead(307, { location: `http://${far.host}/token` }).end()
        : it.writeHead(status).end(),
    )
    const { host } = await serve(t, (_, it) => it.writeHead(401, asked(`Bearer realm="http://${tokens.host}/"`)).end())
    await refused(signIn(host), 'redirected', new RegExp(`to ${far.host}, where the password is not sent after it`))
    assert.deepEqual(tokens.seen, [right])
  }
  assert.deepEqual(far.seen, [])
})

test('refuses a login that is redirected to a host with anonymous access', async (t) => {
  const far = await serve(t, ({ url }, it) => it.end(url === '/v2/' ? '{}' : '{"token":"of-anybody"}'))
  const on: Reply = ({ url }, it) => it.writeHead(307, { location: `http://${far.host}${url}` }).end()
  const tokens = await serve(t, on)
  const replies: Record<string, Reply> = { '': (_, it) => it.writeHead(401, asked('Basic')).end(), [right]: on }
  const ofTokens: Record<string, Reply> = {
    '': (_, it) => it.writeHead(401, asked(`Bearer realm="http://${tokens.host}/token"`)).end(),
    'Bearer of-anybody': (_, it) => it.end('{}'),
  }
  for (const by of [replies, ofTokens]) {
    const { host } = await serve(t, (request, it) => by[request.headers.authorization ?? '']!(request, it))
    await refused(signIn(host), 'redirected', new RegExp(`to ${far.host}, where the password is not sent after it`))
  }
  assert.deepEqual(far.seen, [])
})

test('does not follow redirects from https to http', async (t) => {
  const far = await serve(t, (_, it) => it.end('{"token":"x"}'))
  let reply: Reply = (_, it) => it.writeHead(302, { location: `http://${far.host}/v2/` }).end()
  const host = await listening(
    t,
    https.createServer(
      { key: privateKey, cert: certificateData },
      (request, response) => void reply(request, response),
    ),
  )
  await refused(signIn(host), 'tls', /does not know/)
  await refused(signIn(host, { insecure: true }), 'redirected', /from https to http/)
  reply = (_, it) => it.writeHead(401, asked(`Bearer realm="http://${far.host}/token"`)).end()
  await refused(signIn(host, { insecure: true }), 'tls', /password sent to .* unprotected/)
  // insecure applies to the registry only.
  const other = await listening(
    t,
    https.createServer({ key: privateKey, cert: certificateData }, (_, response) => void response.end('{"token":"x"}')),
  )
  const realm = `https://${other.replace('127.0.0.1', 'localhost')}/`
  reply = (_, it) => it.writeHead(401, asked(`Bearer realm="${realm}"`)).end()
  await refused(signIn(host, { insecure: true }), 'tls', /^The certificate of localhost:\d+ is signed/)
  assert.deepEqual(far.seen, [])
})

test('follows a redirect from http to https on the same host', async (t) => {
  const seen: unknown[] = []
  const secure = await listening(
    t,
    https.createServer({ key: privateKey, cert: certificateData }, ({ headers }, it) => {
      seen.push(headers.authorization)
      it.writeHead(headers.authorization === right ? 200 : 401, asked('Basic')).end('{}')
    }),
  )
  const { host, seen: seenPlain } = await serve(t, ({ url }, it) =>
    it.writeHead(301, { location: `https://${secure}${url}` }).end(),
  )
  assert.deepEqual(await signIn(`http://${host}`, { insecure: true }), { host, isChecked: true })
  assert.deepEqual([seen, seenPlain], [[undefined, right], []])
})

test('refuses an invalid token', async (t) => {
  for (const body of ['{}', '<html>', '{"token":""}', '{"token":"a\\r\\nb"}', '{"token":7}', 'null']) {
    const tokens = await serve(t, (_, it) => it.end(body))
    const { host } = await serve(t, (_, it) => it.writeHead(401, asked(`Bearer realm="http://${tokens.host}/"`)).end())
    await refused(signIn(host), 'answer', /gave none \(HTTP 200\)/)
  }
})

test('sends the credentials to a registry with anonymous access, which can refuse them', async (t) => {
  const { host, seen } = await serve(t, ({ headers }, it) =>
    it.writeHead(headers.authorization === undefined ? 200 : 401, asked('Basic')).end('{}'),
  )
  await refused(signIn(host), 'credentials')
  assert.deepEqual(seen, [right])
  const open = await serve(t, (_, it) => it.end('{}'))
  assert.deepEqual(await signIn(open.host), { host: open.host, isChecked: false })
})

test('refuses invalid lists, and ends endless ones', async (t) => {
  let body = '{}'
  let link = ''
  const { host } = await serve(t, ({ url }, it) =>
    it.writeHead(200, { ...version, link }).end(url === '/v2/' ? '{}' : body),
  )
  using registry = openRegistry({ registryUrl: host, username: 'name', password: 'a-secret' })
  const all = (most = 10) => registry.catalogue(most, null, never)
  assert.deepEqual(await all(), { names: [], isWhole: true })
  for (body of ['{"repositories":7}', '{"repositories":[1]}', '{"repositories":{}}']) {
    await refused(all(), 'notRegistry')
  }
  body = '{"repositories":["a"]}'
  link = '</v2/_catalog?last=a>; rel="next"'
  assert.deepEqual(await all(3), { names: ['a', 'a', 'a'], isWhole: false })
  body = '{"repositories":null}'
  assert.deepEqual(await all(), { names: [], isWhole: false })
  link = '<http://127.0.0.1:1/v2/_catalog?last=a>; rel="next"'
  await refused(all(), 'redirected', /another host/)
})

test('allows credentials for the same origin, or for the same host with TLS', () => {
  const rows: [from: string, to: string, may: boolean][] = [
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
  for (const [from, to, may] of rows) assert.equal(canInheritCredentials(from, to), may, `${from} ${to}`)
})
