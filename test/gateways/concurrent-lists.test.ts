/** A deploy and the loop `sources` apply lists to the same gateway. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openGateway } from '../../src/gateways/sources/open-gateway.ts'
import { gatewayOwnerOf } from '../../src/gateways/own-names.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { toJson } from '../../src/lib/json.ts'
import type { Runtime } from '../../src/runtime.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

test('a gateway gets one list at a time, each as it is in the store then, so that no older list wins', async () => {
  await using testBerth = await startTestBerth()
  const { app, engine } = testBerth
  const clients = databaseClientsOf(testBerth, kindNamed('redis'))
  const database = await clients.createDeployed()
  await clients.complete('saveExternalPort', database, { externalPort: 15_432 })
  const owner = gatewayOwnerOf(clients.gateway(database))!
  const [task] = await engine.tasks([clients.gateway(database)])
  const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const run = engine.run
  let [running, maxRunning] = [0, 0]
  engine.run = async (...call) => {
    if (call[1].argv[3] !== 'berth-gateway') return run(...call)
    maxRunning = Math.max(maxRunning, ++running)
    entered.resolve()
    await released.promise
    const outcome = await run(...call)
    await nextTurn()
    running -= 1
    return outcome
  }
  const open = () => openGateway({ ...app, engine } as unknown as Runtime, owner, task!.nodeId!)
  const calls = [open(), open()]
  await entered.promise
  await nextTurn()
  await app.transact((tx) =>
    tx
      .updateTable('database')
      .set({ allowedSources: toJson(['192.0.2.7/32']) })
      .where('id', '=', owner.id)
      .execute(),
  )
  released.resolve()
  const [, last] = await Promise.all(calls)
  assert.deepEqual(last, { is: 'restricted', served: ['target', 'tls'] })
  assert.equal(maxRunning, 1)
  assert.deepEqual(engine.gateways.get(task!.serviceName)?.allowed, ['192.0.2.7/32'])
})
