/** Failed and interrupted moves: the database keeps its data, and Berth resumes after a crash. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { JobStopped } from '../../src/engine/job.ts'
import { waitForRecord } from '../fixtures/database-clients.ts'
import { wait } from '../fixtures/test-berth.ts'
import { inventory } from './fake-volumes.ts'
import { checkMoved, checkStayed, openMove, sideOf } from './moves.ts'

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('failed moves', { concurrency: true }, () => {
  failureTests()
  crashTests()
})

function failureTests(): void {
  test('reports content that cannot be copied before the database stops, without secrets', async () => {
    await using context = await openMove()
    const { databaseClients, database, volumes, testBerth } = context
    volumes.contents.get(database.volume!)!.list = inventory("account\t'bob'\t'%'\tthe-hash-of-bob")
    const tasks = await databaseClients.tasks(database)
    const { status, body } = await databaseClients.call('move', database, { node: 'second' }, wait)
    assert.equal(status, 422)
    assert.match(body.message, /could not be moved to second.*account 'bob'/)
    assert.doesNotMatch(body.message, /the-hash-of-bob/)
    await checkStayed(context)
    assert.deepEqual(await databaseClients.tasks(database), tasks)
    assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 1)
  })

  const parts: [title: string, fail: (jobKind: string, host: string) => boolean][] = [
    ['the dump', (jobKind, host) => jobKind === 'dump' && host.startsWith('berth-source-')],
    ['the restore', (jobKind) => jobKind === 'load'],
    ['the dump for the comparison', (jobKind, host) => jobKind === 'dump' && host.startsWith('berth-target-')],
  ]
  for (const [title, fail] of parts) {
    test(`returns to the old node if ${title} fails`, async () => {
      await using context = await openMove()
      context.volumes.beforeJob = (jobKind, host) => (fail(jobKind, host) ? 3 : undefined)
      const { status, body } = await context.databaseClients.call('move', context.database, { node: 'second' }, wait)
      assert.equal(status, 422)
      assert.match(body.message, /could not be moved to second: .*exit code 3.*the job failed.*Rolled back/s)
      await checkStayed(context)
      context.volumes.beforeJob = () => undefined
      await context.databaseClients.ok('move', context.database, { node: 'second' }, wait)
      assert.equal((await context.databaseClients.one(context.database)).node, 'second')
    })
  }

  test('fails a move if the copy differs from the original', async () => {
    await using context = await openMove()
    context.volumes.beforeJob = (jobKind, host) => {
      if (jobKind !== 'dump' || !host.startsWith('berth-target-')) return
      const copy = [...context.volumes.contents].find(([name]) => name !== context.database.volume)![1]
      copy.dump = 'INSERT INTO `t` VALUES (1);\n'
    }
    const { body } = await context.databaseClients.call('move', context.database, { node: 'second' }, wait)
    assert.match(body.message, /The copy of the database shop differs from the original\. .*1 row instead of 2/)
    await checkStayed(context)
  })

  test('keeps the database running if the new server does not start', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients, database, volumes } = context
    volumes.beforeJob = (jobKind, host) => {
      if (jobKind !== 'ask') return
      testBerth.engine.behave(host, 'out of memory')
      return 1
    }
    const {
      body: { message },
    } = await databaseClients.call('move', database, { node: 'second' }, wait)
    assert.match(message, /The temporary server for the copy on second did not start/)
    await checkStayed(context)
  })

  test('returns to the old node when the new node becomes unavailable', async () => {
    await using context = await openMove()
    const gate = Promise.withResolvers<void>()
    context.volumes.beforeJob = (jobKind) => (jobKind === 'load' ? gate.promise : undefined)
    const response = context.databaseClients.call('move', context.database, { node: 'second' }, wait)
    await context.testBerth.until('the copy', async () =>
      context.volumes.jobs.some(([jobKind]) => jobKind === 'load') ? true : null,
    )
    context.testBerth.engine.setNode('node2', { state: 'down' })
    const { body } = await response
    gate.resolve()
    assert.match(body.message, /Node second .* is down/)
    const record = await context.databaseClients.one(context.database)
    assert.deepEqual([record.node, record.volume], [context.database.node, context.database.volume])
    context.testBerth.engine.setNode('node2', { state: 'ready' })
    await checkStayed(context)
  })
}

function crashTests(): void {
  /** The job during which Berth stops, and the server of the job. */
  const crashes: [jobKind: string, side: string][] = [
    ['ask', 'target'],
    ['list', 'live'],
    ['ask', 'source'],
    ['dump', 'source'],
    ['load', 'target'],
    ['dump', 'target'],
  ]
  for (const [at, side] of crashes) {
    test(`resumes a move after a restart during the job ${at} of the ${side} server`, async () => {
      await using context = await openMove()
      const { testBerth, databaseClients, database, volumes } = context
      const gate = Promise.withResolvers<void>()
      let isPaused = false
      volumes.beforeJob = (jobKind, host) => {
        if (jobKind !== at || sideOf(host) !== side || isPaused) return
        isPaused = true
        return gate.promise
      }
      await databaseClients.ok('move', database, { node: 'second' })
      await testBerth.until('the job', async () => (isPaused ? true : null))
      await testBerth.restart(async () => gate.resolve())
      await waitForRecord(
        testBerth,
        databaseClients,
        database,
        (record) => record.applicationStatus === 'done' && record.node === 'second',
      )
      await checkMoved(context)
    })
  }

  test('resumes a move after a restart while the files of a new server are written', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients, database } = context
    const { writeFiles } = testBerth.engine
    const begun = Promise.withResolvers<void>()
    testBerth.engine.writeFiles = async ({ nodeId }, signal) => {
      assert.equal(nodeId, 'node2')
      begun.resolve()
      if (!signal.aborted) await once(signal, 'abort')
      throw new JobStopped('The job was stopped')
    }
    await databaseClients.ok('move', database, { node: 'second' })
    await begun.promise
    await testBerth.restart(async () => void Object.assign(testBerth.engine, { writeFiles }))
    await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus !== 'running',
    )
    await checkMoved(context)
  })

  test('removes a job that an earlier process of Berth left', async () => {
    await using context = await openMove()
    context.volumes.beforeJob = (jobKind) => (jobKind === 'load' ? 3 : undefined)
    const response = context.databaseClients.call('move', context.database, { node: 'second' }, wait)
    const move = await context.testBerth.until(
      'the move',
      async () => (await context.testBerth.app.db.selectFrom('move').selectAll().executeTakeFirst()) ?? null,
    )
    context.testBerth.engine.leaveJob(`berth-old-${move.deploymentId}`, move.deploymentId)
    assert.equal((await response).status, 422)
    await checkStayed(context)
  })
}
