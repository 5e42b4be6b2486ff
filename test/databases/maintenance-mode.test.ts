/** Berth makes its own account in the maintenance mode of a server, if nobody is left there who could make it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { untilPresent } from '../conditions/conditions.ts'
import type { Behaviour } from '../engine/memory/state.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'
import { kind, reload, start, variableIn } from './owned-server.ts'

/** Starts a database on whose server nobody can make the account, and which does so in its maintenance mode. */
async function startLost(inMaintenance: Behaviour = 'answering') {
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
    engine.behave('shop-db', specs.length === 1 ? inMaintenance : 'answering')
    await updateService(spec)
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

  test('is left again if the container fails in it', async () => {
    const started = await startLost('crash:1')
    await using testBerth = started.testBerth
    const usual = testBerth.engine.specOf('shop-db')!
    const { status, body } = await regain(started)
    assert.equal(status, 422)
    assert.match(body.message, /exit code 1(?:.|\n)*\nRolled back/i)
    assert.deepEqual(testBerth.engine.specOf('shop-db'), usual)
    assert.equal((await started.clients.one(started.database)).applicationStatus, 'error')
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
