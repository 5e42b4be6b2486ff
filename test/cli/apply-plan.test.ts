/** Tests of the planner of `berth apply` as a table: a file, the present state, and the steps between them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApplyFile } from '../../cli/apply/parse.ts'
import { planOf } from '../../cli/apply/plan.ts'
import { resolverOf } from '../../cli/apply/references.ts'
import type { Backup, Database, DatabaseRecord, State } from '../../cli/apply/state.ts'
import { certificateData } from '../fixtures/long-lived-certificate.ts'

const env = { PASSWORD: 'the-password', KEY: 'the-key', PEM: certificateData, PING: 'https://ping.example/x' }

const nothing: State = {
  destinations: [],
  projects: [],
  databases: [],
  backups: [],
  applications: [],
  redirects: [],
  securities: [],
  ports: [],
  certificates: [],
}

const shop = { projectId: 'p1', name: 'shop', description: null }

function database(name: string, record: Partial<DatabaseRecord> = {}, type = 'redis'): Database {
  const summary = { databaseId: `id-${name}`, databaseType: type, name, appName: `shop-${name}`, projectName: 'shop' }
  const full: DatabaseRecord = {
    appName: `shop-${name}`,
    description: null,
    dockerImage: 'redis:8',
    command: null,
    env: null,
    memoryReservation: null,
    memoryLimit: null,
    cpuReservation: null,
    cpuLimit: null,
    externalPort: null,
    node: 'web-1',
    nodeLabel: null,
    volume: 'berth-1',
    lastDeployedAt: '2030-01-01T00:00:00Z',
    applicationStatus: 'done',
    pendingChanges: false,
    databasePassword: 'the-password',
    ...record,
  }
  return { summary: summary as Database['summary'], record: full }
}

const orders = (record: Partial<DatabaseRecord> = {}) =>
  database('orders', { dockerImage: 'postgres:17', databaseName: 'orders', ...record }, 'postgres')
const redis = (fields = '') => `projects: {shop: {databases: {cache: {kind: redis, image: redis:8${fields}}}}}`
const withCache = (record: Partial<DatabaseRecord> = {}): Partial<State> => ({
  projects: [shop],
  databases: [database('cache', record)],
})

const destination = { destinationId: 'd1', name: 'offsite', endpoint: 'https://s3.example', bucket: 'b', region: '' }
const stored = { ...destination, accessKey: 'A', secretAccessKey: '********' as const, createdAt: '' }
const offsite = (fields = '') =>
  `destinations: {offsite: {endpoint: https://s3.example, bucket: b, accessKey: A, secretKey: "\${env:KEY}"${fields}}}`
const withBackup = (fields: string) =>
  `projects: {shop: {databases: {orders: {kind: postgres, image: postgres:17, backups: [{destination: offsite, ${fields}}]}}}}`
const backup = {
  backupId: 'b1',
  postgresId: 'id-orders',
  mysqlId: null,
  mariadbId: null,
  mongoId: null,
  destinationId: 'd1',
  database: 'orders',
  prefix: 'shop-orders',
  schedule: '@daily',
  timezone: 'UTC',
  enabled: true,
  verifySchedule: null,
  keepLatest: null,
  keepDays: null,
  recipient: null,
  signalUrl: null,
} as unknown as Backup

const rule = (id: string, fields: object) => ({ applicationId: 'web', applied: true, reason: null, ...fields, id })
const redirect = (regex: string) =>
  rule('', { redirectId: `r-${regex}`, regex, replacement: 'https://x', permanent: false }) as never
const redirects = (...regexes: string[]) =>
  `applications: {web: {redirects: [${regexes.map((regex) => `{regex: ${regex}, replacement: https://x}`).join()}]}}`
const web = { applicationId: 's1', name: 'web', alias: 'shop-web' } as State['applications'][number]

/** A step in one line: action and record, a `!` before a restart, then the changes. `*` stands for a secret. */
function linesOf(text: string, state: Partial<State>, shouldResendSecrets = false): string[] {
  const file = parseApplyFile(`berth: 1\n${text}`, 'f')
  const plan = planOf({ file, state: { ...nothing, ...state }, resolve: resolverOf(env), shouldResendSecrets })
  const steps = plan.steps.map(({ action, subject, isRestart, changes }) => {
    const fields = changes.map(({ field, from, to, isSecret }) => `${field}: ${isSecret ? '*' : `${from} → ${to}`}`)
    return `${isRestart ? '! ' : ''}${action} ${subject}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  })
  return [...steps, ...plan.notInFile.map((each) => `beside: ${each}`), ...plan.problems.map((each) => `no: ${each}`)]
}

const plans: [name: string, text: string, state: Partial<State>, lines: string[]][] = [
  ['creates a project', 'projects: {shop: {description: x}}', {}, ['create project shop (description: null → x)']],
  ['leaves an equal project', 'projects: {shop: }', { projects: [shop] }, []],
  [
    'changes the description of a project',
    'projects: {shop: {description: x}}',
    { projects: [{ ...shop, description: 'y' }] },
    ['change project shop (description: y → x)'],
  ],
  [
    'refuses a name that two projects have',
    'projects: {shop: }',
    { projects: [shop, { ...shop, projectId: 'p2' }] },
    ['no: project shop: 2 records have this name. Rename or remove all but one'],
  ],
  [
    'orders destinations and projects before databases before backups',
    `${withBackup('schedule: "@daily"')}\n${offsite()}`,
    {},
    [
      'create destination offsite (endpoint: null → https://s3.example, bucket: null → b, accessKey: *, secretKey: *)',
      'create project shop',
      'create database shop/orders (kind: null → postgres, image: null → postgres:17)',
      'deploy database shop/orders',
      'create backup of shop/orders to offsite/shop-orders (schedule: null → @daily, database: null → orders, ' +
        'timezone: null → UTC, enabled: null → true)',
    ],
  ],
  [
    'creates a stopped database without a deploy',
    redis(', state: stopped'),
    { projects: [shop] },
    ['create database shop/cache (kind: null → redis, image: null → redis:8)'],
  ],
  ['leaves a database that is up and equal', redis(), withCache(), []],
  [
    'deploys a database that was created and never deployed',
    redis(),
    withCache({ applicationStatus: 'idle' }),
    ['deploy database shop/cache'],
  ],
  [
    'deploys a database that failed',
    redis(),
    withCache({ applicationStatus: 'error' }),
    ['deploy database shop/cache'],
  ],
  [
    'waits by a deploy for a database that is being deployed',
    redis(),
    withCache({ applicationStatus: 'running' }),
    ['deploy database shop/cache'],
  ],
  [
    'deploys changes that were stored and not deployed',
    redis(),
    withCache({ pendingChanges: true }),
    ['! deploy database shop/cache'],
  ],
  [
    'changes a field and restarts the database',
    redis(', memory: 1 GiB'),
    withCache({ memoryLimit: 512 }),
    ['change database shop/cache (memory: 512 MiB → 1 GiB)', '! deploy database shop/cache'],
  ],
  [
    'resets a field that the file leaves out',
    redis(),
    withCache({ command: '--x', externalPort: 1 }),
    ['change database shop/cache (port: 1 → null, command: --x → null)', '! deploy database shop/cache'],
  ],
  [
    'changes only the port without a restart',
    redis(', port: 6379'),
    withCache(),
    ['change database shop/cache (port: null → 6379)'],
  ],
  [
    'changes the port and the description in two calls',
    redis(', port: 6379, description: x'),
    withCache(),
    ['change database shop/cache (description: null → x)', 'change database shop/cache (port: null → 6379)'],
  ],
  [
    'changes the record of a stopped database only',
    redis(', port: 6379, state: stopped'),
    withCache({ applicationStatus: 'idle' }),
    ['change database shop/cache (port: null → 6379)'],
  ],
  ['stops a database', redis(', state: stopped'), withCache(), ['stop database shop/cache']],
  [
    'leaves a stopped database with stored changes',
    redis(', state: stopped'),
    withCache({ applicationStatus: 'idle', pendingChanges: true }),
    [],
  ],
  ['keeps a generated password', redis(', password: generate'), withCache({ databasePassword: 'x' }), []],
  ['keeps an equal password', redis(', password: "${env:PASSWORD}"'), withCache(), []],
  [
    'changes another password',
    redis(', password: "${env:PASSWORD}"'),
    withCache({ databasePassword: 'x' }),
    ['change database shop/cache (password: *)', '! deploy database shop/cache'],
  ],
  [
    'does not compare a password that this caller cannot read',
    redis(', password: "${env:PASSWORD}"'),
    withCache({ databasePassword: '********' }),
    [],
  ],
  [
    'compares variables by their values',
    redis(', env: {A: 1, B: "x ${env:KEY}"}'),
    withCache({ env: '# x\nB="x the-key"\nA=1' }),
    [],
  ],
  [
    'names variables that change',
    redis(', env: {A: 1, B: 2}'),
    withCache({ env: 'A=0\nC=1\nB=2' }),
    ['change database shop/cache (env.A: *, env.C: *)', '! deploy database shop/cache'],
  ],
  [
    'refuses another kind',
    redis(),
    { projects: [shop], databases: [database('cache', {}, 'mongo')] },
    ['no: database shop/cache: is mongo, and the file says redis. The kind of a database cannot change'],
  ],
  [
    'refuses another node for existing data',
    redis(', node: web-2, appName: other'),
    withCache(),
    [
      'no: database shop/cache: appName is shop-cache and cannot become other after the first deploy',
      'no: database shop/cache: node is web-1 and cannot become web-2 after the first deploy. Move the database: ' +
        'berth move shop/cache',
    ],
  ],
  [
    'names databases that are not in the file',
    redis(),
    { projects: [shop], databases: [database('cache'), database('old')] },
    ['beside: database shop/old'],
  ],
  [
    'refuses a name that two databases of the project have',
    redis(),
    { projects: [shop], databases: [database('cache'), database('cache')] },
    ['no: database shop/cache: 2 records have this name. Rename or remove all but one'],
  ],
  [
    'refuses a backup to an unknown destination',
    withBackup('schedule: "@daily"'),
    { projects: [shop], databases: [orders()] },
    ['no: backup of shop/orders to offsite/shop-orders: there is no destination offsite. Add it below destinations'],
  ],
  [
    'leaves an equal backup',
    withBackup('schedule: "@daily"'),
    { projects: [shop], databases: [orders()], backups: [backup], destinations: [stored] },
    [],
  ],
  [
    'changes a backup, and does not show its signalUrl',
    withBackup('schedule: "@hourly", keepDays: 7, signalUrl: "${env:PING}"'),
    { projects: [shop], databases: [orders()], backups: [backup], destinations: [stored] },
    [
      'change backup of shop/orders to offsite/shop-orders (schedule: @daily → @hourly, keepDays: null → 7, signalUrl: *)',
    ],
  ],
  [
    'knows backups by destination and prefix',
    withBackup('schedule: "@daily", prefix: weekly'),
    { projects: [shop], databases: [orders()], backups: [backup], destinations: [stored] },
    [
      'create backup of shop/orders to offsite/weekly (schedule: null → @daily, database: null → orders, ' +
        'timezone: null → UTC, enabled: null → true)',
      'beside: backup of shop/orders to offsite/shop-orders',
    ],
  ],
  ['leaves an equal destination', offsite(), { destinations: [stored] }, []],
  [
    'sends the secret key with another access key',
    offsite().replace('accessKey: A', 'accessKey: B'),
    { destinations: [stored] },
    ['change destination offsite (accessKey: *, secretKey: *)'],
  ],
  [
    'changes a destination',
    offsite(', region: eu'),
    { destinations: [stored] },
    ['change destination offsite (region: null → eu)'],
  ],
  [
    'creates redirects in the order of the file',
    redirects('a', 'b'),
    {},
    [
      'create redirect of web: a (regex: null → a, replacement: null → https://x, permanent: null → false)',
      'create redirect of web: b (regex: null → b, replacement: null → https://x, permanent: null → false)',
    ],
  ],
  [
    'gives redirects another order',
    redirects('b', 'a'),
    { redirects: [redirect('a'), redirect('b')] },
    ['change redirect of web: b (regex: a → b)', 'change redirect of web: a (regex: b → a)'],
  ],
  [
    'goes on after an interrupted change of the order',
    redirects('b', 'a'),
    { redirects: [redirect('b'), redirect('b')] },
    ['change redirect of web: a (regex: b → a)'],
  ],
  [
    'finds the rules of an application by any of its names',
    redirects('a').replace('web', 'shop-web'),
    { applications: [web], redirects: [redirect('a'), redirect('c')] },
    ['beside: redirect of web: c'],
  ],
  [
    'creates users and keeps those that exist',
    'applications: {web: {users: {alice: "${env:KEY}", bob: "${env:KEY}"}}}',
    {
      securities: [
        rule('', { securityId: 'u1', username: 'bob' }),
        rule('', { securityId: 'u2', username: 'eve' }),
      ] as never,
    },
    ['create user of web: alice (password: *)', 'beside: user of web: eve'],
  ],
  [
    'publishes ports',
    'applications: {web: {ports: [8080:80, 53/udp, 99]}}',
    {
      ports: [
        rule('', { portId: 'o1', publishedPort: 53, targetPort: 54, protocol: 'udp' }),
        rule('', { portId: 'o2', publishedPort: 99, targetPort: 99, protocol: 'tcp', applicationId: 'dns' }),
        rule('', { portId: 'o3', publishedPort: 98, targetPort: 99, protocol: 'tcp' }),
      ] as never,
    },
    [
      'create port of web: 8080 (targetPort: null → 80)',
      'change port of web: 53/udp (targetPort: 54 → 53)',
      'beside: port of web: 98:99',
      'no: port of web: 99: the port leads to dns. Remove that rule, or choose a port',
    ],
  ],
  [
    'refuses a certificate that is none',
    'certificates: {a: {certificate: x, privateKey: "${env:KEY}"}}',
    {},
    ['no: certificate a: certificate is not a certificate in PEM form'],
  ],
]

for (const [name, text, state, lines] of plans) test(name, () => assert.deepEqual(linesOf(text, state), lines))

const fingerprint = '8A:CB'
const certificate = (fields: object) =>
  ({
    certificateId: 'c1',
    name: 'a',
    autoRenew: false,
    renewedAt: null,
    fingerprint256: fingerprint,
    ...fields,
  }) as never
const certificates = (fields = '') =>
  `certificates: {a: {certificate: "\${env:PEM}", privateKey: "\${env:KEY}"${fields}}}`

test('replaces a certificate: creates the new one, then removes the old one', () => {
  const lines = linesOf(certificates(), { certificates: [certificate({})] })
  assert.deepEqual(
    lines.map((line) => line.split(' (')[0]),
    ['change certificate a', 'remove certificate a'],
  )
})

test('keeps a certificate that the proxy has renewed', () => {
  const renewed = certificate({ autoRenew: true, renewedAt: '2030-01-01T00:00:00Z' })
  assert.deepEqual(linesOf(certificates(', autoRenew: true'), { certificates: [renewed] }), [])
})

test('sends secrets again that Berth does not show, if this is asked for', () => {
  const users = 'applications: {web: {users: {bob: "${env:KEY}"}}}'
  const state = { destinations: [stored], securities: [rule('', { securityId: 'u1', username: 'bob' })] as never }
  assert.deepEqual(linesOf(`${offsite()}\n${users}`, state, true), [
    'change destination offsite (secretKey: *)',
    'change user of web: bob (password: *)',
  ])
})
