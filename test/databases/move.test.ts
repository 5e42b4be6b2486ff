/** Moving a database to another node: the copied data, and refusals. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { operations } from '../../src/operations.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { type Database, waitForRecord } from '../fixtures/database-clients.ts'

import { type Failure, type Input, wait } from '../fixtures/test-berth.ts'
import { checkMoved, kind, openMove, sideOf, volumeRecords } from './moves.ts'

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('moving', { concurrency: true }, () => {
  moveTests()
  refusalTests()
})

function moveTests(): void {
  test('moves data and port to the new node, keeps the old volume, and moves back by the id of a node', async () => {
    await using context = await openMove()
    const moved = await context.databaseClients.ok('move', context.database, { node: 'second' }, wait)
    assert.deepEqual([moved.node, moved.applicationStatus], ['second', 'done'])
    await checkMoved(context)
    const [work] = (await context.testBerth.ok<Input[]>('deployment.all')).filter(({ action }) => action === 'move')
    assert.deepEqual([work!.state, work!.phase, work!.reason], ['done', 'apply', null])
    const returned = await context.databaseClients.ok('move', context.database, { node: 'node1' }, wait)
    assert.deepEqual([returned.node, returned.applicationStatus], ['memory', 'done'])
  })

  test('checks the inventory while the database runs, and copies while the database is stopped', async () => {
    await using context = await openMove()
    const { testBerth, database, volumes } = context
    const copies: string[] = []
    volumes.beforeJob = (jobKind, host) => {
      const { replicas } = testBerth.engine.specOf(database.appName)!
      copies.push(`${jobKind} ${sideOf(host)} ${replicas}`)
    }
    await context.databaseClients.ok('move', database, { node: 'second' }, wait)
    assert.deepEqual(inPairs(copies), [
      ...['ask target 1', 'own target 1', 'list live 1', 'give live 1 and take target 1', 'list target 1'],
      ...['ask source 0', 'ask target 0', 'own target 0', 'list source 0', 'give source 0 and take target 0'],
      ...['dump source 0 and load target 0', 'dump target 0', 'list target 0'],
    ])
  })

  test('volume.restore creates a service on the kept volume of a move', async () => {
    await using context = await openMove()
    await context.databaseClients.ok('move', context.database, { node: 'second' }, wait)
    const old = (await volumeRecords(context.testBerth)).find(({ state }) => state === 'kept')!
    const database = await context.testBerth.ok<Database>('volume.restore', {
      volumeId: old.volumeId,
      name: 'before',
      appName: 'before',
      projectId: context.testBerth.projectId,
    })
    assert.equal((await context.databaseClients.complete('deploy', database)).node, 'memory')
  })

  test('exists for every kind with an inventory of the server', () => {
    const names = operations.map(({ name }) => name)
    for (const { name, backup } of kinds) {
      assert.equal(names.includes(`${name}.move`), backup?.serverInventory !== undefined)
    }
    assert.ok(kinds.filter(({ backup }) => backup?.serverInventory !== undefined).length >= 4)
  })
}

/** The jobs in order. Those two of which one feeds the other begin in any order, so they are joined. */
function inPairs(jobs: string[]): string[] {
  const [job, next, ...rest] = jobs
  if (job === undefined || next === undefined) return jobs
  const pair = [job, next].sort()
  const isPair = /^(give|dump)/.test(pair[0]!) && /^(take|load)/.test(pair[1]!)
  return isPair ? [pair.join(' and '), ...inPairs(rest)] : [job, ...inPairs([next, ...rest])]
}

function refusalTests(): void {
  test('refuses an unknown, the present or an unavailable node, and changes nothing', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients, database } = context
    const refused = (code: Failure['code'], node: unknown, path?: string) =>
      databaseClients.refused(code, 'move', database, { node }, path)
    await refused('NOT_FOUND', 'nobody', 'node')
    for (const node of ['', 5, null, 'a\u0000b']) await refused('BAD_REQUEST', node, 'node')
    for (const node of ['node1', 'memory']) assert.match((await refused('CONFLICT', node)).message, /on memory already/)
    testBerth.engine.addNode('node3', { hostname: 'second' })
    await refused('BAD_REQUEST', 'second', 'node')
    for (const patch of [{ availability: 'drain' }, { availability: 'pause' }, { state: 'down' }] as const) {
      testBerth.engine.addNode('node4', patch)
      assert.match((await refused('CONFLICT', 'node4')).message, /node4, /)
      testBerth.engine.takeNode('node4')
    }
  })

  test('refuses a database that is stopped, never deployed or being restored', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients, database } = context
    const refused = async (pattern: RegExp) =>
      assert.match((await databaseClients.refused('CONFLICT', 'move', database, { node: 'node2' })).message, pattern)
    const run = {
      id: 'run',
      kind: kind.name,
      databaseId: databaseClients.idOf(database),
      database: 'shop',
      destinationId: 'none',
      action: 'restore',
      trigger: 'manual',
      status: 'waiting',
    } as const
    // The run is due so late that the loop does not start it.
    await testBerth.app.transact((tx) => insertRun(tx, run, new Date('2099-01-01')))
    await refused(/The run run \(restore\) is under way/)
    await testBerth.app.transact((tx) => tx.deleteFrom('backupRun').execute())
    await databaseClients.ok('stop', database, {}, wait)
    await refused(/does not run\. Call mysql\.deploy/)
    const created = await databaseClients.create({ appName: 'other' })
    await databaseClients.refused('CONFLICT', 'move', created, { node: 'node2' })
  })

  test('refuses other work during a move, and accepts changes of the record', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients, database, volumes } = context
    const gate = Promise.withResolvers<void>()
    volumes.beforeJob = (jobKind) => (jobKind === 'dump' ? gate.promise : undefined)
    const response = await databaseClients.ok('move', database, { node: 'node2' })
    assert.deepEqual([response.applicationStatus, response.node], ['running', 'memory'])
    await testBerth.until('the copy', async () => (volumes.jobs.some(([jobKind]) => jobKind === 'dump') ? true : null))
    const calls: [verb: string, more: Input][] = [
      ['deploy', {}],
      ['start', {}],
      ['stop', {}],
      ['reload', { appName: database.appName }],
      ['remove', {}],
      ['saveExternalPort', { externalPort: null }],
    ]
    for (const [verb, more] of calls) {
      const { status, body } = await databaseClients.call(verb, database, more)
      assert.deepEqual([status, body.code], [409, 'CONFLICT'], verb)
      assert.match(body.message, /is being moved to second \(deployment /)
    }
    assert.match((await databaseClients.call('move', database, { node: 'node2' })).body.message, /Work on this service/)
    await databaseClients.ok('update', database, { description: 'on its way' })
    const { statusReason, statusCode } = await databaseClients.one(database)
    assert.deepEqual([statusReason, statusCode], ['Stopped while its data is moved to node second', 'Moving'])
    gate.resolve()
    await waitForRecord(testBerth, databaseClients, database, (record) => record.applicationStatus === 'done')
    await checkMoved(context)
  })
}
