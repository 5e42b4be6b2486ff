/** Tests of the parser of files of `berth apply`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApplyFile } from '../../../cli/apply/parse.ts'
import { envText, isWritable } from '../../../shared/env-text.ts'
import { portIn, variablesOf } from '../../../cli/units.ts'

/** The messages of the errors, a line each, without the name of the file. */
function errorsOf(text: string): string[] {
  try {
    parseApplyFile(text, 'f')
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => line.replace(/^f:/, ''))
  }
  return []
}

const postgres = (fields: string) => `berth: 1
projects:
  shop:
    databases:
      orders: {kind: postgres, image: postgres:17, ${fields}}`

const wrong: [name: string, text: string, errors: string[]][] = [
  ['an empty file', '', ['1:1: berth: must be 1, the version of the format']],
  ['another version', 'berth: 2', ['1:1: berth: must be 1, the version of the format']],
  ['a list', '- 1', ['1:1: must be a mapping']],
  ['an unknown key', 'berth: 1\nprojets: {}', ['2:1: projets: unknown key. Did you mean projects?']],
  [
    'an unknown key that resembles none',
    'berth: 1\nquux: {}',
    ['2:1: quux: unknown key. The keys are berth, destinations, projects, applications, certificates'],
  ],
  [
    'a kind that does not exist',
    'berth: 1\nprojects: {a: {databases: {b: {kind: oracle}}}}',
    ['2:32: projects.a.databases.b.kind: must be postgres, mysql, mariadb, mongo or redis'],
  ],
  [
    'a missing image',
    'berth: 1\nprojects: {a: {databases: {b: {kind: redis}}}}',
    ['2:28: projects.a.databases.b.image: is required'],
  ],
  [
    'a field of another kind',
    'berth: 1\nprojects: {a: {databases: {b: {kind: redis, image: redis:8, user: ann}}}}',
    [
      '2:61: projects.a.databases.b.user: unknown key. The keys are kind, image, appName, description, state, port, ' +
        'memory, memoryReservation, cpu, cpuReservation, startTimeout, node, nodeLabel, env, command, password, backups',
    ],
  ],
  [
    'the database of a backup of Redis',
    'berth: 1\nprojects: {a: {databases: {b: {kind: redis, image: redis:8, backups: [{database: "0"}]}}}}',
    [
      '2:71: projects.a.databases.b.backups.0.destination: is required',
      '2:71: projects.a.databases.b.backups.0.schedule: is required',
      '2:72: projects.a.databases.b.backups.0.database: unknown key. The keys are destination, schedule, prefix, ' +
        'timezone, enabled, verifySchedule, keepLatest, keepDays, recipient, signalUrl',
    ],
  ],
  ['a port as a text', postgres('port: "15432"'), ['5:52: projects.shop.databases.orders.port: must be a number']],
  [
    'a size without a unit',
    postgres('memory: 512m'),
    ['5:52: projects.shop.databases.orders.memory: must be a size such as 512 MiB or 2 GiB'],
  ],
  [
    'a reference in a field that plans show',
    postgres('command: "-c x=${env:X}"'),
    [
      '5:52: projects.shop.databases.orders.command: must not contain a reference to an environment variable. ' +
        'References stand only for secrets',
    ],
  ],
  [
    'a backup of a MongoDB without the name of a database',
    `berth: 1
projects:
  a: {databases: {b: {kind: mongo, image: mongo:8, backups: [{destination: d, schedule: "@daily"}]}}}`,
    ['3:62: projects.a.databases.b.backups.0.database: is required'],
  ],
  [
    'wrong rules of an application',
    `berth: 1
applications:
  web:
    ports: [70000, 5353:53/sctp]
    redirects: [{regex: a}]
    users: {alice: secret}`,
    [
      '4:13: applications.web.ports.0: must be a port such as 8080, 8080:80 or 5353:53/udp',
      '4:20: applications.web.ports.1: must be a port such as 8080, 8080:80 or 5353:53/udp',
      '5:17: applications.web.redirects.0.replacement: is required',
      '6:13: applications.web.users.alice: must be a reference to an environment variable, such as ${env:NAME}',
    ],
  ],
  [
    'an error in a merged mapping',
    'berth: 1\nprojects: {a: {databases: {b: &b {kind: redis, imge: x}, c: {<<: *b}}}}',
    [
      '2:28: projects.a.databases.b.image: is required',
      '2:48: projects.a.databases.b.imge: unknown key. Did you mean image?',
      '2:58: projects.a.databases.c.image: is required',
      '2:48: projects.a.databases.c.imge: unknown key. Did you mean image?',
    ].sort(),
  ],
  ['a name with a slash', 'berth: 1\nprojects: {a/b: }', ['2:12: projects.a/b: must not contain a /']],
  ['a key that is there twice', 'berth: 1\nprojects: {}\nprojects: {}', ['3:1: Map keys must be unique']],
  ['a second document', 'berth: 1\n---\nberth: 1', ['2:1: a second document begins here. A file has one document']],
]

for (const [name, text, errors] of wrong) {
  test(`refuses ${name}`, () => assert.deepEqual(errorsOf(text).sort(), errors.sort()))
}

test('reports the errors of a file in the order of their places', () => {
  const places = errorsOf(postgres('port: x, memory: y, imag: z')).map((line) => line.split(': ')[0])
  assert.deepEqual(places, ['5:52', '5:61', '5:72'])
})

test('never repeats a text of the file that may be a secret', () => {
  const texts = [
    postgres('password: hunter2-secret'),
    postgres('password: [hunter2-secret'),
    `${postgres('')}\nhunter2-secret`,
    'berth: 1\ndestinations: {d: {secretKey: hunter2-secret, bucket: [hunter2-secret]}}',
  ]
  for (const text of texts) {
    assert.ok(errorsOf(text).length > 0)
    assert.doesNotMatch(errorsOf(text).join(), /hunter2/)
  }
})

test('refuses files that would exhaust the memory', () => {
  const anchors = Array.from({ length: 8 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join()}]`)
  const bomb = `berth: 1\na0: &a0 [x, x, x]\n${anchors.join('\n')}`
  assert.deepEqual(errorsOf(bomb), ['f repeats its anchors too often, or an alias has no anchor'])
  assert.deepEqual(errorsOf(`berth: 1 #${'x'.repeat(1_048_576)}`), ['f has more than 1 MiB'])
  assert.ok(errorsOf('['.repeat(200_000)).length <= 51)
})

test('reads anchors, aliases and merged mappings', () => {
  const file = parseApplyFile(
    `berth: 1
projects:
  shop:
    databases:
      a: &small {kind: redis, image: redis:8, memory: 1 GiB, env: &env {A: 1, B: true}}
      b: {<<: *small, memory: 256 MiB, env: *env}`,
    'f',
  )
  const { a, b } = file.projects.shop!.databases
  assert.deepEqual([a!.memory, b!.memory, b!.image, b!.env], [1024, 256, 'redis:8', { A: '1', B: 'true' }])
})

test('takes empty sections for left out', () => {
  const file = parseApplyFile('berth: 1\nprojects:\n  shop:\ndestinations:\n', 'f')
  assert.deepEqual(file.projects, { shop: { description: null, databases: {} } })
  assert.deepEqual(file.destinations, {})
})

const values = ['', 'plain', 'a b', "it's", '"quoted"', 'a#b', ' spaces ', 'line\nend', '`', '\\n', '$HOME', 'é✓', "'`"]

test('writes environment variables so that they are read back', () => {
  for (const value of values) {
    assert.ok(isWritable(value), value)
    assert.deepEqual(variablesOf(envText({ A: value, B: 'x' })), { A: value, B: 'x' })
  }
  assert.equal(isWritable(`'"\``), false)
  assert.equal(isWritable("'`\\n"), false)
})

test('reads ports in the form of Compose', () => {
  assert.deepEqual(portIn('8080'), { publishedPort: 8080, targetPort: 8080, protocol: 'tcp' })
  assert.deepEqual(portIn('5353:53/udp'), { publishedPort: 5353, targetPort: 53, protocol: 'udp' })
  assert.deepEqual(['0', '70000', '1:2:3', 'x', '1-2'].map(portIn), [null, null, null, null, null])
})
