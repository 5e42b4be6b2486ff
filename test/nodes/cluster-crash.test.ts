/** Failing removals of nodes: reasons, restored availability, and resumption after a crash. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { begin, ended, manager, present, runThere, workOn } from './cluster.ts'
import { type Failure, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

// Berth's loop runs at most once a second, so the tests of this file run concurrently.
describe('removing a node, against odds', { concurrency: true }, () => {
  failureTests()
  crashTests()
})

function failureTests(): void {
  test('ends a removal after ten minutes, and restores the availability of the node', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { availability: 'pause' })
    testBerth.engine.setNode('node2', { availability: 'active' })
    await runThere(testBerth)
    testBerth.engine.setNode('node2', { availability: 'pause' })
    testBerth.engine.linger('node2', true)
    const waiting = testBerth.call<Failure>('cluster.removeWorker', { nodeId: 'node2' }, wait)
    await testBerth.until('the wait', async () =>
      /theirs/.test((await workOn(testBerth))?.reason ?? '') ? true : null,
    )
    testBerth.pass(600_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(body.message, /After 10 minutes .*1 container of theirs still there.*availability is pause again/)
    const node = await present(testBerth)
    assert.deepEqual([node?.availability, node?.removal], ['pause', null])
    testBerth.engine.linger('node2', false)
    assert.equal((await testBerth.call('cluster.removeWorker', { nodeId: 'node2' }, wait)).status, 200)
  })

  test('waits for an engine that is down meanwhile', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await runThere(testBerth)
    testBerth.engine.linger('node2', true)
    await begin(testBerth)
    testBerth.engine.setDown(true)
    const engineQueries = testBerth.engine.calls.prepare
    await testBerth.until('looks in vain', async () =>
      testBerth.engine.calls.prepare > engineQueries + 1 ? true : null,
    )
    testBerth.engine.linger('node2', false)
    testBerth.engine.setDown(false)
    assert.equal((await ended(testBerth)).state, 'done')
  })
}

function crashTests(): void {
  /** The engine calls of a removal, and what has been done when Berth ends at each of them. */
  const crashes = [
    ['nothing', 'nodes', false],
    ['the drain', 'updateNode', true],
    ['the look at what is left', 'tasksOn', false],
    ['the removal', 'removeNode', true],
    ['the removal that was asked for and not done', 'removeNode', false],
  ] as const
  for (const [after, method, isDone] of crashes) {
    test(`resumes a removal when Berth ends after ${after}`, async () => {
      await using testBerth = await startTestBerth()
      testBerth.engine.addNode('node2', manager)
      testBerth.engine.addNode('node3', manager)
      await runThere(testBerth)
      await begin(testBerth)
      await dieAt(testBerth, method, isDone)
      const work = await ended(testBerth, 100)
      assert.deepEqual([work.state, work.reason], ['done', null])
      assert.equal(await present(testBerth), undefined)
      assert.deepEqual(
        await testBerth.app.db.selectFrom('node').select(['id', 'deploymentId']).orderBy('id').execute(),
        [
          { id: 'node1', deploymentId: null },
          { id: 'node3', deploymentId: null },
        ],
      )
    })
  }

  test('restores the availability after a restart in the middle of restoring it', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await runThere(testBerth)
    testBerth.engine.linger('node2', true)
    await begin(testBerth)
    await testBerth.until('the wait', async () =>
      /theirs/.test((await workOn(testBerth))?.reason ?? '') ? true : null,
    )
    testBerth.pass(600_000)
    await dieAt(testBerth, 'updateNode', true)
    assert.match((await ended(testBerth)).reason!, /After 10 minutes/)
    assert.equal((await present(testBerth))?.availability, 'active')
  })
}

/**
 * Once the method is called, the engine does it (`isDone`) and nothing of it is learned: neither then nor by anything
 * that is asked after it, until another Berth is there.
 */
async function dieAt(testBerth: TestBerth, method: 'nodes' | 'updateNode' | 'tasksOn' | 'removeNode', isDone: boolean) {
  const real = testBerth.engine[method] as (...args: unknown[]) => Promise<unknown>
  let isReached = false
  const dying = async (...args: unknown[]) => {
    if (isDone) await real(...args)
    testBerth.engine.setDown(true)
    isReached = true
    throw new Error('Berth ended here')
  }
  Object.assign(testBerth.engine, { [method]: dying })
  await testBerth.until('the end of Berth', async () => {
    testBerth.pass(100)
    return isReached ? true : null
  })
  await testBerth.restart(async () => {
    Object.assign(testBerth.engine, { [method]: real })
    testBerth.engine.setDown(false)
  })
}
