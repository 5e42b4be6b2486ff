/** What the configurations say where a running Caddy could not show it; the rest is in test/e2e. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontConfig } from './front-config.ts'
import { bothPrograms, placesIn, program } from './launch.ts'
import { literal } from './placeholders.ts'
import { redirectHandlers, type RedirectRule } from './redirect-routes.ts'
import { type Application, rulesConfig } from './rules-config.ts'

const rule = (regex: string, replacement: string, permanent = false): RedirectRule =>
  ({ regex, replacement, permanent })

const rulesOf = (application: Partial<Application>) => rulesConfig({
  applications: [{ hosts: ['a.example'], tls: null, redirects: [], users: [], upstream: { service: 'app', port: 80 },
    ...application }],
  publicHttpsPort: 443, adminSocket: '/f/admin.sock', socket: '/f/rules.sock',
})

/** What each handler of the application is, in order. */
const handlersOf = (application: Partial<Application>) =>
  rulesOf(application).apps.http.servers.rules!.routes.at(-2)!.handle.map(({ handler, name }) => name ?? handler)

test('braces are escaped, and nothing else', () => {
  const cases: Record<string, string> = { '{env.A}': '\\{env.A\\}', '\\{a}': '\\\\{a\\}', 'a\\b$1': 'a\\b$1', '': '' }
  for (const [text, expected] of Object.entries(cases)) assert.equal(literal(text), expected)
})

test('each load says where the admin end is, and it is a socket of its own user', () => {
  const front = frontConfig({ listen: { host: '', httpPort: 80, httpsPort: 443 }, pairs: [], now: new Date(),
    acme: null,
    managed: ['a.example'], adminSocket: '/f/front.sock', rulesSocket: '/f/rules.sock', storageFolder: '/s',
      acmeLog: '/s/log' })
  assert.deepEqual([front.admin.listen, rulesOf({}).admin.listen],
    ['unix//f/front.sock|0600', 'unix//f/admin.sock|0600'])
  assert.deepEqual(rulesOf({}).apps.http.servers.rules!.listen, ['unix//f/rules.sock|0600'])
  assert.deepEqual(front.apps.http.servers.front!.listen, [':80', ':443'])
  assert.deepEqual((front.apps.tls!.certificates as { automate: string[] }).automate, [],
    'without a directory no public authority is asked')
})

test('an application has no more handlers than it needs', () => {
  const redirects = [rule('/a$', 'https://x.example/')]
  const users = [{ username: 'ada', passwordHash: 'x' }]
  assert.deepEqual(handlersOf({}), ['vars', 'tasks'])
  assert.deepEqual(handlersOf({ redirects }), ['map', 'vars', 'both'])
  assert.deepEqual(handlersOf({ redirects, users }),
    ['map', 'vars', 'redirect', 'subroute', 'authentication', 'headers', 'tasks'])
  assert.deepEqual(handlersOf({ redirects, upstream: { dial: ['10.0.0.1:80'] } }),
    ['map', 'vars', 'redirect', 'reverse_proxy'])
  assert.deepEqual(handlersOf({ redirects, tls: 'auto', upstream: null }),
    ['subroute', 'map', 'vars', 'redirect', 'static_response'])
})

test('a thousand rules are one list, and only one that may lead to itself ends it', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => rule(`^http://a/${i}$`, `https://a/${i}`, i % 2 === 0))
  const lists = (rules: RedirectRule[]) => redirectHandlers(rules).filter(({ handler }) => handler === 'map')
    .map(({ mappings }) => (mappings as { input_regexp: string; outputs: string[] }[]))
  assert.deepEqual(lists(many).map((it) => it.length), [1_000])
  assert.deepEqual(lists([...many.slice(0, 3), rule('^(.*)$', '$1'), ...many.slice(3, 5)]).map((it) => it.length),
    [4, 2])
  assert.deepEqual(lists([rule('/a$', 'https://x/b'), rule('/a$', '/c')]).flat().map(({ outputs }) => outputs),
    [['https://x/b']],
    'Caddy takes a pattern once in a list, and the second could never be reached')
  assert.deepEqual(lists([rule('(?<n>a)/(b)$', '/${n}$2$$1')]).flat()[0]!.outputs, ['/${n}${2}$$1'])
  assert.throws(() => redirectHandlers([rule('a', '')]), /may not be empty/)
})

test('both processes are told all by their environment', () => {
  const { argv, env } = bothPrograms('/run/berth', '/state')
  assert.deepEqual(argv.slice(0, 2), ['sh', '-c'])
  assert.ok(!argv[2]!.includes('/run/berth'))
  assert.deepEqual(Object.values(env), [...Object.values(placesIn('/run/berth')).sort(), '/state'].sort((a, b) =>
    Object.values(env).indexOf(a) - Object.values(env).indexOf(b)))
  assert.equal(program('/usr/bin/caddy', '/f/front.sock', '/state/front').env.CADDY_ADMIN, 'unix//f/front.sock|0600')
})
