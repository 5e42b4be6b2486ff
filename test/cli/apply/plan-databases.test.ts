/** Tests of the planner of `berth apply` as a table: projects and databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PlanCase, linesOf, shop, database, redis, withCache, redirect, redirects } from './plan-fixture.ts'

const plans: PlanCase[] = [
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
    ['change database shop/cache (password: *)', 'deploy database shop/cache'],
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
    'goes on after an interrupted change of the order',
    redirects('b', 'a'),
    { redirects: [redirect('b'), redirect('b')] },
    ['change redirect of web: a (regex: b → a)'],
  ],
]

for (const [name, text, state, lines] of plans) test(name, () => assert.deepEqual(linesOf(text, state), lines))
