/**
 * A sixth kind needs only one object and one entry in the list of kinds. The kind then has all operations. On a real
 * swarm its databases start, accept a changed password, and are removed with or without their data.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { kinds } from '../../src/kinds/index.ts'
import { type Address, type Kind, kind } from '../../src/kinds/kind.ts'
import { isSameVersion } from '../../src/lib/text/version.ts'
import type { Swarm } from './swarm.ts'

const settings = z.object({
  databasePassword: z
    .string()
    .max(100)
    .regex(/^[ -~]*$/),
})
type Settings = z.output<typeof settings>

/** Quotes a text for the configuration file of the server, each character by its code. */
const quoted = (text: string) => `"${text.replace(/./g, (it) => `\\x${it.charCodeAt(0).toString(16)}`)}"`
const cli = (address: Address, { databasePassword }: Settings) => ({
  argv: ['redis-cli', '-h', address.host, '-p', String(address.port)],
  env: { REDISCLI_AUTH: databasePassword },
})
const script = 'test "$("$@" --no-auth-warning ping)" = PONG'

const shelf = kind({
  name: 'shelf',
  label: 'Shelf',
  idField: 'shelfId',
  defaultImage: 'redis:7',
  port: 6379,
  isAppNameOptional: false,
  settings,
  secrets: ['databasePassword'],
  serverPrograms: ['redis-server'],
  seriesEnds: [],
  logFaults: [],
  reserved: {},
  versionOf: (tag) => /^\d+/.exec(tag ?? '')?.[0] ?? null,
  imageVersion: { variables: ['REDIS_VERSION'], argv: ['redis-server', '--version'], printed: / v=(\S+)/ },
  initializesOnce: false,
  opens: isSameVersion,
  dataPath: () => '/data',
  dataFiles: { folder: '/data', names: ['data.db'] },
  env: () => ({}),
  launch: ({ databasePassword }, command) => ({
    args: [...command, '--appendonly', 'yes', '--include', '/shelf.conf'],
    files: [{ path: '/shelf.conf', content: `requirepass ${quoted(databasePassword)}\n` }],
  }),
  url: ({ databasePassword }, { host, port }) => `redis://:${encodeURIComponent(databasePassword)}@${host}:${port}`,
  health: ['sh', '-c', 'sleep 1; redis-cli ping'],
  ready(credentials, address) {
    const { argv, env } = cli(address, credentials)
    return { argv: ['sh', '-c', script, 'shelf', ...argv], env }
  },
  rotate: (from, to, address) => ({
    ...cli(address, from),
    stdin: `config set requirepass ${quoted(to.databasePassword)}\n`,
  }),
})

// Modules read the list when they are loaded, so the new kind must be in the list before.
;(kinds as Kind[]).push(shelf)
const [{ clients }, { briefSuite }, { onSwarm }] = await Promise.all([
  import('./clients.ts'),
  import('./kind-suite.ts'),
  import('./swarm.ts'),
])
const [{ operations }, { databaseClientsOf }, { startTestBerth, wait }] = await Promise.all([
  import('../../src/operations.ts'),
  import('../fixtures/database-clients.ts'),
  import('../fixtures/test-berth.ts'),
])

const verbsOf = (group: string) =>
  operations
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${group}.`))
    .map((it) => it.split('.')[1]!)

/** All operations except `create`, `remove` and `regainAccount`, in an order in which each succeeds. */
const steps: [verb: string, input: Record<string, unknown>][] = [
  ['deploy', {}],
  ['one', {}],
  ['logs', {}],
  ['stats', {}],
  ['saveExternalPort', { externalPort: 16379 }],
  ['saveEnvironment', { env: 'A=1' }],
  ['update', { description: 'of books' }],
  ['reload', { appName: 'books' }],
  ['stop', {}],
  ['start', {}],
  ['changeStatus', { applicationStatus: 'done' }],
]

test('a sixth kind has the operations of the other kinds, each of them works, and its project lists it', async () => {
  const verbs = steps.map(([verb]) => verb)
  assert.deepEqual(verbsOf('shelf').toSorted(), ['create', 'remove', 'regainAccount', ...verbs].toSorted())
  // Only kinds with backups have `move`.
  for (const { name } of kinds) {
    assert.deepEqual(
      verbsOf(name).filter((verb) => verb !== 'move'),
      verbsOf('shelf'),
      name,
    )
  }
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, shelf)
  const database = await databaseClients.create({ appName: 'books' })
  for (const [verb, input] of steps) await databaseClients.ok(verb, database, input, wait)
  // Berth makes no account of its own on servers of this kind.
  const regain = { [shelf.idField]: database[shelf.idField], confirm: 'books' }
  await testBerth.refused('PRECONDITION_FAILED', 'shelf.regainAccount', regain)
  const listed = async () =>
    (await testBerth.ok<{ shelf: unknown[] }>('project.one', { projectId: testBerth.projectId })).shelf
  assert.equal((await listed()).length, 1)
  await databaseClients.remove(database)
  assert.deepEqual(await listed(), [])
})

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

briefSuite(shelf, { ...clients.redis!, images: ['redis:7'] }, () => berth)
