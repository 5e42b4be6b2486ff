/** A deploy rotates changed credentials on the running server and proves that only the new ones are accepted. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import {
  credentialsIn,
  type Database,
  databaseClientsOf,
  type Server,
  serveWith,
  type Settings,
} from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

interface Case {
  up: Database
  old: Settings
  changed: Settings
  server: Server
}

/** Creates a running database whose record has other credentials. */
async function wish(testBerth: TestBerth, kind: Kind, changes: Settings, more: object = {}): Promise<Case> {
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up({ appName: 'shop-db' })
  const old = credentialsIn(up, kind)
  const changed = { ...old, ...changes }
  const server = serveWith(testBerth, kind, [old, changed])
  await databaseClients.act('update', up, { ...changes, ...more })
  return { up, old, changed, server }
}

/** The credentials that a restored service would get from the volume's record. */
async function heldInside(testBerth: TestBerth, kind: Kind, up: Database): Promise<Settings> {
  const databaseClients = databaseClientsOf(testBerth, kind)
  testBerth.engine.answer = () => ({ exitCode: 0, stdout: '', stderr: '' })
  await databaseClients.gone(up)
  const [{ volumeId }] = (await testBerth.ok<{ volumeId: string }[]>('volume.all')) as [{ volumeId: string }]
  const made = await testBerth.ok<Database>('volume.restore', {
    volumeId,
    name: 'again',
    projectId: testBerth.projectId,
  })
  return credentialsIn(await databaseClients.one(made), kind)
}

for (const kind of kinds) {
  describe(`changed credentials of ${kind.name}`, { concurrency: true }, () => {
    for (const name of Object.keys(kind.settings.shape)) fieldTests(kind, name)
    failureTests(kind, { [kind.secrets[0]!]: 'changed' })
    crashTests(kind, { [kind.secrets[0]!]: 'changed' })
    strangerTests(kind, { [kind.secrets[0]!]: 'changed' })
  })
}

function fieldTests(kind: Kind, name: string): void {
  test(`rotates a changed ${name} once with the old credentials`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { up, old, changed, server } = await wish(testBerth, kind, { [name]: 'changed' })
    assert.deepEqual(server.rotations, [])
    const done = await databaseClients.settle('deploy', up)
    assert.deepEqual(
      [done.applicationStatus, done.pendingChanges, server.rotations],
      ['done', false, [{ from: old, to: changed }]],
    )
    await databaseClients.settle('deploy', up)
    await databaseClients.settle('reload', up, { appName: 'shop-db' })
    assert.equal(server.rotations.length, 1)
    assert.deepEqual(await heldInside(testBerth, kind, up), changed)
  })
}

function failureTests(kind: Kind, changes: Settings): void {
  const refusals: [title: string, prepare: (it: Case) => void, reason: RegExp][] = [
    [
      'a server that refuses the new ones',
      ({ server }) => {
        server.onRotate = () => ({ exitCode: 3, stdout: '', stderr: 'ERROR: read-only' })
      },
      /^The new credentials could not be set: ERROR: read-only/,
    ],
    [
      'a server that takes them and does not let them in',
      ({ server }) => {
        server.onRotate = () => ({ exitCode: 0, stdout: '', stderr: '' })
      },
      /^The server refuses the new credentials: FATAL: password authentication failed/,
    ],
    [
      'a server that lets the old ones in as well',
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
    test(`${title}: ends in error and keeps the old credentials`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const it = await wish(testBerth, kind, changes, { env: 'A=1' })
      prepare(it)
      const { status, body } = await databaseClients.ask('deploy', it.up, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, reason)
      const after = await databaseClients.one(it.up)
      assert.deepEqual(
        [after.applicationStatus, after.pendingChanges, credentialsIn(after, kind)],
        ['error', true, it.changed],
      )
      assert.deepEqual(
        [testBerth.engine.specOf('shop-db')!.env.A, it.server.accepted.includes(it.old)],
        [undefined, true],
      )
    })
  }

  test('the next deploy rotates once the server accepts the change', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { up, old, changed, server } = await wish(testBerth, kind, changes)
    server.onRotate = () => ({ exitCode: 3, stdout: '', stderr: 'ERROR: read-only' })
    assert.equal((await databaseClients.ask('deploy', up, {}, wait)).status, 422)
    server.onRotate = () => null
    assert.equal((await databaseClients.settle('deploy', up)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: changed }])
  })

  test('a rollback after the rotation restores the old credentials', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { up, old, changed, server } = await wish(testBerth, kind, changes, { externalPort: 5000 })
    server.onRotate = () => {
      testBerth.engine.behave(databaseClients.gateway(up), 'failed:port is already allocated')
      return null
    }
    const { status } = await databaseClients.ask('deploy', up, {}, wait)
    assert.equal(status, 422)
    assert.deepEqual(server.rotations, [
      { from: old, to: changed },
      { from: changed, to: old },
    ])
    assert.deepEqual(server.accepted, [old])
    assert.match((await databaseClients.one(up)).statusReason!, /Rolled back/)
    assert.deepEqual(await heldInside(testBerth, kind, up), old)
  })
}

function crashTests(kind: Kind, changes: Settings): void {
  test('repeats a rotation that a crash left with both credentials valid', async () => {
    await using testBerth = await startTestBerth()
    const { up, old, changed, server } = await wish(testBerth, kind, changes)
    server.accepted = [old, changed]
    assert.equal((await databaseClientsOf(testBerth, kind).settle('deploy', up)).applicationStatus, 'done')
    assert.deepEqual([server.accepted, server.rotations], [[changed], [{ from: old, to: changed }]])
  })

  test('finds the valid credentials after a crash of Berth during the rotation', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { up, old, changed, server } = await wish(testBerth, kind, changes)
    const { answer } = testBerth.engine
    testBerth.engine.answer = (task, program) => {
      const outcome = answer(task, program)
      if (server.rotations.length > 0) throw new EngineUnavailable('the connection broke')
      return outcome
    }
    await databaseClients.act('deploy', up)
    await until('the rotation', async () => server.rotations.length > 0)
    await testBerth.restart()
    testBerth.engine.answer = answer
    await until('the end', async () => (await databaseClients.one(up)).applicationStatus === 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: changed }])
    assert.deepEqual(await heldInside(testBerth, kind, up), changed)
  })

  test('logs in with the oldest credentials after two rotations that did not happen', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { up, old, changed, server } = await wish(testBerth, kind, changes)
    server.onRotate = () => ({ exitCode: 3, stdout: '', stderr: 'ERROR: read-only' })
    assert.equal((await databaseClients.ask('deploy', up, {}, wait)).status, 422)
    const last = { ...changed, [kind.secrets[0]!]: 'the last' }
    const next = serveWith(testBerth, kind, [old, changed, last])
    await databaseClients.act('update', up, last)
    assert.equal((await databaseClients.settle('deploy', up)).applicationStatus, 'done')
    assert.deepEqual(next.rotations, [{ from: old, to: last }])
  })
}

function strangerTests(kind: Kind, changes: Settings): void {
  test('reports credentials that were changed outside Berth and leaves the server running', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up({ appName: 'shop-db' })
    const old = credentialsIn(up, kind)
    serveWith(testBerth, kind, [{ ...old, ...changes }])
    const tasks = await databaseClients.tasks(up)
    const waiting = databaseClients.ask('deploy', up, {}, wait)
    await until('a login', async () => testBerth.engine.calls.run > 1)
    testBerth.pass(20_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(
      body.message,
      /^Server is up but rejects the stored user or password: FATAL: password authentication failed/,
    )
    assert.deepEqual(
      [await databaseClients.tasks(up), (await databaseClients.one(up)).applicationStatus],
      [tasks, 'error'],
    )
    const server = serveWith(testBerth, kind, [{ ...old, ...changes }])
    await databaseClients.act('update', up, changes)
    assert.equal((await databaseClients.settle('deploy', up)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [])
  })
}
