/** A message whose outcome the store does not take is not sent again while Berth runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { writeProxyFault } from '../../src/routing/queries.ts'
import type { Schema } from '../../src/store/schema.ts'
import { afterTurn, untilPresent } from '../conditions/conditions.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { addChannel, readChannel, startReceiver, untilChannel, untilReceived } from './receiver.ts'

test('a message that was accepted while the disk is full is not sent again', async () => {
  await using testBerth = await startTestBerth()
  await using receiver = await startReceiver()
  const execute = (statement: ReturnType<typeof sql>) =>
    testBerth.app.transact(async (tx) => void (await statement.execute(tx as Kysely<Schema>)))
  const channelId = await addChannel(testBerth, receiver.url, { conditions: ['ProxyDown'] })
  await execute(sql`create trigger "full" before update on "delivery" begin select raise(abort, 'full'); end`)
  await testBerth.app.transact((tx) => writeProxyFault(tx, 'no answer'))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await untilPresent(testBerth, 'ProxyDown')
  await untilReceived(testBerth, receiver.received, 1)
  const failures = () => testBerth.logged.filter(({ event }) => event === 'the delivery of alerts failed').length
  await testBerth.until('three failed attempts to record it', async () => {
    testBerth.app.wake('alerts')
    return failures() >= 3 || null
  })
  assert.deepEqual([receiver.received.length, (await readChannel(testBerth, channelId)).queued], [1, 1])
  await execute(sql`drop trigger "full"`)
  await untilChannel(testBerth, channelId, ({ queued, lastSuccessAt }) => queued === 0 && lastSuccessAt !== null)
  assert.equal(receiver.received.length, 1)
})
