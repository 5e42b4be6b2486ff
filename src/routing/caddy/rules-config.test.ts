/**
 * Properties of the configurations and programs of the proxy that cannot be tested with a running Caddy. test/e2e tests
 * the other properties.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontConfig } from './front-config.ts'
import { keysConfig } from './keys-config.ts'
import { allPrograms, loopbackOf, socketPathsIn, program } from './launch.ts'
import { literal } from './redirects/placeholders.ts'
import { redirectHandlers, type RedirectRule } from './redirects/routes.ts'
import { type Application, rulesConfig } from './rules-config.ts'

const rule = (regex: string, replacement: string, permanent = false): RedirectRule => ({
  regex,
  replacement,
  permanent,
})

const rulesOf = (application: Partial<Application>) =>
  rulesConfig({
    applications: [
      {
        hosts: ['a.example'],
        tls: null,
        preflight: null,
        redirects: [],
        users: [],
        upstream: { service: 'app', port: 80 },
        ...application,
      },
    ],
    publicHttpsPort: 443,
    adminSocket: '/f/admin.sock',
    socket: '/f/rules.sock',
  })

/** Returns the names of the application's handlers, in order. */
const handlersOf = (application: Partial<Application>) =>
  rulesOf(application)
    .apps.http.servers.rules!.routes.at(-2)!
    .handle.map(({ handler, name }) => name ?? handler)

test('escapes braces and nothing else', () => {
  const cases: Record<string, string> = { '{env.A}': '\\{env.A\\}', '\\{a}': '\\\\{a\\}', 'a\\b$1': 'a\\b$1', '': '' }
  for (const [text, expected] of Object.entries(cases)) assert.equal(literal(text), expected)
})

const sockets = { rulesSocket: '/f/rules.sock', keysSocket: '/f/keys.sock', challengesSocket: '/f/challenges.sock' }
const front = frontConfig({
  listen: { host: '', httpPort: 80, httpsPort: 443 },
  ...sockets,
  adminSocket: '/f/front.sock',
  certificates: { address: '127.1.2.3:2021', secret: 'it' },
  trustedProxies: [],
})
const keys = keysConfig({
  pairs: [],
  now: new Date(),
  acme: null,
  managed: ['a.example'],
  issued: ['a.example'],
  ...sockets,
  adminSocket: '/f/keys-admin.sock',
  spareAddress: '127.1.2.3:2022',
  storageFolder: '/s',
  acmeLog: '/s/log',
})

test('lets each process listen only on sockets of its own user, except for the ports of front', () => {
  assert.deepEqual(
    [front, keys, rulesOf({})].map(({ admin }) => admin.listen),
    ['unix//f/front.sock|0600', 'unix//f/keys-admin.sock|0600', 'unix//f/admin.sock|0600'],
  )
  assert.deepEqual(
    Object.values({ ...keys.apps.http.servers, ...rulesOf({}).apps.http.servers }).flatMap(({ listen }) => listen),
    ['unix//f/keys.sock|0600', 'unix//f/challenges.sock|0600', 'unix//f/rules.sock|0600'],
  )
  assert.deepEqual(
    Object.values(front.apps.http.servers).map(({ listen }) => listen),
    [[':80', ':443'], ['127.1.2.3:2021']],
  )
})

test('configures no authority without an ACME directory', () => {
  assert.deepEqual(keys.apps.tls, { certificates: { automate: [] }, automation: { policies: [] } })
  assert.equal(keys.apps.http.servers.certificates!.routes.length, 1, 'no route serves an ACME certificate')
})

test('gives an application only the handlers that it needs', () => {
  const redirects = [rule('/a$', 'https://x.example/')]
  const users = [{ username: 'ada', passwordHash: 'x' }]
  assert.deepEqual(handlersOf({}), ['vars', 'tasks'])
  assert.deepEqual(handlersOf({ redirects }), ['map', 'vars', 'both'])
  assert.deepEqual(handlersOf({ redirects, users }), [
    'map',
    'vars',
    'redirect',
    'subroute',
    'authentication',
    'headers',
    'tasks',
  ])
  assert.deepEqual(handlersOf({ redirects, upstream: { dial: ['10.0.0.1:80'] } }), [
    'map',
    'vars',
    'redirect',
    'reverse_proxy',
  ])
  assert.deepEqual(handlersOf({ redirects, tls: 'auto', upstream: null }), [
    'subroute',
    'map',
    'vars',
    'redirect',
    'static_response',
  ])
})

test('puts a thousand redirects into one list, but ends a list after a target that may be the requested URL', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => rule(`^http://a/${i}$`, `https://a/${i}`, i % 2 === 0))
  const lists = (rules: RedirectRule[]) =>
    redirectHandlers(rules)
      .filter(({ handler }) => handler === 'map')
      .map(({ mappings }) => mappings as { input_regexp: string; outputs: string[] }[])
  assert.deepEqual(
    lists(many).map((list) => list.length),
    [1_000],
  )
  assert.deepEqual(
    lists([...many.slice(0, 3), rule('^(.*)$', '$1'), ...many.slice(3, 5)]).map((list) => list.length),
    [4, 2],
  )
  assert.deepEqual(
    lists([rule('/a$', 'https://x/b'), rule('/a$', '/c')])
      .flat()
      .map(({ outputs }) => outputs),
    [['https://x/b']],
    'Caddy rejects a list with a repeated pattern',
  )
  assert.deepEqual(lists([rule('(?<n>a)/(b)$', '/${n}$2$$1')]).flat()[0]!.outputs, ['/${n}${2}$$1'])
  assert.throws(() => redirectHandlers([rule('a', '')]), /must not be empty/)
})

test('passes the paths to the processes by environment, not in the script', () => {
  const { argv, env } = allPrograms('/run/berth', null)
  assert.deepEqual(argv.slice(0, 2), ['sh', '-c'])
  assert.ok(!argv[2]!.includes('/run/berth'))
  const { frontAdmin, rulesAdmin, keysAdmin } = socketPathsIn('/run/berth')
  assert.deepEqual(Object.values(env), ['/run/berth', frontAdmin, rulesAdmin, keysAdmin])
  assert.equal(program('/usr/bin/caddy', '/f/front.sock', '/state/front').env.CADDY_ADMIN, 'unix//f/front.sock|0600')
})

test('gives each proxy on a machine its own loopback addresses', () => {
  const addresses = ['/a', '/b'].map((folder) => loopbackOf(folder).certificates)
  assert.equal(new Set(addresses).size, 2)
  for (const address of addresses) assert.match(address, /^127\.(?:[1-9]\d*)\.\d+\.[1-9]\d*:2021$/)
})
