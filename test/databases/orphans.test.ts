/** What is on the swarm without a record: an older state that was restored must not delete production. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specOf } from '../samples.ts'
import { startSite } from '../fixtures/site.ts'

test('a service without a record, but for an errand, is reported once and left alone', async () => {
  await using site = await startSite()
  await site.engine.createService(specOf({ name: 'errand', labels: { 'berth.role': 'errand' }, nodeId: 'node1' }))
  await site.engine.createService(
    specOf({ name: 'left-over', labels: { 'berth.database': 'nobody' }, nodeId: 'node1' }),
  )
  const reports = () => site.logged.filter(({ event }) => event.includes('belongs to no record'))
  await site.until('the report', async () => reports().length > 0 || null)
  const looks = site.engine.calls.services
  await site.until('two more looks', async () => site.engine.calls.services >= looks + 2 || null)
  assert.deepEqual(
    reports().map(({ fields }) => fields.serviceName),
    ['left-over'],
  )
  assert.notEqual(site.engine.specOf('left-over'), null)
})
