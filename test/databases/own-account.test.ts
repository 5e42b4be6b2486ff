/** Berth's own account on a server: when it is made, what it is used for, and what happens if rights are missing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Outcome } from '../../src/engine/engine.ts'
import type { Exec } from '../../src/engine/exec.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { ownNameOf } from '../../src/kinds/kind.ts'
import { readConditions, untilPresent } from '../conditions/conditions.ts'
import { until } from '../engine/until.ts'
import { credentialsIn, type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('mysql')

/** A MySQL server that knows passwords of accounts, and whether they can log in over the network. */
interface Server {
  user: string
  root: string
  isRootRemote: boolean
  /** Whether root can log in through the socket. */
  hasSocket: boolean
  /** Name and password of Berth's own account; null if it does not exist. */
  own: { user: string; password: string } | null
  /** The programs that made the account or changed passwords, and who logged in. */
  changes: string[]
}

const success = (stdout = ''): Outcome => ({ exitCode: 0, stdout, stderr: '' })
const refusal: Outcome = { exitCode: 1, stdout: '', stderr: 'ERROR 1045 (28000): Access denied' }

/** Reads a variable that a program sets on standard input. */
function variableIn({ stdin = '' }: Exec, name: string): string {
  const [, hex = ''] = new RegExp(`^set @${name} = convert\\(x'(\\w*)'`, 'm').exec(stdin) ?? []
  return Buffer.from(hex, 'hex').toString()
}

/** Answers as the server does. The programs of MySQL differ in their variables. */
function answerOf(server: Server, program: Exec): Outcome {
  const { env } = program
  if (env.BERTH_IS_INSIDE !== undefined) return create(server, program)
  if (env.BERTH_NEW_ROOT_PASSWORD !== undefined) return rotate(server, program)
  if (env.BERTH_USER?.startsWith('berth_')) {
    return server.own?.user === env.BERTH_USER && server.own.password === env.MYSQL_PWD ? success() : refusal
  }
  if (env.MYSQL_PWD !== server.user) return refusal
  return success(server.isRootRemote && env.BERTH_ROOT_PASSWORD === server.root ? '8.4' : '8.4\nroot refused')
}

function create(server: Server, program: Exec): Outcome {
  const isInside = program.env.BERTH_IS_INSIDE !== ''
  if (!(isInside ? server.hasSocket : server.isRootRemote)) return refusal
  if (program.env.BERTH_ROOT_PASSWORD !== server.root) return refusal
  server.own = { user: variableIn(program, 'own'), password: variableIn(program, 'own_password') }
  server.changes.push(isInside ? 'made inside' : 'made')
  return success()
}

function rotate(server: Server, program: Exec): Outcome {
  const { BERTH_ADMIN: admin, MYSQL_PWD: password } = program.env
  const isOwn = server.own?.user === admin && server.own?.password === password
  if (!isOwn && !(admin === 'root' && server.isRootRemote && password === server.root)) return refusal
  server.user = variableIn(program, 'password')
  if (server.isRootRemote) server.root = variableIn(program, 'root_password')
  server.changes.push(`changed by ${admin}`)
  return success()
}

async function start(change: Partial<Server> = {}) {
  const testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, kind)
  const created = await clients.create({ appName: 'shop-db' })
  const { databasePassword, databaseRootPassword } = credentialsIn(await clients.one(created), kind)
  const server: Server = {
    user: databasePassword!,
    root: databaseRootPassword!,
    isRootRemote: true,
    hasSocket: true,
    own: null,
    changes: [],
    ...change,
  }
  testBerth.engine.answer = (_, program) => answerOf(server, program)
  const database = await clients.complete('deploy', created)
  return { testBerth, clients, database, server }
}

const reload = ({ clients, database }: Awaited<ReturnType<typeof start>>) =>
  clients.complete('reload', database, { appName: database.appName })

const volumeOf = ({ app }: TestBerth, database: Database) =>
  app.db
    .selectFrom('volume')
    .selectAll()
    .where('ownerId', '=', String(database[kind.idField]))
    .executeTakeFirstOrThrow()

describe("Berth's own account", { concurrency: true }, () => {
  test('is made once at the first login, recorded sealed, and in no answer', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { database, server, clients } = started
    assert.deepEqual([server.own!.user, server.changes], [ownNameOf(String(database[kind.idField])), ['made']])
    const { ownAccount, access } = await volumeOf(testBerth, database)
    assert.equal(access, 'complete')
    assert.ok(!ownAccount!.includes(server.own!.password))
    assert.ok(!JSON.stringify(await clients.one(database)).includes(server.own!.password))
    await reload(started)
    assert.deepEqual(server.changes, ['made'])
  })

  test('is made at the next login of a database of an older version, also if that version recorded none', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { database, server } = started
    await testBerth.app.transact((tx) => tx.updateTable('volume').set({ ownAccount: null, access: null }).execute())
    await reload(started)
    assert.deepEqual(server.changes, ['made', 'made'])
    assert.equal((await volumeOf(testBerth, database)).access, 'complete')
  })

  test('works on if root cannot log in over the network: a reload succeeds, and a condition says it', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { clients, database, server } = started
    server.isRootRemote = false
    assert.equal((await reload(started)).applicationStatus, 'done')
    const { DatabaseRootRefused: found } = await untilPresent(testBerth, 'DatabaseRootRefused')
    assert.match(found!.reason, /^The server refuses root over the network/)
    await clients.ok('update', database, { databasePassword: 'changed' })
    assert.equal((await clients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual([server.user, server.changes], ['changed', ['made', `changed by ${server.own!.user}`]])
    server.isRootRemote = true
    await reload(started)
    await untilPresent(testBerth)
  })

  test('is made again over the network or through the socket if it was removed', async () => {
    const started = await start()
    await using _ = started.testBerth
    const { server } = started
    const { own } = server
    server.own = null
    await reload(started)
    assert.deepEqual([server.own, server.changes], [own, ['made', 'made']])
    Object.assign(server, { own: null, isRootRemote: false })
    await reload(started)
    assert.deepEqual([server.own, server.changes], [own, ['made', 'made', 'made inside']])
  })

  test('is not needed to run: without every way to make it, the database is up and a condition says so', async () => {
    const started = await start({ isRootRemote: false, hasSocket: false })
    await using testBerth = started.testBerth
    const { clients, database, server } = started
    assert.equal(database.applicationStatus, 'done')
    await untilPresent(testBerth, 'DatabaseRightsLost')
    await clients.ok('update', database, { databaseRootPassword: 'changed' })
    const { status, body } = await clients.call('deploy', database, {}, wait)
    assert.deepEqual([status, server.changes], [422, []])
    assert.match(body.message, /^The server refuses the new credentials/)
    assert.deepEqual(Object.keys(await readConditions(testBerth)).length > 0, true)
  })

  test('stores a password of root that was changed in the server', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { clients, database, server } = started
    server.root = 'changed inside'
    assert.equal((await reload(started)).applicationStatus, 'done')
    await untilPresent(testBerth, 'DatabaseRootRefused')
    await clients.ok('update', database, { databaseRootPassword: 'changed inside' })
    await clients.complete('deploy', database)
    assert.deepEqual(server.changes, ['made'])
    await untilPresent(testBerth)
  })
})

/** Starts a database on whose server nobody can make the account, and which does so in its maintenance mode. */
async function startLost() {
  const started = await start()
  const { testBerth, server } = started
  const { engine } = testBerth
  const own = server.own!
  Object.assign(server, { own: null, isRootRemote: false, hasSocket: false })
  await reload(started)
  await untilPresent(testBerth, 'DatabaseRightsLost')
  const { answer } = engine
  let shouldRun = true
  engine.answer = (task, program) => {
    const { args, files } = engine.specOf('shop-db')!
    const file = files.find(({ path }) => args.includes(`--init-file=${path}`))
    if (file !== undefined && shouldRun) {
      assert.equal(file.isSecret, true)
      const statements = { argv: [], env: {}, stdin: file.content }
      server.own = { user: variableIn(statements, 'own'), password: variableIn(statements, 'own_password') }
    }
    return answer(task, program)
  }
  engine.behave('shop-db', 'answering')
  const specs: ServiceSpec[] = []
  const { updateService } = engine
  engine.updateService = async (spec) => {
    specs.push(spec)
    await updateService(spec)
    engine.behave('shop-db', 'answering')
  }
  return { ...started, own, specs, refuse: () => (shouldRun = false) }
}

const regain = ({ clients, database }: Awaited<ReturnType<typeof startLost>>) =>
  clients.call('regainAccount', database, { confirm: database.appName }, wait)

describe('the maintenance mode of the server', { concurrency: true }, () => {
  test("makes Berth's own account again without clients, and the server then starts as usual", async () => {
    const started = await startLost()
    await using testBerth = started.testBerth
    const { engine } = testBerth
    const [usual, cleared] = [engine.specOf('shop-db')!, engine.calls.clear]
    const { status, body } = await regain(started)
    assert.deepEqual([status, body.applicationStatus], [200, 'done'])
    assert.deepEqual(started.server.own, started.own)
    const [maintenance, last] = started.specs
    assert.deepEqual([started.specs.length, last], [2, usual])
    assert.notEqual(maintenance!.health!.at(-1), usual.health!.at(-1))
    assert.equal(engine.calls.clear, cleared + 1)
    await untilPresent(testBerth, 'DatabaseRootRefused')
  })

  test('is left again if it does not help: the server starts as before, and the reason says so', async () => {
    const started = await startLost()
    await using testBerth = started.testBerth
    started.refuse()
    const usual = testBerth.engine.specOf('shop-db')!
    const waiting = regain(started)
    await until('the maintenance mode', async () => started.specs.length > 0)
    await until('the return to the usual start', async () => {
      testBerth.pass(5_000)
      return started.specs.length > 1
    })
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(body.message, /maintenance mode, but refuses Berth's own account: .*\nRolled back/)
    assert.deepEqual(testBerth.engine.specOf('shop-db'), usual)
    await untilPresent(testBerth, 'DatabaseRightsLost')
  })

  test('ends after a restart of Berth in the middle, too', async () => {
    const started = await startLost()
    await using testBerth = started.testBerth
    const { clients, database, specs, server, own } = started
    const { engine } = testBerth
    const { updateService } = engine
    for (const count of [1, 2]) {
      // The engine has the change, but Berth ends before it can observe the outcome.
      engine.updateService = async (spec) => {
        await updateService(spec)
        engine.setDown(true)
      }
      if (count === 1) await clients.ok('regainAccount', database, { confirm: database.appName })
      await until('the change', async () => specs.length === count)
      await testBerth.restart()
      engine.setDown(false)
    }
    await until('the end', async () => (await clients.one(database)).applicationStatus === 'done')
    assert.deepEqual([server.own, specs.length], [own, 2])
    await untilPresent(testBerth, 'DatabaseRootRefused')
  })

  test('is only for a server that runs, and needs a confirmation', async () => {
    await using testBerth = await startTestBerth()
    const clients = databaseClientsOf(testBerth, kind)
    const database = await clients.create({ appName: 'shop-db' })
    const confirm = 'shop-db'
    await clients.refused('PRECONDITION_FAILED', 'regainAccount', database, { confirm })
    await clients.complete('deploy', database)
    await clients.refused('BAD_REQUEST', 'regainAccount', database, { confirm: 'other' }, 'confirm')
    await clients.complete('stop', database)
    await clients.refused('PRECONDITION_FAILED', 'regainAccount', database, { confirm })
  })

  test('is refused for Redis, which has no such account', async () => {
    await using testBerth = await startTestBerth()
    const clients = databaseClientsOf(testBerth, kindNamed('redis'))
    const database = await clients.createDeployed({ appName: 'shop-db' })
    await clients.refused('PRECONDITION_FAILED', 'regainAccount', database, { confirm: 'shop-db' })
  })
})

test('a user cannot have a name that begins with berth_', async () => {
  await using testBerth = await startTestBerth()
  for (const name of ['postgres', 'mysql', 'mariadb', 'mongo']) {
    const clients = databaseClientsOf(testBerth, kindNamed(name))
    const database = await clients.create()
    await clients.refused('BAD_REQUEST', 'update', database, { databaseUser: 'berth_me' }, 'databaseUser')
  }
})
