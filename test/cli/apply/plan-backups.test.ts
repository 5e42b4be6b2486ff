/** Tests of the planner of `berth apply` as a table: destinations and backups. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type PlanCase,
  linesOf,
  shop,
  orders,
  redis,
  stored,
  withCache,
  offsite,
  withBackup,
  backup,
  rule,
} from './plan-fixture.ts'

const plans: PlanCase[] = [
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
  [
    'backs up all databases of Redis',
    `${redis(', backups: [{destination: offsite, schedule: "@daily"}]')}`,
    { ...withCache(), destinations: [stored] },
    [
      'create backup of shop/cache to offsite/shop-cache (schedule: null → @daily, database: null → all, ' +
        'timezone: null → UTC, enabled: null → true)',
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
]

for (const [name, text, state, lines] of plans) test(name, () => assert.deepEqual(linesOf(text, state), lines))

test('sends secrets again that Berth does not show, if this is asked for', () => {
  const users = 'applications: {web: {users: {bob: "${env:KEY}"}}}'
  const state = { destinations: [stored], securities: [rule('', { securityId: 'u1', username: 'bob' })] as never }
  assert.deepEqual(linesOf(`${offsite()}\n${users}`, state, true), [
    'change destination offsite (secretKey: *)',
    'change user of web: bob (password: *)',
  ])
})
