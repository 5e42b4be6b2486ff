/** The number of engine calls for watching many databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specsOf } from '../../src/databases/reconcile/specs.ts'
import { openTarget, sealTarget } from '../../src/databases/targets.ts'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

test('makes as many engine calls for 1,000 unchanged databases as for one', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  await databaseClients.createDeployed()
  await addCopies(testBerth, 999)
  const before = { ...testBerth.engine.calls }
  await testBerth.until('three turns', async () => testBerth.engine.calls.tasks >= before.tasks + 3 || null)
  const { services, tasks, detached, nodes, ...others } = testBerth.engine.calls
  const {
    services: servicesBefore,
    tasks: tasksBefore,
    detached: detachedBefore,
    nodes: nodesBefore,
    ...othersBefore
  } = before
  assert.deepEqual(others, othersBefore)
  const turns = services - servicesBefore
  for (const calls of [tasks - tasksBefore, detached - detachedBefore]) {
    assert.ok(Math.abs(calls - turns) <= 1, `${calls} calls in ${turns} turns`)
  }
  // The loops of nodes and of the ports to their engines also list the nodes.
  assert.ok(nodes - nodesBefore <= 3 * turns + 3, `${nodes - nodesBefore} calls for nodes in ${turns} turns`)
  const { database, deployment } = await testBerth.everything()
  assert.deepEqual([database!.length, deployment!.length], [1000, 1])
})

/** Adds `count` running copies of the only database to the store and to the engine. */
async function addCopies(testBerth: TestBerth, count: number): Promise<void> {
  const { db, vault, config } = testBerth.app
  const original = await db.selectFrom('database').selectAll().executeTakeFirstOrThrow()
  const target = openTarget(vault, 'target', original)!
  const rows = Array.from({ length: count }, (_, at) => {
    const id = `${original.id}-${at}`
    return { ...original, id, appName: `db-${at}`, target: sealTarget(vault, 'target', id, target) }
  })
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  for (const row of rows) await testBerth.engine.createService(specsOf(row, target, volume, kind, config).database)
  const taskOf = new Map((await testBerth.engine.tasks()).map(({ serviceName, id }) => [serviceName, id]))
  await testBerth.app.transact(async (tx) => {
    for (const row of rows) {
      await tx
        .insertInto('database')
        .values({ ...row, provenTask: taskOf.get(row.appName)! })
        .execute()
    }
  })
}
