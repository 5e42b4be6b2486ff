/** Moves whose steps or copies fail again and again: Berth says why, and ends the wait. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure, EngineUnavailable } from '../../src/engine/engine.ts'
import { waitForRecord } from '../fixtures/database-clients.ts'
import { wait } from '../fixtures/test-berth.ts'
import { checkMoved, checkStayed, type MoveContext, openMove } from './moves.ts'

const noAnswer = () => new EngineFailure('nodeUnreachable', 'No answer')
const busy = () => new EngineFailure('conflict', 'Update out of sequence')

/** Makes a part of the engine fail while the move is at a step. Returns the function that ends the failure. */
type BreakEngine = (context: MoveContext) => () => void

/** The engine port of the old node does not answer when the data is about to be copied. */
const closePort: BreakEngine = ({ testBerth: { engine }, database }) => {
  const { hasVolume } = engine
  engine.hasVolume = async (name, nodeId) => {
    if (name === database.volume) throw noAnswer()
    return hasVolume(name, nodeId)
  }
  return () => void Object.assign(engine, { hasVolume })
}

/** The service of the database cannot be scaled to zero. */
const keepBusy: BreakEngine = ({ testBerth: { engine }, database }) => {
  const { updateService } = engine
  engine.updateService = async (spec) => {
    if (spec.name === database.appName) throw busy()
    return updateService(spec)
  }
  return () => void Object.assign(engine, { updateService })
}

const failures: [title: string, breakEngine: BreakEngine, failure: string][] = [
  ['the port of the old node', closePort, 'No answer'],
  ['the stop of the database', keepBusy, 'Update out of sequence'],
]

const stepOf = async ({ testBerth }: MoveContext) =>
  (await testBerth.app.db.selectFrom('move').select('step').executeTakeFirst())?.step

const delayed = ({ testBerth, databaseClients, database }: MoveContext) =>
  waitForRecord(testBerth, databaseClients, database, ({ statusCode }) => statusCode === 'MoveDelayed')

/** Begins a move and waits until Berth has recorded that it is delayed. */
async function beginDelayedMove(context: MoveContext) {
  const { testBerth, databaseClients, database } = context
  const reply = databaseClients.call('move', database, { node: 'second' }, wait)
  await testBerth.until('the failure of a step', async () =>
    testBerth.logged.some(({ event }) => event === 'a step of a move failed and will be repeated') ? true : null,
  )
  testBerth.pass(10_000)
  return { reply, record: await delayed(context) }
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('moves that are delayed', { concurrency: true }, () => {
  for (const [title, breakEngine, failure] of failures) {
    test(`reports that ${title} fails, and returns to the old node after three minutes`, async () => {
      await using context = await openMove()
      const mend = breakEngine(context)
      const { reply, record } = await beginDelayedMove(context)
      assert.equal(record.applicationStatus, 'running')
      assert.match(record.statusReason!, new RegExp(`^The move to second does not proceed: .*${failure}`))
      context.testBerth.pass(180_000)
      await context.testBerth.until('the end of the wait', async () =>
        ['back', undefined].includes(await stepOf(context)) ? true : null,
      )
      mend()
      const { status, body } = await reply
      assert.equal(status, 422)
      assert.match(body.message, new RegExp(`could not be moved to second: .*${failure}.*Rolled back`, 's'))
      await checkStayed(context)
    })

    test(`goes on when ${title} works again`, async () => {
      await using context = await openMove()
      const gate = Promise.withResolvers<void>()
      context.volumes.beforeJob = (jobKind) => (jobKind === 'load' ? gate.promise : undefined)
      const mend = breakEngine(context)
      const { reply } = await beginDelayedMove(context)
      context.testBerth.pass(160_000)
      mend()
      const { testBerth, databaseClients, database } = context
      await waitForRecord(testBerth, databaseClients, database, ({ statusCode }) => statusCode === 'Moving')
      gate.resolve()
      assert.equal((await reply).status, 200)
      await checkMoved(context)
    })
  }
  copyTests()
  returnTests()
})

function copyTests(): void {
  /** Breaks the connection to the first `count` dumps of the source. Returns how many dumps began. */
  const breakDumps = ({ volumes }: MoveContext, count: number, failure: Error) => {
    let begun = 0
    volumes.beforeJob = (jobKind, host) => {
      if (jobKind !== 'dump' || !host.startsWith('berth-source-')) return
      if (++begun <= count) throw failure
    }
    return () => begun
  }

  const breaks: [title: string, failure: Error][] = [
    ["Berth's own engine", new EngineUnavailable('The connection broke')],
    ['the engine of another node', new EngineFailure('nodeUnreachable', 'The connection broke')],
  ]
  for (const [title, failure] of breaks) {
    test(`repeats a copy whose connection to ${title} breaks`, async () => {
      await using context = await openMove()
      breakDumps(context, 3, failure)
      await context.databaseClients.ok('move', context.database, { node: 'second' }, wait)
      await checkMoved(context)
    })

    test(`returns to the old node if the connection of four copies to ${title} breaks`, async () => {
      await using context = await openMove()
      const begun = breakDumps(context, Number.POSITIVE_INFINITY, failure)
      const { status, body } = await context.databaseClients.call('move', context.database, { node: 'second' }, wait)
      assert.equal(status, 422)
      assert.match(body.message, /could not be moved to second: .*The connection broke.*Rolled back/s)
      assert.equal(begun(), 4)
      await checkStayed(context)
    })
  }

  test('does not repeat a copy that fails otherwise', async () => {
    await using context = await openMove()
    const begun = breakDumps(context, 1, new EngineFailure('failed', 'No space left on device'))
    const { status } = await context.databaseClients.call('move', context.database, { node: 'second' }, wait)
    assert.equal(status, 422)
    assert.equal(begun(), 1)
    await checkStayed(context)
  })
}

function returnTests(): void {
  const failCopy = ({ volumes }: MoveContext) => {
    volumes.beforeJob = (jobKind) => (jobKind === 'load' ? 3 : undefined)
  }

  test('does not wait for a job on a node that does not answer before it returns', async () => {
    await using context = await openMove()
    const { engine } = context.testBerth
    failCopy(context)
    const { removeJob } = engine
    engine.removeJob = async (name, nodeId) => {
      if (nodeId === 'node2') throw noAnswer()
      return removeJob(name, nodeId)
    }
    const reply = context.databaseClients.call('move', context.database, { node: 'second' }, wait)
    const { deploymentId } = await context.testBerth.until(
      'the move',
      async () => (await context.testBerth.app.db.selectFrom('move').selectAll().executeTakeFirst()) ?? null,
    )
    engine.leaveJob(`berth-old-${deploymentId}`, deploymentId, 'node2')
    assert.equal((await reply).status, 422)
    const record = await context.databaseClients.one(context.database)
    assert.deepEqual([record.node, record.volume], [context.database.node, context.database.volume])
  })

  test('does not wait for more than two minutes for the end of the new server before it returns', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients, database } = context
    failCopy(context)
    testBerth.engine.linger('node2', true)
    const reply = databaseClients.call('move', database, { node: 'second' }, wait)
    const { deploymentId } = await testBerth.until(
      'the failure of the move',
      async () =>
        (await testBerth.app.db.selectFrom('move').selectAll().where('step', '=', 'back').executeTakeFirst()) ?? null,
    )
    await testBerth.until('the removal of the new server', async () =>
      testBerth.engine.specOf(`berth-target-${deploymentId}`) === null ? true : null,
    )
    assert.equal(await stepOf(context), 'back')
    testBerth.pass(120_000)
    assert.equal((await reply).status, 422)
    assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 1)
    testBerth.engine.linger('node2', false)
    await checkStayed(context)
  })
}
