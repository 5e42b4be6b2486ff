/** A condition that begins or ends is an event of the stream, with the rights of condition.all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { afterTurn, type Condition } from '../conditions/conditions.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { type EventStream, openStream } from './stream.ts'

type Fields = Record<string, unknown>

/** The beginnings and ends of conditions in the stream, without repeats. */
const changesOf = (stream: EventStream) => [
  ...new Set(
    stream.changes().map(({ change, recordId, record }) => {
      const { endedAt } = record as Fields
      return `${change === 'created' ? 'begins' : endedAt === null ? 'changes' : 'ends'} ${recordId}`
    }),
  ),
]

test('sends the beginning and the end of a condition to those who may read it', async () => {
  await using testBerth = await startTestBerth()
  const url = await testBerth.listen()
  await using forAdmin = await openStream(url, testBerth.admin, 'kind=condition')
  await using forUser = await openStream(url, testBerth.user, 'kind=condition')
  // A deployed database without a schedule for Berth's own state is a condition for administrators, after 30 seconds.
  await databaseClientsOf(testBerth, kinds[0]!).createDeployed()
  await afterTurn(testBerth)
  testBerth.pass(60_000)
  await afterTurn(testBerth)
  const read = (state: string, as: string) => testBerth.ok<Condition[]>('condition.all', { state }, {}, as)
  const [present] = await read('present', testBerth.admin)
  const ended = await read('ended', testBerth.user)
  assert.deepEqual(
    [present!, ...ended].map(({ name }) => name),
    ['StateNotBackedUp', 'CertificateExpiring', 'CertificateExpiring'],
  )
  assert.deepEqual(await read('present', testBerth.user), [])
  const last = ended.at(-1)!
  const isLastEnd = ({ recordId, record }: Fields) =>
    recordId === last.conditionId && (record as Fields).endedAt !== null
  const event = await forUser.event('the end of the last condition', isLastEnd)
  await forAdmin.event('the end of the last condition', isLastEnd)
  const { conditionId, reason: _, reasonCode: __, path: ___, mutedUntil: ____, ...shown } = last
  assert.deepEqual([event!.recordId, event!.projectId, event!.record], [conditionId, shown.projectId, shown])
  const expected = ended.flatMap((each) => [`begins ${each.conditionId}`, `ends ${each.conditionId}`])
  assert.deepEqual(changesOf(forUser), expected)
  assert.deepEqual(changesOf(forAdmin).toSorted(), [`begins ${present!.conditionId}`, ...expected].sort())
})
