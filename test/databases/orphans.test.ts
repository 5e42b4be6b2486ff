/** Services on the swarm without a record: a restore of older state must not delete production databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specOf } from '../fixtures/samples.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

test('reports a service without a record once and leaves it as it is, except for remote commands', async () => {
  await using testBerth = await startTestBerth()
  await testBerth.engine.createService(specOf({ name: 'errand', labels: { 'berth.role': 'errand' }, nodeId: 'node1' }))
  await testBerth.engine.createService(
    specOf({ name: 'left-over', labels: { 'berth.database': 'nobody' }, nodeId: 'node1' }),
  )
  const reports = () => testBerth.logged.filter(({ event }) => event.includes('belongs to no record'))
  await testBerth.until('the report', async () => reports().length > 0 || null)
  const engineQueries = testBerth.engine.calls.services
  await testBerth.until('two more looks', async () => testBerth.engine.calls.services >= engineQueries + 2 || null)
  assert.deepEqual(
    reports().map(({ fields }) => fields.serviceName),
    ['left-over'],
  )
  assert.notEqual(testBerth.engine.specOf('left-over'), null)
})
