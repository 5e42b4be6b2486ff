/** Failing removals of nodes: reasons, restored availability, and resumption after a crash. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { beginRemoval, untilRemovalEnds, manager, readNode, runForeignService, readDeployment } from './cluster.ts'
import { type Failure, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

// Berth's loop runs at most once a second, so the tests of this file run concurrently.
describe('failing and interrupted removals of nodes', { concurrency: true }, () => {
  failureTests()
  crashTests()
})

function failureTests(): void {
  test('ends a removal after ten minutes, and restores the availability of the node', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { availability: 'pause' })
    testBerth.engine.setNode('node2', { availability: 'active' })
    await runForeignService(testBerth)
    testBerth.engine.setNode('node2', { availability: 'pause' })
    testBerth.engine.linger('node2', true)
    const waiting = testBerth.call<Failure>('cluster.removeWorker', { nodeId: 'node2' }, wait)
    await untilTasksAreAwaited(testBerth)
    testBerth.pass(600_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(
      body.message,
      /within 10 minutes\. .*1 container of foreign is still there.*availability is pause again/,
    )
    const node = await readNode(testBerth)
    assert.deepEqual([node?.availability, node?.removal], ['pause', null])
    testBerth.engine.linger('node2', false)
    assert.equal((await testBerth.call('cluster.removeWorker', { nodeId: 'node2' }, wait)).status, 200)
  })

  test('continues a removal when an unavailable engine is available again', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await runForeignService(testBerth)
    testBerth.engine.linger('node2', true)
    await beginRemoval(testBerth)
    testBerth.engine.setDown(true)
    // A turn first asks the swarm which process is in charge.
    const callsBefore = testBerth.engine.calls.readCharge
    await testBerth.until('two failing turns', async () =>
      testBerth.engine.calls.readCharge > callsBefore + 1 ? true : null,
    )
    testBerth.engine.linger('node2', false)
    testBerth.engine.setDown(false)
    assert.equal((await untilRemovalEnds(testBerth)).state, 'done')
  })
}

function crashTests(): void {
  /** The engine calls of a removal at which Berth crashes, and whether the engine executes the call. */
  const crashes = [
    ['before the drain', 'nodes', false],
    ['after the drain', 'updateNode', true],
    ['at the query of the remaining tasks', 'tasksOn', false],
    ['after the engine removed the node', 'removeNode', true],
    ['at a removal that the engine did not execute', 'removeNode', false],
  ] as const
  for (const [moment, method, isExecuted] of crashes) {
    test(`resumes a removal after a crash ${moment}`, async () => {
      await using testBerth = await startTestBerth()
      testBerth.engine.addNode('node2', manager)
      testBerth.engine.addNode('node3', manager)
      await runForeignService(testBerth)
      await beginRemoval(testBerth)
      await crashAt(testBerth, method, isExecuted)
      const deployment = await untilRemovalEnds(testBerth, 100)
      assert.deepEqual([deployment.state, deployment.reason], ['done', null])
      assert.equal(await readNode(testBerth), undefined)
      assert.deepEqual(
        await testBerth.app.db.selectFrom('node').select(['id', 'deploymentId']).orderBy('id').execute(),
        [
          { id: 'node1', deploymentId: null },
          { id: 'node3', deploymentId: null },
        ],
      )
    })
  }

  test('restores the availability of the node after a crash during the restoration', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await runForeignService(testBerth)
    testBerth.engine.linger('node2', true)
    await beginRemoval(testBerth)
    await untilTasksAreAwaited(testBerth)
    testBerth.pass(600_000)
    await crashAt(testBerth, 'updateNode', true)
    assert.match((await untilRemovalEnds(testBerth)).reason!, /within 10 minutes/)
    assert.equal((await readNode(testBerth))?.availability, 'active')
  })
}

/** Waits until the removal waits for the tasks of the service `foreign`. */
function untilTasksAreAwaited(testBerth: TestBerth): Promise<true> {
  return testBerth.until('the removal to wait for tasks', async () =>
    (await readDeployment(testBerth))?.reasonCode === 'TasksOnNode' ? true : null,
  )
}

/**
 * Simulates a crash of Berth at the next call of `method`, and starts Berth again. Berth gets no result of this call and
 * of all later calls.
 * @param isExecuted whether the engine executes the call
 */
async function crashAt(
  testBerth: TestBerth,
  method: 'nodes' | 'updateNode' | 'tasksOn' | 'removeNode',
  isExecuted: boolean,
) {
  const real = testBerth.engine[method] as (...args: unknown[]) => Promise<unknown>
  let isReached = false
  const crash = async (...args: unknown[]) => {
    if (isExecuted) await real(...args)
    testBerth.engine.setDown(true)
    isReached = true
    throw new Error('Berth crashes here')
  }
  Object.assign(testBerth.engine, { [method]: crash })
  await testBerth.until('the crash of Berth', async () => {
    testBerth.pass(100)
    return isReached ? true : null
  })
  await testBerth.restart(async () => {
    Object.assign(testBerth.engine, { [method]: real })
    testBerth.engine.setDown(false)
  })
}
