/** News that is postponed is visible before it is sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minGapMs } from '../../src/alerts/plan.ts'
import { writeProxyFault } from '../../src/routing/queries.ts'
import { afterTurn, untilPresent } from '../conditions/conditions.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { addChannel, startReceiver, untilReceived } from './receiver.ts'

interface Listed {
  about: string
  channelName: string
  createdAt: string
  postponed: { about: string; until: string } | null
}

test('the last message about a cause says which news is postponed, and until when', async () => {
  await using testBerth = await startTestBerth()
  await using receiver = await startReceiver()
  await addChannel(testBerth, receiver.url, { conditions: ['ProxyDown'] })
  await addChannel(testBerth, receiver.url, { conditions: ['ProxyDown'], name: 'off', enabled: false })
  const list = () => testBerth.ok<Listed[]>('alert.messages', { order: 'desc' })
  await testBerth.app.transact((tx) => writeProxyFault(tx, 'no answer'))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await untilPresent(testBerth, 'ProxyDown')
  await untilReceived(testBerth, receiver.received, 1)
  assert.deepEqual((await list())[0]!.postponed, null)

  await testBerth.app.transact((tx) => writeProxyFault(tx, null))
  await untilPresent(testBerth)
  const [raised] = await list()
  const until = new Date(Date.parse(raised!.createdAt) + minGapMs).toISOString()
  assert.deepEqual(raised!.postponed, { about: 'resolved', until })

  testBerth.pass(minGapMs)
  await untilReceived(testBerth, receiver.received, 2)
  const after = await list()
  assert.deepEqual(
    after.map(({ about, postponed }) => [about, postponed]),
    [
      ['resolved', null],
      ['raised', null],
    ],
  )

  await testBerth.app.transact((tx) => writeProxyFault(tx, 'no answer'))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await untilPresent(testBerth, 'ProxyDown')
  const [resolved, first] = await list()
  assert.deepEqual([resolved!.about, resolved!.postponed?.about, first!.postponed], ['resolved', 'raised', null])
  assert.equal(receiver.received.length, 2)
})
