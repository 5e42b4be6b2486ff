/** What the record of a published UDP port says about its list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordMeasurement } from '../../src/gateways/sources/queries.ts'
import { until } from '../engine/until.ts'
import { usualMeasurement } from '../fixtures/harness.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

interface Port {
  portId: string
  sources: { isEnforced: boolean; enforcedSince: string | null; reasonCode: string | null; refusedAttempts: null }
}

test('names the entries that the gateway ignores, and refuses such entries in later changes', async () => {
  await using testBerth = await startTestBerth()
  const { app, engine, ok, refused } = testBerth
  engine.putForeign('shop', { labels: { 'berth.host': 'shop.example.org' }, onNetwork: true })
  const port = { publishedPort: 5353, targetPort: 53, protocol: 'udp' }
  await until('the application to be known', async () => (await ok<unknown[]>('application.all', {})).length > 0)
  const [node] = await engine.nodes()
  await app.transact((tx) => recordMeasurement(tx, node!.id, usualMeasurement, app.now()))
  const allowedSources = ['192.0.2.7', '2001:db8::/32']
  const { portId, sources } = await ok<Port>('port.create', { ...port, applicationId: 'shop', allowedSources }, wait)
  assert.deepEqual([sources.isEnforced, sources.reasonCode], [true, 'SourcesIncomplete'])
  assert.notEqual(sources.enforcedSince, null)
  const spec = engine.specOf(`berth-port-${portId}`)!
  assert.match(spec.files[0]!.content, /allow 192\.0\.2\.7\/32;\n\s+deny all;/)
  await refused(
    'BAD_REQUEST',
    'port.update',
    { ...port, portId, applicationId: 'shop', allowedSources },
    'allowedSources',
  )
  const input = { ...port, portId, applicationId: 'shop', allowedSources: ['192.0.2.8'] }
  const changed = await ok<Port>('port.update', input, wait)
  const { isEnforced, reasonCode, refusedAttempts } = changed.sources
  assert.deepEqual([isEnforced, reasonCode, refusedAttempts], [true, null, null])
  assert.match(await app.metrics(), /^berth_gateway_sources_enforced\{ownerKind="port",[^}]*\} 1$/m)
  assert.doesNotMatch(await app.metrics(), /^berth_gateway_refused_connections_total\{/m)
})
