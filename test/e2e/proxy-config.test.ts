/**
 * Rules: a real Caddy runs the configurations of `src/routing/caddy`, and real clients send requests. The tests use
 * neither a Berth nor an engine.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locationOf, redirectOf } from '../../src/routing/caddy/redirects/redirects.ts'
import { behind, rule, startApplication, startProxy } from './caddy.ts'

/** bcrypt of `open sesame`, cost 4. */
const passwordHash = '$2a$04$5Qy2uCXDI9WYmHEzi2quaut2HfZBGcameIorjyN.jR9v2ROVAstG.'
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

test('selects the application by host: an exact name before a wildcard, then the first that has the name', async () => {
  await using one = await startApplication()
  await using two = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([
    behind(two.dial, { hosts: ['*.w.example', 'b.example'] }),
    behind(one.dial, { hosts: ['x.w.example', 'a.example', 'b.example'] }),
    behind(one.dial, { hosts: ['gone.example'], upstream: null }),
  ])
  /** The status, and the numbers of requests that reached the two applications. */
  const routed = async (host: string) => {
    const before = [one.requestCount(), two.requestCount()]
    const { status } = await proxy.get(`http://${host}/`)
    return [status, one.requestCount() - before[0]!, two.requestCount() - before[1]!]
  }
  assert.deepEqual(await routed('A.example'), [200, 1, 0])
  assert.deepEqual(await routed('a.example:8080'), [200, 1, 0])
  assert.deepEqual(await routed('x.w.example'), [200, 1, 0])
  assert.deepEqual(await routed('y.w.example'), [200, 0, 1])
  assert.deepEqual(await routed('b.example'), [200, 0, 1], 'the first application with this name')
  for (const host of ['y.x.w.example', 'w.example', 'c.example', '127.0.0.1'])
    assert.deepEqual(await routed(host), [404, 0, 0])
  assert.deepEqual(await routed('gone.example'), [503, 0, 0])
  assert.equal((await proxy.get('http://c.example/')).body, 'No application has this host name\n')
})

test('forwards a request unchanged, with the address of the client', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial)])
  const { body } = await proxy.get('http://a.example/p%20q//r?x={y}&z=%7B', {
    method: 'POST',
    body: 'hello',
    headers: {
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-proto': 'https',
      'x-berth-url': 'x',
      authorization: 'Bearer its own',
    },
  })
  const { url, method, body: forwarded, headers } = JSON.parse(body)
  assert.deepEqual([method, url, forwarded, headers.host], ['POST', '/p%20q//r?x={y}&z=%7B', 'hello', 'a.example'])
  assert.deepEqual(
    [headers['x-forwarded-for'], headers['x-forwarded-proto'], headers['x-forwarded-host']],
    ['127.0.0.1', 'http', 'a.example'],
  )
  assert.equal(headers.authorization, 'Bearer its own', 'the header is forwarded if there are no users')
  const large = 'x'.repeat(3_000_000)
  assert.equal(JSON.parse((await proxy.get('http://a.example/', { method: 'PUT', body: large })).body).body, large)
})

const redirects = [
  rule('^http://a\\.example/old/(.*)$', 'https://new.example/$1', true),
  rule('^http://a\\.example/(?P<year>\\d{4})/(?<slug>[a-z-]+)$', '/${slug}?of=${year}&all=$0'),
  rule('/both', 'https://first.example/'),
  rule('/both', 'https://second.example/', true),
  rule('/same$', 'http://a.example/same'),
  rule('/same', '/other'),
  rule('^(http://a\\.example)/keep(.*)$', '$1/keep$2', true),
  rule('/keep/on', 'https://on.example/', true),
  rule('/pay\\?(.*)$', 'https://pay.example/$$1/$1'),
  rule('(?i)/SHOUT', 'https://quiet.example/'),
]

test('redirects to the location that Berth calculates: by group, in order, never to the URL itself', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  await proxy.loadRules([behind(application.dial, { redirects })])
  const cases: Record<string, string | undefined> = {
    '/old/x/y?z=1': 'https://new.example/x/y?z=1',
    '/2026/some-news': '/some-news?of=2026&all=http://a.example/2026/some-news',
    '/both': 'https://first.example/',
    '/same': '/other',
    '/keep': undefined,
    '/keep/on': 'https://on.example/',
    '/other': undefined,
    '/pay?a$b={c}': 'https://pay.example/$1/a$b={c}',
    '/shout': 'https://quiet.example/',
    '/': undefined,
  }
  for (const [path, expected] of Object.entries(cases)) {
    const url = `http://a.example${path}`
    const { status, headers } = await proxy.get(url)
    assert.deepEqual([status === 200, headers.location], [expected === undefined, expected], url)
    const locations = redirects.map((it) => redirectOf(it)).map((it) => ('message' in it ? null : locationOf(it, url)))
    assert.equal(locations.find((it) => it !== null) ?? undefined, expected, `${url}, as Berth calculates it`)
  }
})

test('the status of a redirect depends on its permanence and on the method of the request', async () => {
  await using proxy = await startProxy()
  await proxy.loadRules([
    behind('127.0.0.1:1', { redirects: [rule('/p', 'https://x.example/', true), rule('/t', 'https://x.example/')] }),
  ])
  const statuses = async (path: string) =>
    Promise.all(
      ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].map(
        async (method) => (await proxy.get(`http://a.example${path}`, { method })).status,
      ),
    )
  assert.deepEqual(await statuses('/p'), [301, 301, 308, 308, 308])
  assert.deepEqual(await statuses('/t'), [302, 302, 307, 307, 307])
})

test('placeholders in rules, users, hosts and requests are not expanded', async () => {
  await using application = await startApplication()
  const secret = 'the-secret-of-the-proxy'
  await using proxy = await startProxy({ secret })
  const folder = encodeURI(proxy.folder)
  const file = `{file.${folder}/secret}`
  const texts = [
    file,
    '{env.SECRET}',
    '{http.request.header.X-Told}',
    '{http.vars.url}',
    '{berth.go.0}',
    '{',
    '}',
    '{}',
    '}{env.SECRET}',
    '{{env.SECRET}}',
  ]
  const user = { username: '{env.SECRET}\\{env.SECRET}', passwordHash }
  await proxy.loadRules([
    behind(application.dial, {
      hosts: ['a.example', '*.w.example'],
      redirects: [
        ...texts.map((text, i) => rule(`/text${i}(.*)$`, `https://x.example/${text}/$1`)),
        ...texts.map((text, i) => rule(`/alone${i}$`, `https://x.example/${text}`)),
        ...texts.map((text, i) => rule(`^(.*)/maybe${i}$`, `$1/${text}`)),
        rule('/echo(.*)$', 'https://x.example/$1', true),
        rule('^(.*)\\?again$', '$1'),
      ],
    }),
    behind(application.dial, { hosts: ['u.example'], users: [user] }),
  ])
  const withSecret = { headers: { 'x-told': secret } }
  const ask = (line: string, host: string) =>
    proxy.raw(`GET ${line} HTTP/1.1\r\nHost: ${host}\r\nX-Told: ${secret}\r\nConnection: close\r\n\r\n`)
  for (const [i, text] of texts.entries()) {
    for (const [path, expected] of [
      [`/text${i}`, `https://x.example/${text}/`],
      [`/alone${i}`, `https://x.example/${text}`],
      [`/maybe${i}`, `http://a.example/${text}`],
    ] as const) {
      assert.equal((await proxy.get(`http://a.example${path}`, withSecret)).headers.location, expected)
    }
  }
  for (const attack of [
    ...texts,
    `\\${file}`,
    `\\\\${file}`,
    `${file}\\`,
    `%7Bfile.${folder}/secret%7D`,
    '%5C{env.SECRET}',
  ]) {
    for (const line of [
      `/echo?${attack}`,
      `/echo/${attack}`,
      `/${attack}?again`,
      `/other?${attack}`,
      `http://a.example/echo?${attack}`,
    ]) {
      const response = await ask(line, 'a.example')
      assert.match(response, /^HTTP\/1\.1 [23]0\d /, line)
      assert.doesNotMatch(response.split('\r\n\r\n')[0]!, new RegExp(secret), line)
      if (line.startsWith('/echo?'))
        assert.ok(response.includes(`\r\nLocation: https://x.example/?${attack}\r\n`), `${line}: ${response}`)
    }
    for (const host of [attack, `${attack}.w.example`, `a.example:${attack}`]) {
      const response = await ask('/echo', host)
      assert.doesNotMatch(response, new RegExp(secret), host)
    }
  }
  const login = (name: string) => proxy.get('http://u.example/', { headers: basic(name, 'open sesame') })
  assert.equal((await login(user.username)).status, 200)
  assert.equal((await login(`${secret}\\${secret}`)).status, 401)
  assert.equal((await login(`${secret}{env.SECRET}`)).status, 401)
})

test('lets users in with their own password only, and does not forward the password', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  const users = [
    { username: 'ada', passwordHash },
    { username: 'grâce/+?', passwordHash },
  ]
  await proxy.loadRules([behind(application.dial, { users, redirects: [rule('/moved', '/here')] })])
  const get = (headers: Record<string, string> = {}) => proxy.get('http://a.example/', { headers })
  const anonymous = await get()
  assert.deepEqual([anonymous.status, anonymous.headers['www-authenticate']], [401, 'Basic realm="restricted"'])
  for (const { username } of users) {
    const { status, body } = await get(basic(username, 'open sesame'))
    assert.deepEqual([status, JSON.parse(body).headers.authorization], [200, undefined])
  }
  const wrong = [
    basic('ada', 'open'),
    basic('ada', ''),
    basic('ad', 'open sesame'),
    basic('adam', 'open sesame'),
    basic('', ''),
    { authorization: 'Basic' },
    { authorization: 'Bearer x' },
    { authorization: 'Basic !!' },
  ]
  for (const headers of wrong) {
    const response = await get(headers)
    const challenge = response.headers['www-authenticate']
    assert.deepEqual([response.status, challenge], [401, 'Basic realm="restricted"'], headers.authorization)
  }
  const beforeMs = proxy.processorMs()
  await Promise.all(Array.from({ length: 40 }, (_, i) => get(basic(`nobody${i}`, 'x'))))
  assert.ok(proxy.processorMs() - beforeMs < 2_000, 'no hash is calculated for an unknown name')
  assert.equal((await proxy.get('http://a.example/moved')).status, 302, 'redirects come first')
})

test('lets preflights of browsers in without a password, if the application wants this', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  const users = [{ username: 'ann', passwordHash }]
  await proxy.loadRules([
    behind(application.dial, { users, preflight: 'open' }),
    behind(application.dial, { users, hosts: ['closed.example'] }),
  ])
  const preflight = { origin: 'https://x.example', 'access-control-request-method': 'POST' }
  const statusOf = async (host: string, method: string, headers = {}) =>
    (await proxy.get(`http://${host}/`, { method, headers })).status
  assert.equal(await statusOf('a.example', 'OPTIONS', preflight), 200)
  assert.equal(await statusOf('closed.example', 'OPTIONS', preflight), 401)
  assert.equal(await statusOf('a.example', 'OPTIONS', { origin: 'https://x.example' }), 401)
  assert.equal(await statusOf('a.example', 'POST', preflight), 401)
  const authorization = `Basic ${Buffer.from('ann:open sesame').toString('base64')}`
  assert.equal(await statusOf('a.example', 'POST', { ...preflight, authorization }), 200)
})

test('matches patterns quickly that take exponential time in other regular expression engines', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  const slowPatterns = [
    '(a+)+$x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a|aa)+b$',
    '(.*a){20}Z$',
    '(?:[a-z]{0,31}){15}9',
    '(?:a?){480}Z',
  ]
  const redirects = slowPatterns.map((pattern) => rule(pattern, 'https://x.example/'))
  await proxy.loadRules([behind(application.dial, { redirects })])
  const beforeMs = proxy.processorMs()
  assert.equal((await proxy.get(`http://a.example/${'a'.repeat(8_000)}!`)).status, 200)
  const usedMs = proxy.processorMs() - beforeMs
  assert.ok(usedMs < 3_000, `${usedMs} ms`)
})
