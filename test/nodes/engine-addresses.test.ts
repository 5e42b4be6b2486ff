/** The addresses at which the ports to the engines of other nodes listen. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestBerth } from '../fixtures/test-berth.ts'
import { startNodesBerth } from './cluster.ts'

function bindOf(testBerth: TestBerth): string | null {
  const [configuration] = testBerth.engine.specOf('berth-engine-node2')?.files ?? []
  return /^ *bind (\S+)/m.exec(configuration?.content ?? '')?.[1] ?? null
}

const untilBind = (testBerth: TestBerth, bind: string) =>
  testBerth.until(bind, async () => bindOf(testBerth) === bind || null)

/** Adds a node, and waits until its port is reachable: the loop has then seen all nodes twice. */
async function afterTurns(testBerth: TestBerth, nodeId: string): Promise<void> {
  testBerth.engine.addNode(nodeId, { address: '192.0.2.90' })
  await testBerth.until('the port of the added node', async () => {
    testBerth.pass(1000)
    const { db } = testBerth.app
    const row = await db.selectFrom('nodeEngine').select('state').where('nodeId', '=', nodeId).executeTakeFirst()
    return row?.state === 'reachable' || null
  })
}

describe('the address of an engine port', { concurrency: true }, () => {
  test('follows the node', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2', { address: '192.0.2.20' })
    await untilBind(testBerth, 'ipv4@192.0.2.20:2376')
    testBerth.engine.setNode('node2', { address: '2001:db8::20' })
    await untilBind(testBerth, 'ipv6@2001:db8::20:2376')
  })

  // HAProxy would listen on all addresses of the node, or on none that Berth reaches.
  for (const unknown of ['', '0.0.0.0', '127.0.0.1', '::']) {
    test(`is kept while Swarm reports "${unknown}"`, async () => {
      await using testBerth = await startNodesBerth()
      testBerth.engine.addNode('node2', { address: unknown })
      await afterTurns(testBerth, 'node3')
      assert.equal(bindOf(testBerth), null)
      testBerth.engine.setNode('node2', { address: '192.0.2.20' })
      await untilBind(testBerth, 'ipv4@192.0.2.20:2376')
      testBerth.engine.setNode('node2', { address: unknown })
      await afterTurns(testBerth, 'node4')
      assert.equal(bindOf(testBerth), 'ipv4@192.0.2.20:2376')
    })
  }
})
