/** Services without a record. After a restore of older state such a service can be a production database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specOf } from '../fixtures/samples.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

test('reports a service without a record once and does not change it; ignores engine ports', async () => {
  await using testBerth = await startTestBerth()
  await testBerth.engine.createService(
    specOf({ name: 'engine-port', labels: { 'berth.role': 'engine' }, nodeId: 'node1' }),
  )
  await testBerth.engine.createService(
    specOf({ name: 'left-over', labels: { 'berth.database': 'nobody' }, nodeId: 'node1' }),
  )
  const reports = () => testBerth.logged.filter(({ event }) => event.includes('belongs to no record'))
  await testBerth.until('the report', async () => reports().length > 0 || null)
  const engineQueries = testBerth.engine.calls.services
  await testBerth.until(
    'two more turns of the loop',
    async () => testBerth.engine.calls.services >= engineQueries + 2 || null,
  )
  assert.deepEqual(
    reports().map(({ fields }) => fields.serviceName),
    ['left-over'],
  )
  assert.notEqual(testBerth.engine.specOf('left-over'), null)
})
