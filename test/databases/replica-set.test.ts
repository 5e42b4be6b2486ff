/** A setting that the data keeps: the replica set of MongoDB. It is prepared once, and stays from then on. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Outcome } from '../../src/engine/engine.ts'
import { type Database, databaseClientsOf, type Settings, settingsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('mongo')
const success: Outcome = { exitCode: 0, stdout: '', stderr: '' }
const refusal: Outcome = { exitCode: 1, stdout: '', stderr: 'Authentication failed.' }

/** A server that is a member of the set with which it was started, and is uninitiated until Berth prepares it. */
function fakeMember(testBerth: TestBerth, accepted: Settings[]) {
  const member = { accepted, preparations: 0, isPrepared: false }
  testBerth.engine.answer = ({ address, serviceName }, program) => {
    const at = { host: address!, port: kind.port }
    const isMember = testBerth.engine.specOf(serviceName)!.args.includes('--replSet')
    const isOneOf = (programOf: (settings: Settings) => object) =>
      member.accepted.some((settings) => isDeepStrictEqual(program, programOf(settings)))
    if (isOneOf((settings) => kind.lasting!.prepare({ ...settings, replicaSet: 'rs0' }, at))) {
      member.preparations += 1
      member.isPrepared = true
      return success
    }
    if (!isMember) return isOneOf((settings) => kind.ready(settings, at)) ? success : refusal
    if (!isOneOf((settings) => kind.ready({ ...settings, replicaSet: 'rs0' }, at))) return refusal
    return member.isPrepared ? success : { exitCode: kind.lasting!.unpreparedExitCode, stdout: '', stderr: '' }
  }
  return member
}

async function open() {
  const testBerth = await startTestBerth()
  const mongo = databaseClientsOf(testBerth, kind)
  const old = settingsOf(kind)
  return {
    testBerth,
    mongo,
    old,
    member: fakeMember(testBerth, [old]),
    [Symbol.asyncDispose]: () => testBerth[Symbol.asyncDispose](),
  }
}

const isMember = (testBerth: TestBerth, { appName }: Database) => {
  const { args, hostname } = testBerth.engine.specOf(appName)!
  return [args.slice(args.indexOf('--replSet')).slice(0, 2).join(' '), hostname]
}

describe('the replica set of MongoDB', { concurrency: true }, () => {
  test('the first deploy prepares the server once, and the name then stays', async () => {
    await using context = await open()
    const { testBerth, mongo, member } = context
    const created = await mongo.create({ replicaSet: 'first' })
    assert.equal(created.replicaSet, 'first')
    assert.equal((await mongo.ok('update', created, { replicaSet: null })).replicaSet, null)
    assert.equal((await mongo.ok('update', created, { replicaSet: 'rs0', externalPort: 15_999 })).replicaSet, 'rs0')
    await mongo.ok('update', created, { externalPort: null })
    const database = await mongo.complete('deploy', created)
    assert.equal(database.applicationStatus, 'done')
    assert.deepEqual([member.preparations, isMember(testBerth, database)], [1, ['--replSet rs0', database.appName]])
    assert.ok(database.connection.internalUrl.endsWith('&replicaSet=rs0'))
    for (const replicaSet of [null, 'other']) {
      const { message } = await mongo.refused('PRECONDITION_FAILED', 'update', database, { replicaSet }, 'replicaSet')
      assert.match(message, /must stay rs0\. .*restore a dump/)
    }
    assert.equal((await mongo.ok('update', database, { replicaSet: 'rs0', description: 'x' })).pendingChanges, false)
    await mongo.complete('reload', database, { appName: database.appName })
    assert.equal(member.preparations, 1)
  })

  test('a database without a set gets one with a restart, and its kept volume leads to the same set', async () => {
    await using context = await open()
    const { testBerth, mongo, member } = context
    const database = await mongo.createDeployed()
    assert.deepEqual([database.replicaSet, member.preparations], [null, 0])
    const before = await mongo.tasks(database)
    assert.equal((await mongo.ok('update', database, { replicaSet: 'rs0' })).pendingChanges, true)
    const changed = await mongo.complete('deploy', database)
    assert.deepEqual([changed.applicationStatus, changed.pendingChanges, member.preparations], ['done', false, 1])
    assert.notDeepEqual(await mongo.tasks(database), before)
    await mongo.remove(changed)
    const [volume] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
    const input = { volumeId: volume!.volumeId, name: 'again', projectId: testBerth.projectId }
    assert.equal((await testBerth.ok<Database>('volume.restore', input)).replicaSet, 'rs0')
  })

  test('a rollback after the preparation keeps the set', async () => {
    await using context = await open()
    const { testBerth, mongo, old, member } = context
    const database = await mongo.createDeployed()
    const changed = { ...old, databasePassword: 'changed' }
    // The server accepts the old password too, so the deploy fails after it has prepared the server.
    member.accepted = [changed, old]
    await mongo.ok('update', database, { replicaSet: 'rs0', databasePassword: 'changed', env: 'A=1' })
    const { status, body } = await mongo.call('deploy', database, {}, wait)
    assert.deepEqual([status, body.code], [422, 'UNPROCESSABLE_CONTENT'])
    assert.equal((await mongo.one(database)).statusCode, 'RolledBack')
    assert.equal(testBerth.engine.specOf(database.appName)!.env.A, undefined)
    assert.deepEqual([isMember(testBerth, database), member.preparations], [['--replSet rs0', database.appName], 1])
    await mongo.refused('PRECONDITION_FAILED', 'update', database, { replicaSet: null }, 'replicaSet')
    member.accepted = [changed]
    assert.equal((await mongo.complete('deploy', database)).applicationStatus, 'done')
  })
})
