/** The gate: while changes are held back, calls that change something are refused, and loops change nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { command, methodOf } from '../../src/api/contract.ts'
import type { GateReason } from '../../src/gate/reason.ts'
import { gatedStorage } from '../../src/gate/storage.ts'
import { GateClosed } from '../../src/gate/engine.ts'
import { egressOf } from '../../src/lib/net/egress.ts'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { operations } from '../../src/operations.ts'
import { memoryBucket } from '../backups/memory-bucket.ts'
import { memoryEngine, type MemoryEngine } from '../engine/memory/engine.ts'
import { until } from '../engine/until.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'

const reasons: GateReason[] = [
  { reason: 'StateUnconfirmed' },
  { reason: 'UpgradeUnconfirmed', from: '0.1.0', to: '0.2.0' },
  { reason: 'NotInCharge', host: 'web-2', since: '2030-01-01T00:00:00.000Z' },
]

const credentials = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'a-password' }

let closedBy: GateReason | null = null
const barrier = { reason: () => closedBy }

/** Closes the gate after it has written. */
const closing = command({
  name: 'project.closeTheGate',
  summary: 'Close the gate between the check and the commit',
  access: 'user:deploy',
  input: z.object({}),
  output: z.object({}),
  async run({ tx, newId, now }) {
    const row = { id: newId(), name: 'never stored', description: null, createdAt: now().toISOString() }
    await tx.insertInto('project').values(row).execute()
    closedBy = reasons[2]!
    return {}
  },
})

let berth: Berth
let engine: MemoryEngine
before(async () => {
  berth = await startBerth({
    barriers: [barrier],
    operations: [...operations, closing],
    connect: (id) => (engine = memoryEngine(id)),
  })
})
after(() => {
  closedBy = null
  return berth.close()
})

async function withClosed<T>(reason: GateReason, run: () => Promise<T>): Promise<T> {
  closedBy = reason
  try {
    return await run()
  } finally {
    closedBy = null
  }
}

for (const reason of reasons) {
  test(`${reason.reason}: changes are refused with the reason, and reads are answered`, async () => {
    const { token } = await berth.admin()
    await withClosed(reason, async () => {
      for (const operation of operations) {
        const { name, worksWhileClosed, work } = operation
        if (name === 'auth.logout' || methodOf(operation) === 'GET') continue
        const { status, body } = await berth.call(name, {}, token)
        const isRefused = body.code === 'SERVICE_UNAVAILABLE' && body.reason === reason.reason
        const isRead = work === 'read' && reason.reason === 'StateUnconfirmed'
        const isExpected = !isRead && (worksWhileClosed !== true || reason.reason === 'UpgradeUnconfirmed')
        // Calls without the right token are refused earlier.
        if (status !== 401 && status !== 403) assert.equal(isRefused, isExpected, `${name}: ${JSON.stringify(body)}`)
      }
      assert.equal((await berth.call('project.all', {}, token)).status, 200)
      const ready = await berth.server.inject('/readyz')
      assert.equal(ready.statusCode, 503)
      assert.deepEqual(
        ready.json<{ issues: { path: string }[] }>().issues.map(({ path }) => path),
        ['changes'],
      )
      assert.match(await berth.app.metrics(), new RegExp(`berth_changes_held{reason="${reason.reason}"} 1`))
    })
    assert.equal((await berth.server.inject('/readyz')).statusCode, 200)
  })
}

test('a call is refused if the gate closes between its check and its commit', async () => {
  const { status } = await berth.call('project.closeTheGate')
  closedBy = null
  assert.equal(status, 503)
  const rows = await berth.app.db.selectFrom('project').select('id').where('name', '=', 'never stored').execute()
  assert.deepEqual(rows, [])
})

/** Returns the number of calls of each method of the engine that changes something. */
const changes = () => {
  const { createService, updateService, removeService, removeVolume, run, runJob } = engine.calls
  return { createService, updateService, removeService, removeVolume, run, runJob }
}

/** Waits until the loops that still work have taken two turns, and wakes those that must not work. */
function twoTurns(): Promise<true> {
  const enough = engine.calls.nodes + 3
  return until('two turns of the loops', async () => {
    for (const loop of ['services', 'volumes', 'ports', 'proxy', 'watch', 'nodes', 'backups'] as const)
      berth.app.wake(loop)
    return engine.calls.nodes >= enough || null
  })
}

for (const reason of reasons) {
  test(`${reason.reason}: loops change nothing, and work goes on afterwards`, async () => {
    const project = await berth.call<{ projectId: string }>('project.create', { name: `loops ${reason.reason}` })
    const { projectId } = project.body
    const appName = reason.reason.toLowerCase()
    const [settings, other] = [appName, `${appName}-2`].map((name) => ({
      name,
      appName: name,
      ...credentials,
      projectId,
    }))
    const { postgresId } = (await berth.call<{ postgresId: string }>('postgres.create', settings)).body
    assert.equal((await berth.call('postgres.deploy', { postgresId }, undefined, { prefer: 'wait=30' })).status, 200)
    // The call is accepted, but the gate closes before the loop has finished its work.
    const { body } = await berth.call<{ postgresId: string }>('postgres.create', other)
    engine.behave(other!.appName, 'starting')
    await berth.call('postgres.deploy', { postgresId: body.postgresId })
    await withClosed(reason, async () => {
      await engine.removeService(appName)
      const before = changes()
      await twoTurns()
      assert.deepEqual(changes(), before)
    })
    engine.behave(other!.appName, 'running')
    const deployments = await until('the repair', async () => {
      berth.app.wake('watch')
      berth.app.wake('services')
      const { body: all } = await berth.call<{ action: string; state: string }[]>('deployment.all', { projectId })
      return all.length === 3 && all.every(({ state }) => state !== 'running') ? all : null
    })
    assert.deepEqual(deployments.map(({ action, state }) => `${action} ${state}`).sort(), [
      'deploy done',
      'deploy done',
      'repair done',
    ])
  })
}

test('nothing in a storage is deleted while changes are held back, neither by a run nor by the clean-up', async () => {
  await using storage = await memoryBucket()
  const { destinationId } = (
    await berth.call<{ destinationId: string }>('destination.create', { name: 'storage', ...storage.settings })
  ).body
  const egress = egressOf([])
  using bucket = gatedStorage(openBucket(storage.settings, { egress }), berth.app.gate)
  await bucket.put('nightly/dump', Buffer.from('a dump'))
  const at = berth.app.now().toISOString()
  const expired = { key: 'nightly/dump', destinationId, backupId: '', since: at, dueAt: at }
  await withClosed(reasons[2]!, async () => {
    await berth.app.transact((tx) => tx.insertInto('expiredObject').values(expired).execute())
    for (const change of [bucket.remove(['nightly/dump']), bucket.abortUpload('nightly/dump', 'an upload')])
      await assert.rejects(change, GateClosed)
    await twoTurns()
    assert.deepEqual([...storage.objects.keys()], ['nightly/dump'])
  })
  await until('the deletion of the expired dump', async () => {
    berth.app.wake('backups')
    return storage.objects.size === 0 || null
  })
})
