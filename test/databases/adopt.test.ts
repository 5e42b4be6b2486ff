/** volume.adopt: a new database on a copy of a volume that Berth did not create. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { installationLabel } from '../../src/engine/labels.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, databaseClientsOf, sampleKind, waitForRecord } from '../fixtures/database-clients.ts'
import { type Input, startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { allVolumes } from './volumes.ts'

const source = 'postgres-data-k8s'

/** A volume of another system, and a database that was never deployed. */
async function withSource(testBerth: TestBerth, kind = sampleKind) {
  testBerth.engine.putVolume(source)
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  return { databaseClients, database, input: { volume: source, databaseId: databaseClients.idOf(database) } }
}

const adopt = (testBerth: TestBerth, input: Input) =>
  testBerth.call<Database & { message: string }>('volume.adopt', input, wait)

/** The volumes that the service of the database mounts. */
const mountedBy = ({ engine }: TestBerth): string[] =>
  (engine.specOf('shop-db')?.mounts ?? []).filter(({ type }) => type === 'volume').map(({ name }) => name)

for (const kind of kinds) {
  test(`copies a volume for ${kind.name}, and then starts the server on the copy only`, async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, input } = await withSource(testBerth, kind)
    testBerth.engine.behave('shop-db', 'starting')
    const adopting = adopt(testBerth, input)
    await until('the copy', async () => mountedBy(testBerth).length === 2)
    const [{ name, copyOf, databaseId }] = (await allVolumes(testBerth)) as [Awaited<ReturnType<typeof allVolumes>>[0]]
    assert.deepEqual([copyOf, databaseId], [source, databaseClients.idOf(database)])
    assert.deepEqual(mountedBy(testBerth), [name, source])
    const { env, args, mounts } = testBerth.engine.specOf('shop-db')!
    assert.deepEqual([env, args.slice(2)], [{}, [kind.dataFiles.folder, ...kind.dataFiles.names]])
    assert.equal(mounts.at(-1)!.isReadOnly, true)
    testBerth.engine.behave('shop-db', 'running')
    const { status, body } = await adopting
    assert.deepEqual([status, body.applicationStatus, body.statusReason, body.volume], [200, 'done', null, name])
    assert.deepEqual(mountedBy(testBerth), [name])
    assert.ok(testBerth.engine.volumes.has(source))
  })
}

describe('copies of any kind', { concurrency: true }, () => {
  test('a copy shows its progress, survives a restart of Berth, and ends with a stop', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, input } = await withSource(testBerth)
    testBerth.engine.behave('shop-db', 'starting')
    await testBerth.ok('volume.adopt', input)
    await until('the copy', async () => mountedBy(testBerth).length === 2)
    const [task] = await databaseClients.tasks(database)
    testBerth.engine.printLine('shop-db', 'Copied 10 of 20 KiB')
    testBerth.pass(24 * 60 * 60_000)
    await testBerth.restart()
    const isShown = ({ statusReason }: Database) => /Last line: Copied 10 of 20 KiB$/.test(`${statusReason}`)
    await waitForRecord(testBerth, databaseClients, database, isShown, 'starts')
    assert.deepEqual(await databaseClients.tasks(database), [task])
    await databaseClients.ok('stop', database, {}, wait)
    assert.equal(testBerth.engine.specOf('shop-db')?.replicas ?? 0, 0)
    testBerth.engine.behave('shop-db', 'running')
    const { body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(body.applicationStatus, 'done')
    assert.equal(mountedBy(testBerth).length, 1)
  })

  for (const [exitCode, failure] of [
    [3, 'has no data of this kind'],
    [4, 'has data of several servers'],
    [5, 'too little free space'],
    [6, 'changed while they were copied'],
    [7, 'program of the copy failed'],
  ] as const) {
    test(`a copy that ends with ${exitCode} starts no server, and can be repeated`, async () => {
      await using testBerth = await startTestBerth()
      const { databaseClients, database, input } = await withSource(testBerth)
      testBerth.engine.behave('shop-db', `crash:${exitCode}`)
      testBerth.engine.lastLines.set('shop-db', ['first', 'the detail'])
      const { body } = await adopt(testBerth, input)
      const failed = await databaseClients.one(database)
      assert.deepEqual(
        [body.message, failed.applicationStatus, failed.statusCode],
        [failed.statusReason, 'error', 'VolumeNotCopied'],
      )
      assert.match(
        failed.statusReason!,
        new RegExp(`^The volume ${source} on node .* unchanged.*${failure}.*\\(the detail\\)`),
      )
      assert.equal(testBerth.engine.specOf('shop-db')!.replicas, 0)
      testBerth.engine.behave('shop-db', 'running')
      const again = await databaseClients.call('deploy', database, {}, wait)
      assert.equal(again.body.applicationStatus, 'done')
    })
  }

  test('a container that uses the volume when the copy ends makes it fail', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, input } = await withSource(testBerth)
    testBerth.engine.behave('shop-db', 'starting')
    const adopting = adopt(testBerth, input)
    await until('the copy', async () => mountedBy(testBerth).length === 2)
    testBerth.engine.runOnVolume('coolify-db', source)
    testBerth.engine.behave('shop-db', 'running')
    await adopting
    const { statusReason } = await databaseClients.one(database)
    assert.match(statusReason!, /It is in use by coolify-db\. .*Stop what uses it/)
    // The deploy refuses it before a container starts.
    const { body } = await databaseClients.call('deploy', database, {}, wait)
    assert.match(body.message as string, /It is in use by coolify-db/)
    testBerth.engine.endOnVolume('coolify-db')
    assert.equal((await databaseClients.call('deploy', database, {}, wait)).body.applicationStatus, 'done')
  })

  test('a server never starts on an empty volume in place of a copy', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, input } = await withSource(testBerth)
    testBerth.engine.answer = () => ({ exitCode: 1, stdout: '', stderr: 'password authentication failed' })
    await testBerth.ok('volume.adopt', input)
    await until('the server on the copy', async () => mountedBy(testBerth).length === 1)
    const { volume } = await databaseClients.ok('stop', database, {}, wait)
    testBerth.engine.loseVolume(volume!)
    await databaseClients.call('deploy', database, {}, wait)
    assert.equal((await databaseClients.one(database)).statusCode, 'VolumeMissing')
    assert.ok(!testBerth.engine.volumes.has(volume!))
  })

  test('refuses volumes that are missing, in use or of Berth, and databases with data', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, input } = await withSource(testBerth)
    const refused = (code: Parameters<TestBerth['refused']>[0], changes: Input, path?: string) =>
      testBerth.refused(code, 'volume.adopt', { ...input, ...changes }, path)
    await refused('NOT_FOUND', { volume: 'other' }, 'volume')
    await refused('BAD_REQUEST', { volume: '../etc' }, 'volume')
    await refused('NOT_FOUND', { databaseId: 'other' }, 'databaseId')
    await refused('PRECONDITION_FAILED', { node: 'other' })
    testBerth.engine.putVolume('foreign', { [installationLabel]: 'other' })
    await refused('BAD_REQUEST', { volume: 'foreign' }, 'volume')
    testBerth.engine.runOnVolume('coolify-db', source)
    const { message } = await refused('CONFLICT', {})
    assert.match(message, /in use by coolify-db/)
    testBerth.engine.endOnVolume('coolify-db')
    testBerth.engine.putForeign('dokploy-db', { volumes: [source], replicas: 1 })
    await refused('CONFLICT', {})
    testBerth.engine.putForeign('dokploy-db', { volumes: [source], replicas: 0 })
    const deployed = await databaseClients.createDeployed()
    await refused('CONFLICT', { databaseId: databaseClients.idOf(deployed) })
    await refused('BAD_REQUEST', { volume: deployed.volume! }, 'volume')
    testBerth.engine.addNode('second')
    await refused('BAD_REQUEST', {}, 'node')
    const { body } = await adopt(testBerth, { ...input, node: 'second' })
    assert.deepEqual([body.applicationStatus, body.node], ['done', 'second'])
    await refused('CONFLICT', { databaseId: databaseClients.idOf(database) })
  })
})
