/** The reason of a failed deploy. Berth scales a service to zero after a failed first deploy, else rolls it back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Behaviour } from '../engine/memory/state.ts'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { failDeploy } from './fail-deploy.ts'

const kind = kinds[0]!
const minute = 60_000

/** How the container behaves, the time that passes, and the pattern of the reported reason. */
const failures: [title: string, behaviour: Behaviour, passesMs: number, reason: RegExp][] = [
  ['a crash loop', 'crash:3', 0, /^The server ended with exit code 3\. Its last lines:\nline one\nlast line/],
  ['a server that exits without an error', 'crash:0', 0, /^The .*\. Its last lines:\nline one\nlast line/],
  [
    'out of memory',
    'out of memory',
    0,
    /^The server ended with exit code 137: out of memory \(memoryLimit is 64 MiB\)\. Its last lines:\nline one/,
  ],
  [
    'an image for another architecture',
    'rejected:unsupported platform',
    0,
    /another architecture .*\(unsupported platform\)/,
  ],
  [
    'a program that is missing in the image',
    'failed:executable file not found in $PATH',
    0,
    /\(executable file not found in \$PATH\)/,
  ],
  [
    'a reservation that no node can satisfy',
    'pending:no suitable node (insufficient resources on 1 node)',
    10_000,
    /^The node has too little free memory or CPU for the reservation \(no suitable node/,
  ],
  [
    'a node that is not available',
    'pending:no suitable node (scheduling constraints not satisfied on 1 node)',
    10_000,
    /^The node that holds the volume is not available/,
  ],
  [
    'a server that is not ready within its startTimeout',
    'starting',
    3 * minute,
    /^Not ready in time: the server did not answer within 3 minutes/,
  ],
  ['an image whose pull does not end', 'preparing', 15 * minute, /^The image was not pulled within 15 minutes/],
]

// Each test waits for turns of the loop, so the tests run concurrently.
describe('reasons of failed deploys', { concurrency: true }, () => {
  test('names the fault first, even if it is not in the last twenty lines', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    testBerth.engine.behave('shop-db', 'crash:1')
    const later = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    testBerth.engine.lastLines.set('shop-db', ["[ERROR] mariadbd: unknown variable 'x=1'", ...later])
    const fault = "^The server ended with exit code 1: mariadbd: unknown variable 'x=1'\\. Its last lines:\nline 10\n"
    await failDeploy(testBerth, databaseClients, database, 0, new RegExp(fault))
  })

  for (const [title, behaviour, passesMs, reason] of failures) {
    test(`fails a first deploy with the reason and scales the service to zero: ${title}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create({ appName: 'shop-db' })
      await databaseClients.ok('update', database, { memoryLimit: 64, startTimeout: 3 })
      testBerth.engine.behave('shop-db', behaviour)
      testBerth.engine.lastLines.set('shop-db', ['line one', 'last line'])
      const message = await failDeploy(testBerth, databaseClients, database, passesMs, reason)
      const after = await databaseClients.one(database)
      assert.deepEqual(
        [after.applicationStatus, after.statusReason, after.containerState, after.lastDeployedAt],
        ['error', message, null, null],
      )
      assert.deepEqual([testBerth.engine.specOf('shop-db')!.replicas, await databaseClients.tasks(database)], [0, []])
      await databaseClients.refused('PRECONDITION_FAILED', 'reload', database, { appName: 'shop-db' })
      testBerth.engine.behave('shop-db', 'running')
      const done = await databaseClients.complete('deploy', database)
      assert.deepEqual([done.applicationStatus, done.statusReason], ['done', null])
    })

    test(`fails a later deploy with the reason and rolls back: ${title}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.createDeployed({ appName: 'shop-db' })
      await databaseClients.ok('update', database, { memoryLimit: 64, startTimeout: 3, env: 'A=1' })
      testBerth.engine.behave('shop-db', behaviour)
      testBerth.engine.lastLines.set('shop-db', ['line one', 'last line'])
      const { updateService } = testBerth.engine
      testBerth.engine.updateService = async (spec) => {
        if (spec.env.A === undefined) testBerth.engine.behave('shop-db', 'running')
        return updateService(spec)
      }
      const rollback = 'Rolled back: the last good specification runs and answers\\.'
      const rolledBack = new RegExp(`${reason.source}(.|\\n)*\\n${rollback}$`)
      const message = await failDeploy(testBerth, databaseClients, database, passesMs, rolledBack)
      const after = await databaseClients.one(database)
      assert.deepEqual(
        [after.applicationStatus, after.statusReason, after.pendingChanges, after.env],
        ['error', message, true, 'A=1'],
      )
      assert.deepEqual(
        [
          testBerth.engine.specOf('shop-db')!.env.A,
          after.lastDeployedAt,
          (await databaseClients.tasks(database)).length,
        ],
        [undefined, database.lastDeployedAt, 1],
      )
      const done = await databaseClients.complete('deploy', database)
      assert.deepEqual(
        [done.applicationStatus, done.pendingChanges, testBerth.engine.specOf('shop-db')!.env.A],
        ['done', false, '1'],
      )
    })
  }
})
