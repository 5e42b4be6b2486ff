/** Allowed sources of databases, projects and published ports, with gateways of the in-memory engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayOwnerOf } from '../../src/gateways/own-names.ts'
import { checkGateway } from '../../src/gateways/sources/check.ts'
import { wantedSources } from '../../src/gateways/sources/queries.ts'
import { openTcpGateway } from '../../src/gateways/specs.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Runtime } from '../../src/runtime.ts'
import { until } from '../engine/until.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

interface Sources {
  allowedSources: string[]
  isOfProject: boolean
  isEnforced: boolean
  enforcedSince: string | null
  reason: string | null
  reasonCode: string | null
  refusedAttempts: number
  refusedSources: { source: string; attempts: number; lastAt: string }[]
}
type WithSources = Database & { sources: Sources; allowedSources: string[] | null }

const port = 15_432
const everyone = ['0.0.0.0/0', '::/0']

/** A deployed database with an external port. */
async function deployed(testBerth: TestBerth) {
  const clients = databaseClientsOf(testBerth, kindNamed('redis'))
  const database = await clients.createDeployed()
  await clients.complete('saveExternalPort', database, { externalPort: port })
  const name = clients.gateway(database)
  return {
    ...clients,
    database,
    name,
    gateway: () => testBerth.engine.gateways.get(name) ?? assert.fail('The gateway was never controlled'),
    sources: async () => ((await clients.one(database)) as WithSources).sources,
    set: (allowedSources: unknown) => clients.ok('update', database, { allowedSources }),
    /** Waits until the gateway has exactly these networks. */
    enforced: (expected: string[]) =>
      until('the gateway to have the list', async () => {
        const { isEnforced } = ((await clients.one(database)) as WithSources).sources
        return isEnforced && JSON.stringify(testBerth.engine.gateways.get(name)?.allowed) === JSON.stringify(expected)
      }),
  }
}

describe('the list of a database', () => {
  test('is empty at first: the gateway admits everyone, and the record says so', async () => {
    await using testBerth = await startTestBerth()
    const { gateway, sources, database } = await deployed(testBerth)
    assert.equal((database as WithSources).allowedSources, null)
    assert.deepEqual(gateway().allowed, everyone)
    const { allowedSources, isOfProject, isEnforced, reason, refusedAttempts } = await sources()
    assert.deepEqual([allowedSources, isOfProject, isEnforced, reason, refusedAttempts], [[], true, true, null, 0])
  })

  test('is stored in canonical form, and applied to the running gateway without a deploy', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, tasks, database, name, sources } = await deployed(testBerth)
    const before = [await tasks(database), await testBerth.engine.tasks([name])]
    const updated = (await set(['10.1.2.3/8', '192.0.2.7', '10.0.0.0/8'])) as WithSources
    assert.deepEqual([updated.allowedSources, updated.pendingChanges], [['10.0.0.0/8', '192.0.2.7/32'], false])
    await enforced(['10.0.0.0/8', '192.0.2.7/32'])
    assert.deepEqual([await tasks(database), await testBerth.engine.tasks([name])], before)
    assert.equal((await sources()).isOfProject, false)
  })

  test('closes the connections that it does not allow, and keeps the others', async () => {
    await using testBerth = await startTestBerth()
    const { gateway, set, enforced } = await deployed(testBerth)
    gateway().sessions.push({ id: '0x1', source: '192.0.2.7:4000' }, { id: '0x2', source: '192.0.2.8:4000' })
    await set(['192.0.2.8'])
    await enforced(['192.0.2.8/32'])
    await until('the connection to be closed', async () => gateway().sessions.length === 1)
    assert.deepEqual(gateway().sessions, [{ id: '0x2', source: '192.0.2.8:4000' }])
  })

  test('refuses texts that are no sources, too many of them, and changes nothing', async () => {
    await using testBerth = await startTestBerth()
    const { refused, database } = await deployed(testBerth)
    for (const source of ['', 'localhost', '10.0.0.0/33', '::1%eth0', '10.0.0.1; show info', '10.0.0.1\n']) {
      await refused('BAD_REQUEST', 'update', database, { allowedSources: ['192.0.2.7', source] }, 'allowedSources.1')
    }
    const many = Array.from({ length: 1001 }, (_, n) => `10.${n >> 8}.${n & 255}.0/24`)
    await refused('BAD_REQUEST', 'update', database, { allowedSources: many }, 'allowedSources')
  })

  test('refuses entries that the gateway cannot enforce, by name, once the node was measured', async () => {
    await using testBerth = await startTestBerth()
    const { call, one, database } = await deployed(testBerth)
    await until('the measurement', async () => {
      const { db } = testBerth.app
      return (await db.selectFrom('sourceMeasurement').selectAll().execute()).length === 1
    })
    for (const source of ['2001:db8::/32', '::1', '127.0.0.1', '172.18.0.1']) {
      const { status, body } = await call('update', database, { allowedSources: [source] })
      const { issues } = body as unknown as { issues: { path: string; message: string }[] }
      assert.deepEqual([status, issues[0]?.path], [400, 'allowedSources'])
      assert.match(issues[0]!.message, new RegExp(`^${source}[/0-9]* cannot be enforced on node memory: `))
    }
    assert.equal(((await one(database)) as WithSources).allowedSources, null)
  })

  test('that was stored before the node was known enforces what it can, and says what it cannot', async () => {
    await using testBerth = await startTestBerth()
    const clients = databaseClientsOf(testBerth, kindNamed('redis'))
    const database = await clients.create({ allowedSources: ['192.0.2.7', '2001:db8::/32'], externalPort: port })
    await clients.complete('deploy', database)
    const found = await until('the fault to be recorded', async () => {
      const { sources } = (await clients.one(database)) as WithSources
      return sources.reasonCode === 'SourcesIncomplete' && sources
    })
    assert.equal(found.isEnforced, true)
    assert.match(found.reason ?? '', /^2001:db8::\/32 cannot be enforced on node memory/)
    assert.deepEqual(testBerth.engine.gateways.get(clients.gateway(database))?.allowed, ['192.0.2.7/32'])
  })
})

test('a database without a list has that of its project, until it gets its own', async () => {
  await using testBerth = await startTestBerth()
  const { enforced, set, sources } = await deployed(testBerth)
  const update = (allowedSources: string[]) =>
    testBerth.ok('project.update', { projectId: testBerth.projectId, name: 'shop', allowedSources })
  assert.deepEqual((await update(['10.0.0.0/8'])).allowedSources, ['10.0.0.0/8'])
  await enforced(['10.0.0.0/8'])
  assert.equal((await sources()).isOfProject, true)
  await set([])
  await enforced(everyone)
  await set(null)
  await enforced(['10.0.0.0/8'])
  await testBerth.ok('project.update', { projectId: testBerth.projectId, name: 'shop' })
  assert.deepEqual((await sources()).allowedSources, ['10.0.0.0/8'], 'an update without a list keeps it')
  await testBerth.refused(
    'BAD_REQUEST',
    'project.update',
    { projectId: testBerth.projectId, name: 'shop', allowedSources: ['::1'] },
    'allowedSources',
  )
})

test('a database that is being removed keeps the list of its project until its gateway has gone', async () => {
  await using testBerth = await startTestBerth()
  const { enforced, gateway, name } = await deployed(testBerth)
  const { app, engine, projectId } = testBerth
  await testBerth.ok('project.update', { projectId, name: 'shop', allowedSources: ['10.0.0.0/8'] })
  await enforced(['10.0.0.0/8'])
  const id = gatewayOwnerOf(name)!.id
  // The row while the services still run.
  await app.transact((tx) =>
    tx.updateTable('database').set({ goal: 'gone', projectId: null }).where('id', '=', id).execute(),
  )
  assert.equal(await wantedSources(app.db, { kind: 'database', id }), null)
  const [task] = await engine.tasks([name])
  const runtime = { ...app, engine } as unknown as Runtime
  const context = { runtime, measure: async () => null, checkedAtMs: new Map(), failures: new Map() }
  assert.equal(await checkGateway(context, { ...task!, nodeId: task!.nodeId! }), true)
  assert.deepEqual(gateway().allowed, ['10.0.0.0/8'])
})

describe('the gateway', () => {
  test('that restarts has the list from its volume', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, name, gateway } = await deployed(testBerth)
    await set(['192.0.2.7'])
    await enforced(['192.0.2.7/32'])
    const { taskId } = gateway()
    testBerth.engine.replaceTask(name)
    await until('the new task to be read', async () => gateway().taskId !== taskId)
    await enforced(['192.0.2.7/32'])
  })

  test('that lost its volume gets the list again', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, name } = await deployed(testBerth)
    await set(['192.0.2.7'])
    await enforced(['192.0.2.7/32'])
    testBerth.engine.loseVolume(`${name}-sources`)
    testBerth.engine.replaceTask(name)
    await enforced(['192.0.2.7/32'])
  })

  test('that refuses the list is reported with the reason, and gets the list when it answers', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, gateway, sources } = await deployed(testBerth)
    gateway().fault = 'HAProxy is out of memory'
    await set(['192.0.2.7'])
    const found = await until('the fault to be recorded', async () => {
      const found = await sources()
      return found.reasonCode === 'SourcesRefused' && found
    })
    assert.deepEqual([found.isEnforced, found.enforcedSince], [false, null])
    assert.match(found.reason ?? '', /HAProxy is out of memory/)
    gateway().fault = null
    testBerth.app.wake('sources')
    await enforced(['192.0.2.7/32'])
    assert.equal((await sources()).reason, null)
  })

  test('of an earlier version, without a runtime API, admits everyone, and is replaced for its first list', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, name } = await deployed(testBerth)
    const { engine, app } = testBerth
    const { labels, image, nodeId, env } = engine.specOf(name)!
    const target = { target: env.BERTH_TARGET!, targetPort: Number(env.BERTH_TARGET_PORT), tlsTargetPort: 6380 }
    await engine.updateService(
      openTcpGateway({ name, labels, image, nodeId, published: port, maxTargets: 1, ...target }),
    )
    await app.transact((tx) => tx.deleteFrom('gatewaySources').where('gateway', '=', name).execute())
    const removalsBefore = engine.calls.removeService
    await set(['192.0.2.7'])
    await enforced(['192.0.2.7/32'])
    assert.notEqual(engine.specOf(name)?.mounts.length, 0)
    assert.equal(engine.calls.removeService, removalsBefore + 1)
  })

  test('counts refused connections, also over restarts of HAProxy', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, gateway, sources } = await deployed(testBerth)
    await set(['192.0.2.7'])
    await enforced(['192.0.2.7/32'])
    const counted = (attempts: number) =>
      until('the attempts to be counted', async () => {
        testBerth.pass(20_000)
        testBerth.app.wake('sources')
        const { refusedAttempts, refusedSources } = await sources()
        return refusedAttempts === attempts && refusedSources
      })
    Object.assign(gateway(), { refused: 3, refusedSources: ['::ffff:203.0.113.9 86390000 3'] })
    const [source] = await counted(3)
    assert.deepEqual([source!.source, source!.attempts], ['203.0.113.9', 3])
    gateway().refused = 2
    await counted(5)
    const metrics = await testBerth.app.metrics()
    assert.match(metrics, /^berth_gateway_refused_connections_total\{ownerKind="database",[^}]*\} 5$/m)
  })

  test('names the sources that were refused in the last 24 hours, and no older ones', async () => {
    await using testBerth = await startTestBerth()
    const { set, enforced, gateway, sources } = await deployed(testBerth)
    await set(['192.0.2.7'])
    await enforced(['192.0.2.7/32'])
    const refusedSources = ['::ffff:203.0.113.8 43200000 1', '::ffff:203.0.113.9 86400000 3']
    Object.assign(gateway(), { refused: 4, refusedSources })
    const names = async () => (await sources()).refusedSources.map(({ source }) => source)
    await until('the attempts to be counted', async () => {
      testBerth.pass(20_000)
      testBerth.app.wake('sources')
      return (await names()).length === 2
    })
    assert.deepEqual(await names(), ['203.0.113.9', '203.0.113.8'])
    testBerth.pass(13 * 3600_000)
    assert.deepEqual(await names(), ['203.0.113.9'])
    testBerth.pass(12 * 3600_000)
    assert.deepEqual([await names(), (await sources()).refusedAttempts], [[], 4])
  })

  test('takes its volume with it when the port is closed, and gets another one when it is opened', async () => {
    await using testBerth = await startTestBerth()
    const { complete, database, name, enforced } = await deployed(testBerth)
    assert.ok(testBerth.engine.volumes.has(`${name}-sources`))
    await complete('saveExternalPort', database, { externalPort: null })
    await until('the volume to be removed', async () => {
      testBerth.app.wake('sources')
      return !testBerth.engine.volumes.has(`${name}-sources`)
    })
    await complete('saveExternalPort', database, { externalPort: port })
    await enforced(everyone)
  })
})
