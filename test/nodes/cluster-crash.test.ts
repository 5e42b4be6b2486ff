/** Removals of nodes that do not go well: what is told, what is given back, and that no crash loses anything. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { begin, ended, manager, present, runThere, workOn } from './cluster.ts'
import { type Failure, type Site, startSite, wait } from '../fixtures/site.ts'

// Berth looks once a second at most: the tests of this file wait side by side.
describe('removing a node, against odds', { concurrency: true }, () => {
  failureTests()
  crashTests()
})

function failureTests(): void {
  test('what does not end in ten minutes ends the work, and the node gets back what it had', async () => {
    await using site = await startSite()
    site.engine.addNode('node2', { availability: 'pause' })
    site.engine.setNode('node2', { availability: 'active' })
    await runThere(site)
    site.engine.setNode('node2', { availability: 'pause' })
    site.engine.linger('node2', true)
    const waiting = site.call<Failure>('cluster.removeWorker', { nodeId: 'node2' }, wait)
    await site.until('the wait', async () => (/theirs/.test((await workOn(site))?.reason ?? '') ? true : null))
    site.pass(600_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(body.message, /After 10 minutes .*1 container of theirs still there.*availability is pause again/)
    const node = await present(site)
    assert.deepEqual([node?.availability, node?.removal], ['pause', null])
    site.engine.linger('node2', false)
    assert.equal((await site.call('cluster.removeWorker', { nodeId: 'node2' }, wait)).status, 200)
  })

  test('an engine that is away meanwhile is waited for', async () => {
    await using site = await startSite()
    site.engine.addNode('node2')
    await runThere(site)
    site.engine.linger('node2', true)
    await begin(site)
    site.engine.setDown(true)
    const looks = site.engine.calls.prepare
    await site.until('looks in vain', async () => (site.engine.calls.prepare > looks + 1 ? true : null))
    site.engine.linger('node2', false)
    site.engine.setDown(false)
    assert.equal((await ended(site)).state, 'done')
  })
}

function crashTests(): void {
  /** What of the engine is asked in the course of it, and what has been done when Berth ends there. */
  const crashes = [
    ['nothing', 'nodes', false],
    ['the drain', 'updateNode', true],
    ['the look at what is left', 'tasksOn', false],
    ['the removal', 'removeNode', true],
    ['the removal that was asked for and not done', 'removeNode', false],
  ] as const
  for (const [after, method, isDone] of crashes) {
    test(`a Berth that ends after ${after} goes on where it was`, async () => {
      await using site = await startSite()
      site.engine.addNode('node2', manager)
      site.engine.addNode('node3', manager)
      await runThere(site)
      await begin(site)
      await dieAt(site, method, isDone)
      const work = await ended(site, 100)
      assert.deepEqual([work.state, work.reason], ['done', null])
      assert.equal(await present(site), undefined)
      assert.deepEqual(await site.app.db.selectFrom('node').select(['id', 'deploymentId']).orderBy('id').execute(), [
        { id: 'node1', deploymentId: null },
        { id: 'node3', deploymentId: null },
      ])
    })
  }

  test('a Berth that ends while it gives the availability back does that when it is there again', async () => {
    await using site = await startSite()
    site.engine.addNode('node2')
    await runThere(site)
    site.engine.linger('node2', true)
    await begin(site)
    await site.until('the wait', async () => (/theirs/.test((await workOn(site))?.reason ?? '') ? true : null))
    site.pass(600_000)
    await dieAt(site, 'updateNode', true)
    assert.match((await ended(site)).reason!, /After 10 minutes/)
    assert.equal((await present(site))?.availability, 'active')
  })
}

/**
 * Once the method is called, the engine does it (`isDone`) and nothing of it is learned: neither then nor by anything
 * that is asked after it, until another Berth is there.
 */
async function dieAt(site: Site, method: 'nodes' | 'updateNode' | 'tasksOn' | 'removeNode', isDone: boolean) {
  const real = site.engine[method] as (...args: unknown[]) => Promise<unknown>
  let isReached = false
  const dying = async (...args: unknown[]) => {
    if (isDone) await real(...args)
    site.engine.setDown(true)
    isReached = true
    throw new Error('Berth ended here')
  }
  Object.assign(site.engine, { [method]: dying })
  await site.until('the end of Berth', async () => {
    site.pass(100)
    return isReached ? true : null
  })
  await site.restart(async () => {
    Object.assign(site.engine, { [method]: real })
    site.engine.setDown(false)
  })
}
