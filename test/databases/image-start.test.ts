/** Images that start in another way: with a command in place of an entry point, or with a line for a shell. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { officialStart } from '../engine/memory/engine.ts'
import { hash } from './images.ts'

let testBerth: TestBerth
let redis: DatabaseClients
/** The entry point and the command of each image; others start like the official images. */
const starts = new Map([
  ['script:8', { entrypoint: [], command: ['/entrypoint.sh'] }],
  ['script:16', { entrypoint: [], command: ['/entrypoint.sh'] }],
  ['shell:8', { entrypoint: ['/bin/sh', '-c', 'redis-server'], command: [] }],
  ['server:8', { entrypoint: [], command: ['redis-server'] }],
])

before(async () => {
  testBerth = await startTestBerth()
  const ids = new Map([...starts].map(([name, start]) => [hash(name), start]))
  testBerth.engine.images = (reference) => ({
    id: reference.startsWith('sha256:') ? reference : hash(reference),
    digest: null,
    architecture: 'amd64',
    env: [],
    start: starts.get(reference) ?? ids.get(reference) ?? officialStart,
  })
  redis = databaseClientsOf(testBerth, kindNamed('redis'))
})
after(() => testBerth.close())

for (const [dockerImage, reason, message] of [
  ['script:8', 'CommandIsNotServer', /image script:8 has no entry point .*: \/entrypoint\.sh\. Nothing was changed/],
  [
    'shell:8',
    'EntrypointIgnoresArguments',
    /entry point of shell:8 .*: \/bin\/sh -c redis-server\. Nothing was changed/,
  ],
] as const) {
  test(`${reason}: the first deploy creates no service and no volume`, async () => {
    const database = await redis.create({ dockerImage })
    const { status, body } = await redis.call('deploy', database, {}, wait)
    assert.deepEqual([status, body.reason], [422, reason])
    assert.match(body.message, message)
    const { applicationStatus, statusCode, volume } = await redis.one(database)
    assert.deepEqual([applicationStatus, statusCode, volume], ['error', reason, null])
    assert.equal(testBerth.engine.specOf(database.appName), null)
  })

  test(`${reason}: the deploy of a running database changes nothing`, async () => {
    const database = await redis.createDeployed()
    const tasks = await redis.tasks(database)
    await redis.ok('update', database, { dockerImage })
    const { status, body } = await redis.call('deploy', database, {}, wait)
    assert.deepEqual([status, body.reason], [422, 'RolledBack'])
    assert.match(body.message, message)
    assert.deepEqual(await redis.tasks(database), tasks)
  })
}

test('a command that the resolved image cannot take is refused, and one that names a program is passed on', async () => {
  const postgres = databaseClientsOf(testBerth, kindNamed('postgres'))
  const database = await postgres.createDeployed({ dockerImage: 'script:16' })
  const tasks = await postgres.tasks(database)
  await postgres.ok('update', database, { command: '-c work_mem=8MB' })
  const { status, body } = await postgres.call('deploy', database, {}, wait)
  assert.deepEqual([status, body.reason], [422, 'RolledBack'])
  assert.match(body.message, /begin the field command with a program of the image .* such as postgres/)
  assert.deepEqual(await postgres.tasks(database), tasks)
  await postgres.ok('update', database, { command: '/entrypoint.sh -c work_mem=8MB' })
  await postgres.complete('deploy', database)
  assert.deepEqual(testBerth.engine.specOf(database.appName)!.args, ['/entrypoint.sh', '-c', 'work_mem=8MB'])
})

test('a target with an argument that Berth refuses now is not started, and its server stays', async () => {
  const database = await redis.createDeployed()
  const tasks = await redis.tasks(database)
  const { db, transact } = testBerth.app
  const command = "--user 'alice on nopass'"
  const change = { command, pendingChanges: 1 as const }
  const { appName } = database
  await transact((tx) => tx.updateTable('database').set(change).where('appName', '=', appName).execute())
  assert.equal(
    (await db.selectFrom('database').select('command').where('appName', '=', appName).executeTakeFirst())?.command,
    command,
  )
  const { status, body } = await redis.call('deploy', database, {}, wait)
  assert.deepEqual([status, body.reason], [422, 'RolledBack'])
  assert.match(body.message, /must not contain --user: Berth keeps the users in a file/)
  assert.deepEqual(await redis.tasks(database), tasks)
})

test('a server that is the command of its image starts with the arguments of Berth', async () => {
  const database = await redis.createDeployed({ dockerImage: 'server:8', command: '--save 60' })
  const { args } = testBerth.engine.specOf(database.appName)!
  assert.deepEqual(args.slice(0, 4), ['redis-server', '--save', '60', '--daemonize'])
})

test('the program that runs before the server gets the entry point of the image', async () => {
  for (const [dockerImage, { entrypoint }] of [
    ['redis:8', officialStart],
    ['server:8', starts.get('server:8')!],
  ] as const) {
    const database = await redis.createDeployed({ dockerImage })
    const { command, files } = testBerth.engine.specOf(database.appName)!
    assert.deepEqual(command, ['sh', '/usr/local/etc/berth/start.sh', ...entrypoint])
    assert.ok(files.some(({ path }) => path === command[1]))
  }
  const postgres = databaseClientsOf(testBerth, kindNamed('postgres'))
  const { appName } = await postgres.createDeployed()
  assert.equal(testBerth.engine.specOf(appName)!.command, undefined)
})
