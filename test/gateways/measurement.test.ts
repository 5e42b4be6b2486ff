/** What Berth knows about the nodes of gateways, and what it does after a measurement that failed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Measure, measureSources } from '../../src/gateways/sources/measure.ts'
import type { Measurement } from '../../src/gateways/sources/table.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Runtime } from '../../src/runtime.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { usualMeasurement } from '../fixtures/harness.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const failed: Measurement = { ...usualMeasurement, ipv4: 'unknown', ipv6: 'unknown', loopback: 'unknown' }

test('a failed measurement replaces no known one, so the gateway keeps its list and its connections', async () => {
  let measured = usualMeasurement
  const measure: Measure = async () => measured
  await using testBerth = await startTestBerth({}, {}, {}, measure)
  const { app, engine } = testBerth
  const clients = databaseClientsOf(testBerth, kindNamed('redis'))
  const database = await clients.create({ allowedSources: ['192.0.2.7'], externalPort: 15_432 })
  await clients.complete('deploy', database)
  const measurements = () => app.db.selectFrom('sourceMeasurement').selectAll().execute()
  const [before] = await until('the measurement', async () => {
    const rows = await measurements()
    return rows.length === 1 && rows
  })
  const gateway = engine.gateways.get(clients.gateway(database))!
  gateway.sessions.push({ id: '0x1', source: '192.0.2.7:4000' })
  measured = failed
  testBerth.pass(3_700_000)
  const again = await until('the second measurement', async () => {
    app.wake('sources')
    const [row] = await measurements()
    return row!.measuredAt !== before!.measuredAt && row!
  })
  assert.deepEqual({ ...again, measuredAt: null }, { ...before, measuredAt: null })
  testBerth.pass(20_000)
  gateway.refused = 3
  const { sources } = await until('the gateway to be read again', async () => {
    app.wake('sources')
    const found = (await clients.one(database)) as unknown as { sources: Record<string, unknown> }
    return found.sources.refusedAttempts === 3 && found
  })
  assert.deepEqual([sources.isEnforced, sources.reason], [true, null])
  assert.deepEqual([gateway.allowed, gateway.sessions.length], [['192.0.2.7/32'], 1])
  // The clock was ahead, and was set back.
  gateway.refused = 4
  testBerth.pass(-7_400_000)
  await until('the third measurement', async () => {
    app.wake('sources')
    const [row] = await measurements()
    return row!.measuredAt < again.measuredAt
  })
})

test('a gateway without a port tells nothing about its node', async () => {
  await using testBerth = await startTestBerth()
  const { engine } = testBerth
  const nodeId = (await engine.nodes())[0]!.id
  const clients = databaseClientsOf(testBerth, kindNamed('redis'))
  const [task] = await engine.tasks([(await clients.createDeployed()).appName])
  const subject = { task: { ...task!, nodeId }, node: 'memory', owner: { kind: 'database' as const, id: '' } }
  assert.equal(await measureSources({ ...testBerth.app, engine } as unknown as Runtime, subject), null)
})
