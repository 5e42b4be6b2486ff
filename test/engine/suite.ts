/** The tests that every engine has to pass. They keep the in-memory engine equal to the Docker engine. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { imageTests } from './suite-images.ts'
import { jobStreamTests } from './suite-job-streams.ts'
import { jobTests } from './suite-jobs.ts'
import { nodeTests } from './suite-nodes.ts'
import { logTests, usageTests } from './suite-queries.ts'
import { resourceTests } from './suite-resources.ts'
import { changeTests, serviceTests } from './suite-services.ts'
import { clearanceTests, failureTests, programTests } from './suite-tasks.ts'
import { until } from './until.ts'

/** @param open creates the fixture before the first test; the suite closes it after the last test */
export function engineSuite(title: string, open: () => Promise<EngineFixture>): void {
  describe(title, () => {
    let fixture: EngineFixture
    before(async () => {
      fixture = await open()
    })
    after(() => fixture.close())
    const getFixture = () => fixture
    connectionTests(getFixture)
    nodeTests(getFixture)
    serviceTests(getFixture)
    changeTests(getFixture)
    resourceTests(getFixture)
    programTests(getFixture)
    clearanceTests(getFixture)
    failureTests(getFixture)
    logTests(getFixture)
    usageTests(getFixture)
    jobTests(getFixture)
    jobStreamTests(getFixture)
    imageTests(getFixture)
  })
}

function connectionTests(fixture: () => EngineFixture): void {
  test('answers a ping, and prepares repeatedly without a change', async () => {
    const { engine, nodeId } = fixture()
    await engine.ping()
    await Promise.all([engine.prepare(), engine.prepare()])
    await engine.prepare()
    const node = (await engine.nodes()).find(({ local }) => local)
    assert.deepEqual([node?.id, node?.ready, node?.active], [nodeId, true, true])
    assert.match(node?.address ?? '', /^\d+\.\d+\.\d+\.\d+$/)
  })

  test('reports the start of a container to a watch, and ends an aborted watch', async (t) => {
    const { engine } = fixture()
    const stop = new AbortController()
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const events: string[] = []
    const watching = engine.watch(({ serviceName, action }) => {
      if (action === 'watching') resolve()
      events.push(`${serviceName} ${action}`)
    }, stop.signal)
    await opened
    const spec = specOf(fixture())
    await create(t, fixture(), spec)
    await until(
      'the events of the start',
      async () => events.includes(`${spec.name} create`) && events.includes(`${spec.name} start`),
    )
    stop.abort()
    await watching
  })
}
