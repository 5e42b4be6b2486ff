/** What a person sees of a deployment whose steps the engine does not answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeploymentReason } from '../../src/deployments/reason.ts'
import { EngineFailure, EngineUnavailable } from '../../src/engine/engine.ts'
import { fromJson, type Json } from '../../src/lib/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const outage = new EngineUnavailable('The engine did not answer POST /x within 10000 ms')

async function setUp() {
  const testBerth = await startTestBerth()
  return { testBerth, clients: databaseClientsOf(testBerth, kind), [Symbol.asyncDispose]: () => testBerth.close() }
}

/** Makes calls of the method reject for the service `name`. The functions of the result count and end this. */
function breakMethod(testBerth: TestBerth, method: 'createService' | 'removeService', name: string, error: Error) {
  const { engine } = testBerth
  const original = { createService: engine.createService, removeService: engine.removeService }
  let failures = 0
  const checked =
    <T>(nameOf: (subject: T) => string, call: (subject: T) => Promise<void>) =>
    async (subject: T) => {
      if (nameOf(subject) !== name) return call(subject)
      failures++
      throw error
    }
  if (method === 'createService') engine.createService = checked((spec) => spec.name, original.createService)
  else engine.removeService = checked((it) => it, original.removeService)
  return {
    repair: () => Object.assign(engine, original),
    /** Waits for two more failures: the first of them can have begun before the call. */
    async untilFailed() {
      const before = failures
      await testBerth.until('failed steps', async () => failures > before + 1 || null)
    },
  }
}

/**
 * Waits for two more failed turns of the loop `services`: the first of them can have begun before the call. Calls of the
 * engine do not tell this, because other loops make them too.
 */
async function untilTurnsFailed(testBerth: TestBerth): Promise<void> {
  const failures = async () =>
    Number(/^berth_loop_failures\{loop="services"\} (\d+)$/m.exec(await testBerth.app.metrics())![1])
  const before = await failures()
  await testBerth.until('failed turns', async () => (await failures()) > before + 1 || null)
}

const warnings = ({ logged }: TestBerth) =>
  logged.filter(({ event }) => event === 'a deployment waits for the engine').map(({ fields }) => fields.databaseId)

async function reasonOfRemoval(testBerth: TestBerth) {
  const removal = (await testBerth.everything()).deployment!.find(({ action }) => action === 'remove')!
  return { state: removal.state, reason: fromJson(removal.reason as Json<DeploymentReason> | null) }
}

describe('an engine that does not answer', { concurrency: true }, () => {
  test('is the status of a deployment after 10 seconds, until a step gets through', async () => {
    await using context = await setUp()
    const { testBerth, clients } = context
    const database = await clients.create({ appName: 'shop-db' })
    const broken = breakMethod(testBerth, 'createService', 'shop-db', outage)
    await clients.ok('deploy', database)
    await broken.untilFailed()
    assert.equal((await clients.one(database)).statusReason, null)
    testBerth.pass(10_000)
    const waiting = await waitForRecord(testBerth, clients, database, ({ statusCode }) => statusCode !== null)
    assert.deepEqual(
      [waiting.applicationStatus, waiting.statusCode, waiting.statusReason],
      ['running', 'EngineUnavailable', `Waiting for Berth's Docker engine: ${outage.message}`],
    )
    await broken.untilFailed()
    assert.deepEqual(warnings(testBerth), [clients.idOf(database)])
    testBerth.engine.behave('shop-db', 'starting')
    broken.repair()
    const again = await waitForRecord(testBerth, clients, database, ({ statusCode }) => statusCode === null)
    assert.equal(again.applicationStatus, 'running')
  })

  test('is the status of all deployments if no query gets through, and not after their end', async () => {
    await using context = await setUp()
    const { testBerth, clients } = context
    const [first, second] = [await clients.createDeployed(), await clients.create()]
    testBerth.engine.setDown(true)
    await clients.ok('stop', first)
    await clients.ok('deploy', second)
    await untilTurnsFailed(testBerth)
    testBerth.pass(10_000)
    for (const each of [first, second])
      await waitForRecord(testBerth, clients, each, ({ statusCode }) => statusCode === 'EngineUnavailable')
    await testBerth.restart()
    testBerth.engine.setDown(false)
    const ends = [first, second].map((each) =>
      waitForRecord(testBerth, clients, each, ({ applicationStatus }) => applicationStatus !== 'running'),
    )
    assert.deepEqual(
      (await Promise.all(ends)).map(({ applicationStatus, statusReason }) => [applicationStatus, statusReason]),
      [
        ['idle', null],
        ['done', null],
      ],
    )
  })

  test('is the status of a deployment also if the engine refuses the queries, as one whose swarm is locked', async () => {
    await using context = await setUp()
    const { testBerth, clients } = context
    const { engine } = testBerth
    const database = await clients.create()
    const { prepare, servicesNamed } = engine
    const refusal = new EngineFailure('conflict', 'The swarm is locked')
    const refuse = async () => {
      throw refusal
    }
    Object.assign(engine, { prepare: refuse, servicesNamed: refuse })
    await clients.ok('deploy', database)
    await untilTurnsFailed(testBerth)
    assert.equal((await clients.one(database)).statusReason, null)
    testBerth.pass(10_000)
    const waiting = await waitForRecord(testBerth, clients, database, ({ statusCode }) => statusCode !== null)
    assert.deepEqual([waiting.applicationStatus, waiting.statusCode], ['running', 'EngineUnavailable'])
    assert.match(waiting.statusReason!, /The swarm is locked$/)
    Object.assign(engine, { prepare, servicesNamed })
    await waitForRecord(testBerth, clients, database, ({ applicationStatus }) => applicationStatus === 'done')
    assert.equal((await clients.one(database)).statusReason, null)
  })

  test('is the reason of a removal, until the removal goes on', async () => {
    await using context = await setUp()
    const { testBerth, clients } = context
    const database = await clients.createDeployed({ appName: 'old-db' })
    const broken = breakMethod(testBerth, 'removeService', 'old-db', outage)
    await clients.ok('remove', database)
    await broken.untilFailed()
    assert.equal((await reasonOfRemoval(testBerth)).reason, null)
    testBerth.pass(10_000)
    await testBerth.until('the reason', async () => (await reasonOfRemoval(testBerth)).reason)
    assert.deepEqual((await reasonOfRemoval(testBerth)).reason, { reason: 'EngineUnavailable', detail: outage.message })
    testBerth.engine.linger('node1', true)
    broken.repair()
    await testBerth.until('a step', async () => (await reasonOfRemoval(testBerth)).reason === null || null)
    assert.equal((await reasonOfRemoval(testBerth)).state, 'running')
    testBerth.engine.linger('node1', false)
    await testBerth.until('the end', async () => (await reasonOfRemoval(testBerth)).state === 'done' || null)
  })

  test('does not delay the databases whose steps it answers', async () => {
    await using context = await setUp()
    const { testBerth, clients } = context
    const [stuck, other] = [await clients.create({ appName: 'stuck-db' }), await clients.create()]
    const broken = breakMethod(testBerth, 'createService', 'stuck-db', outage)
    await clients.ok('deploy', stuck)
    await broken.untilFailed()
    assert.equal((await clients.ok('deploy', other, {}, wait)).applicationStatus, 'done')
    assert.equal((await clients.one(stuck)).applicationStatus, 'running')
  })
})

test('a removal that the engine refuses for now has the reason after 10 seconds', async () => {
  await using context = await setUp()
  const { testBerth, clients } = context
  const database = await clients.createDeployed({ appName: 'old-db' })
  const broken = breakMethod(testBerth, 'removeService', 'old-db', new EngineFailure('conflict', 'out of sequence'))
  await clients.ok('remove', database)
  await broken.untilFailed()
  assert.equal((await reasonOfRemoval(testBerth)).reason, null)
  testBerth.pass(10_000)
  await testBerth.until('the reason', async () => (await reasonOfRemoval(testBerth)).reason)
  assert.deepEqual((await reasonOfRemoval(testBerth)).reason, {
    reason: 'EngineFailed',
    failure: 'conflict',
    detail: 'out of sequence',
  })
  broken.repair()
  await testBerth.until('the end', async () => (await reasonOfRemoval(testBerth)).state === 'done' || null)
  assert.equal((await reasonOfRemoval(testBerth)).reason, null)
})
