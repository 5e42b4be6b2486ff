/** A deploy rotates changed credentials on the running server and verifies that only the new credentials log in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import {
  credentialsIn,
  type Database,
  databaseClientsOf,
  type FakeServer,
  fakeDatabaseServer,
  sampleKind,
  type Settings,
} from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

interface RotationCase {
  database: Database
  old: Settings
  changed: Settings
  server: FakeServer
}

/** Creates a running database, then changes the credentials in its record. */
async function changeRecord(
  testBerth: TestBerth,
  kind: Kind,
  changes: Settings,
  more: object = {},
): Promise<RotationCase> {
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  const old = credentialsIn(database, kind)
  const changed = { ...old, ...changes }
  const server = fakeDatabaseServer(testBerth, kind, [old, changed])
  await databaseClients.ok('update', database, { ...changes, ...more })
  return { database, old, changed, server }
}

/** Removes the database and returns the credentials of a service restored from its volume. */
async function recordedCredentials(testBerth: TestBerth, kind: Kind, database: Database): Promise<Settings> {
  const databaseClients = databaseClientsOf(testBerth, kind)
  testBerth.engine.answer = () => ({ exitCode: 0, stdout: '', stderr: '' })
  await databaseClients.remove(database)
  const [{ volumeId }] = (await testBerth.ok<{ volumeId: string }[]>('volume.all')) as [{ volumeId: string }]
  const created = await testBerth.ok<Database>('volume.restore', {
    volumeId,
    name: 'again',
    projectId: testBerth.projectId,
  })
  return credentialsIn(await databaseClients.one(created), kind)
}

for (const kind of kinds) {
  describe(`changed credentials of ${kind.name}`, { concurrency: true }, () => {
    for (const name of credentialNames(kind)) fieldTests(kind, name)
  })
}

describe('changed credentials of any kind', { concurrency: true }, () => {
  const changes = { [sampleKind.secrets[0]!]: 'changed' }
  failureTests(sampleKind, changes)
  unansweredTests(sampleKind, changes)
  crashTests(sampleKind, changes)
  outsideChangeTests(sampleKind, changes)
})

function fieldTests(kind: Kind, name: string): void {
  test(`rotates a changed ${name} once with the old credentials`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { database, old, changed, server } = await changeRecord(testBerth, kind, { [name]: 'changed' })
    assert.deepEqual(server.rotations, [])
    const done = await databaseClients.complete('deploy', database)
    assert.deepEqual(
      [done.applicationStatus, done.pendingChanges, server.rotations],
      ['done', false, [{ from: old, to: changed }]],
    )
    await databaseClients.complete('deploy', database)
    await databaseClients.complete('reload', database, { appName: 'shop-db' })
    assert.equal(server.rotations.length, 1)
    assert.deepEqual(await recordedCredentials(testBerth, kind, database), changed)
  })
}

function failureTests(kind: Kind, changes: Settings): void {
  const refusals: [title: string, prepare: (rotationCase: RotationCase) => void, reason: RegExp][] = [
    [
      'a server that refuses the new credentials',
      ({ server }) => {
        server.onRotate = () => ({ exitCode: 3, stdout: '', stderr: 'ERROR: read-only' })
      },
      /^The new credentials could not be set: ERROR: read-only/,
    ],
    [
      'a server that confirms the new credentials and rejects their login',
      ({ server }) => {
        server.onRotate = () => ({ exitCode: 0, stdout: '', stderr: '' })
      },
      /^The server refuses the new credentials: FATAL: password authentication failed/,
    ],
    [
      'a server that still accepts the old credentials',
      ({ server, old, changed }) => {
        server.onRotate = () => {
          server.accepted = [changed, old]
          return { exitCode: 0, stdout: '', stderr: '' }
        }
      },
      /^Password change incomplete: the old password still works/,
    ],
  ]

  for (const [title, prepare, reason] of refusals) {
    test(`ends in error and keeps the old credentials with ${title}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const context = await changeRecord(testBerth, kind, changes, { env: 'A=1' })
      prepare(context)
      const { status, body } = await databaseClients.call('deploy', context.database, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, reason)
      const after = await databaseClients.one(context.database)
      assert.deepEqual(
        [after.applicationStatus, after.pendingChanges, credentialsIn(after, kind)],
        ['error', true, context.changed],
      )
      assert.deepEqual(
        [testBerth.engine.specOf('shop-db')!.env.A, context.server.accepted.includes(context.old)],
        [undefined, true],
      )
    })
  }

  test('rotates at the next deploy after a server refused the new credentials', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { database, old, changed, server } = await changeRecord(testBerth, kind, changes)
    server.onRotate = () => ({ exitCode: 3, stdout: '', stderr: 'ERROR: read-only' })
    assert.equal((await databaseClients.call('deploy', database, {}, wait)).status, 422)
    server.onRotate = () => null
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: changed }])
  })

  test('restores the old credentials at a rollback after the rotation', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { database, old, changed, server } = await changeRecord(testBerth, kind, changes, { externalPort: 5000 })
    server.onRotate = () => {
      testBerth.engine.behave(databaseClients.gateway(database), 'failed:port is already allocated')
      return null
    }
    const { status } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.deepEqual(server.rotations, [
      { from: old, to: changed },
      { from: changed, to: old },
    ])
    assert.deepEqual(server.accepted, [old])
    assert.match((await databaseClients.one(database)).statusReason!, /Rolled back/)
    assert.deepEqual(await recordedCredentials(testBerth, kind, database), old)
  })
}

/** Programs of a busy node do not end in time. The server may have done what they asked for. */
function unansweredTests(kind: Kind, changes: Settings): void {
  for (const isDone of [false, true]) {
    test(`goes on after a rotation without an answer that ${isDone ? 'has' : 'has not'} happened`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const { database, old, changed, server } = await changeRecord(testBerth, kind, changes)
      let unanswered = 2
      server.onRotate = () => {
        if (unanswered-- <= 0) return null
        if (isDone) server.accepted = [changed]
        return { exitCode: 124, stdout: '', stderr: 'Not finished within 30000 ms' }
      }
      assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
      assert.deepEqual(server.rotations, isDone ? [] : [{ from: old, to: changed }])
    })
  }

  test('goes on after a login with the new credentials without an answer', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { database, old, changed, server } = await changeRecord(testBerth, kind, changes)
    const { answer } = testBerth.engine
    let unanswered = 2
    testBerth.engine.answer = (task, program) =>
      server.rotations.length > 0 && unanswered-- > 0
        ? { exitCode: 124, stdout: '', stderr: 'Not finished within 10000 ms' }
        : answer(task, program)
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: changed }])
  })
}

function crashTests(kind: Kind, changes: Settings): void {
  test('repeats the rotation if a crash left both credentials valid', async () => {
    await using testBerth = await startTestBerth()
    const { database, old, changed, server } = await changeRecord(testBerth, kind, changes)
    server.accepted = [old, changed]
    assert.equal((await databaseClientsOf(testBerth, kind).complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual([server.accepted, server.rotations], [[changed], [{ from: old, to: changed }]])
  })

  test('finds the valid credentials after a crash of Berth during the rotation', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { database, old, changed, server } = await changeRecord(testBerth, kind, changes)
    const { answer } = testBerth.engine
    testBerth.engine.answer = (task, program) => {
      const outcome = answer(task, program)
      if (server.rotations.length > 0) throw new EngineUnavailable('the connection broke')
      return outcome
    }
    await databaseClients.ok('deploy', database)
    await until('the rotation', async () => server.rotations.length > 0)
    await testBerth.restart()
    testBerth.engine.answer = answer
    await until('the end', async () => (await databaseClients.one(database)).applicationStatus === 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: changed }])
    assert.deepEqual(await recordedCredentials(testBerth, kind, database), changed)
  })

  test('logs in with the first credentials after a server refused two rotations', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { database, old, changed, server } = await changeRecord(testBerth, kind, changes)
    server.onRotate = () => ({ exitCode: 3, stdout: '', stderr: 'ERROR: read-only' })
    assert.equal((await databaseClients.call('deploy', database, {}, wait)).status, 422)
    const last = { ...changed, [kind.secrets[0]!]: 'the last' }
    const next = fakeDatabaseServer(testBerth, kind, [old, changed, last])
    await databaseClients.ok('update', database, last)
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual(next.rotations, [{ from: old, to: last }])
  })
}

test('saves credentials that an interrupted rotation left in the memory of the server only', async () => {
  const redis = kindNamed('redis')
  await using testBerth = await startTestBerth()
  const { database, changed, server } = await changeRecord(testBerth, redis, { databasePassword: 'changed' })
  server.accepted = [changed]
  const { answer } = testBerth.engine
  let [saved, canSave] = [0, false]
  testBerth.engine.answer = (task, program) => {
    const address = { host: task.address!, port: redis.port }
    if (!isDeepStrictEqual(program, redis.save!(changed, address))) return answer(task, program)
    if (canSave) saved++
    return { exitCode: canSave ? 0 : 1, stdout: '', stderr: canSave ? '' : 'ERR no space' }
  }
  const databaseClients = databaseClientsOf(testBerth, redis)
  const refused = await databaseClients.call('deploy', database, {}, wait)
  assert.match(refused.body.message, /^The new credentials could not be set: ERR no space/)
  server.accepted = [changed]
  canSave = true
  for (const _turn of ['first', 'second']) await databaseClients.complete('deploy', database)
  assert.equal(saved, 1)
})

function outsideChangeTests(kind: Kind, changes: Settings): void {
  test('reports credentials that were changed outside Berth and leaves the server running', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ appName: 'shop-db' })
    const old = credentialsIn(database, kind)
    fakeDatabaseServer(testBerth, kind, [{ ...old, ...changes }])
    const tasks = await databaseClients.tasks(database)
    const runs = testBerth.engine.calls.run
    const waiting = databaseClients.call('deploy', database, {}, wait)
    await until('a login', async () => testBerth.engine.calls.run > runs + 1)
    testBerth.pass(20_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(
      body.message,
      /^Server is up but rejects the stored user or password: FATAL: password authentication failed/,
    )
    assert.deepEqual(
      [await databaseClients.tasks(database), (await databaseClients.one(database)).applicationStatus],
      [tasks, 'error'],
    )
    const server = fakeDatabaseServer(testBerth, kind, [{ ...old, ...changes }])
    await databaseClients.ok('update', database, changes)
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [])
  })
}
