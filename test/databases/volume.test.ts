/** Volumes of databases and of removed databases: list, keep and remove. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { specOf } from '../fixtures/samples.ts'
import { defaultVersion, databaseClientsOf, sampleKind, settingsOf } from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth, wait } from '../fixtures/test-berth.ts'
import { allVolumes, createKeptVolume, type Volume } from './volumes.ts'

for (const kind of kinds) {
  describe(`volumes of ${kind.name}`, { concurrency: true }, () => listTests(kind))
}

describe('volumes of any kind', { concurrency: true }, () => {
  removeDatabaseTests(sampleKind)
  removeTests(sampleKind)
})

function listTests(kind: Kind): void {
  test('volume.all lists attached and kept volumes, oldest first', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    assert.deepEqual(await allVolumes(testBerth), [])
    const [a, b] = [
      await databaseClients.createDeployed({ appName: 'a' }),
      await databaseClients.createDeployed({ appName: 'b' }),
    ]
    await databaseClients.create({ appName: 'c' })
    await databaseClients.remove(a)
    const [first, second, ...others] = await allVolumes(testBerth)
    const version = defaultVersion(kind)
    const common = {
      kind: kind.name,
      version,
      dataPath: kind.dataPath(version),
      node: 'memory',
      dockerImage: kind.defaultImage,
      copyOf: null,
    }
    const { volumeId, createdAt, keptAt, ...kept } = first!
    assert.deepEqual(kept, { ...common, name: a.volume, state: 'kept', databaseId: null, appName: 'a' })
    assert.ok(createdAt < keptAt!)
    const { volumeId: _, createdAt: __, ...attached } = second!
    assert.deepEqual(attached, {
      ...common,
      name: b.volume,
      state: 'attached',
      databaseId: databaseClients.idOf(b),
      appName: 'b',
      keptAt: null,
    })
    assert.deepEqual([others, first!.name], [[], `berth-${volumeId}`])
  })
}

function removeDatabaseTests(kind: Kind): void {
  test('remove returns the previous record, and frees the name after the service is removed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const created = await databaseClients.create({ appName: 'shop-db' })
    const { body: database } = await databaseClients.call('deploy', created, {}, wait)
    testBerth.engine.setDown(true)
    assert.deepEqual(await databaseClients.ok('remove', database), database)
    for (const verb of ['one', 'deploy', 'start', 'stop', 'remove', 'update', 'saveEnvironment'])
      await databaseClients.refused('NOT_FOUND', verb, database)
    assert.deepEqual((await testBerth.ok('project.one', { projectId: testBerth.projectId }))[kind.name], [])
    const same = { name: 'db', appName: 'shop-db', projectId: testBerth.projectId, ...settingsOf(kind) }
    await testBerth.refused('CONFLICT', `${kind.name}.create`, same, 'appName')
    testBerth.engine.setDown(false)
    await testBerth.app.waitForEnd([(await testBerth.everything()).deployment!.at(-1)!.id as string], 30_000)
    assert.deepEqual(await testBerth.engine.services(), [])
    await databaseClients.createDeployed({ appName: 'shop-db' })
    assert.deepEqual(
      (await allVolumes(testBerth)).map(({ state }) => state),
      ['kept', 'attached'],
    )
    assert.equal(testBerth.engine.volumes.size, 2)
  })

  test('removeData deletes the volume with the service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.remove(await databaseClients.createDeployed(), { removeData: true })
    assert.deepEqual([await allVolumes(testBerth), [...testBerth.engine.volumes]], [[], []])
  })

  test('keeps no volume of a service that never ran, and removes nothing for invalid input', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    for (const removeData of ['yes', 1, null])
      await databaseClients.refused('BAD_REQUEST', 'remove', database, { removeData }, 'removeData')
    await databaseClients.remove(database)
    const { database: rows, volume } = await testBerth.everything()
    assert.deepEqual([rows, volume], [[], []])
  })
}

function removeTests(kind: Kind): void {
  test('volume.remove deletes a kept volume and returns its previous record', async () => {
    await using testBerth = await startTestBerth()
    const kept = await createKeptVolume(testBerth, databaseClientsOf(testBerth, kind))
    const { status, body, headers } = await testBerth.call('volume.remove', { volumeId: kept.volumeId }, wait)
    assert.deepEqual([status, body, headers['preference-applied']], [200, kept, wait.prefer])
    assert.deepEqual([await allVolumes(testBerth), [...testBerth.engine.volumes]], [[], []])
    await testBerth.refused('NOT_FOUND', 'volume.remove', { volumeId: kept.volumeId })
  })

  test('volume.remove refuses an attached volume, an unknown volume and invalid input', async () => {
    await using testBerth = await startTestBerth()
    const database = await databaseClientsOf(testBerth, kind).createDeployed()
    const [{ volumeId }] = (await allVolumes(testBerth)) as [Volume]
    assert.match(
      (await testBerth.refused('CONFLICT', 'volume.remove', { volumeId })).message,
      new RegExp(`in use by ${database.appName}`),
    )
    await testBerth.refused('NOT_FOUND', 'volume.remove', { volumeId: 'nobody' })
    for (const wrong of ['', 5, undefined])
      await testBerth.refused('BAD_REQUEST', 'volume.remove', { volumeId: wrong }, 'volumeId')
  })

  test('accepts a removal while the engine does not answer, and completes the removal afterwards', async () => {
    await using testBerth = await startTestBerth()
    const kept = await createKeptVolume(testBerth, databaseClientsOf(testBerth, kind))
    const { volumeId } = kept
    testBerth.engine.setDown(true)
    await testBerth.ok('volume.remove', { volumeId })
    assert.deepEqual(
      (await allVolumes(testBerth)).map(({ state }) => state),
      ['removing'],
    )
    const before = await testBerth.everything()
    for (const name of ['volume.remove', 'volume.restore']) {
      assert.equal(
        (await testBerth.call(name, { volumeId, name: 'again', projectId: testBerth.projectId })).status,
        409,
      )
    }
    assert.deepEqual(await testBerth.everything(), before)
    testBerth.engine.setDown(false)
    await testBerth.app.waitForEnd([(await testBerth.everything()).deployment!.at(-1)!.id as string], 30_000)
    assert.deepEqual([await allVolumes(testBerth), [...testBerth.engine.volumes]], [[], []])
  })

  test('keeps a volume that a service uses, and reports the reason', async () => {
    await using testBerth = await startTestBerth()
    const kept = await createKeptVolume(testBerth, databaseClientsOf(testBerth, kind))
    const mounts = [{ type: 'volume' as const, path: '/data', name: kept.name, sizeBytes: 0, labels: {} }]
    await testBerth.engine.createService(specOf({ name: 'by-hand', mounts, nodeId: 'node1' }))
    const { volumeUse } = testBerth.engine.calls
    const removing = testBerth.call<Failure>('volume.remove', { volumeId: kept.volumeId }, wait)
    await testBerth.until('the attempt', async () => testBerth.engine.calls.volumeUse > volumeUse + 1)
    assert.deepEqual(
      (await allVolumes(testBerth)).map(({ state }) => state),
      ['removing'],
    )
    testBerth.pass(30_000)
    const { status, body } = await removing
    assert.equal(status, 422)
    assert.match(body.message, /^The volume \S+ is in use by the service by-hand, so its data was not deleted/)
    assert.equal(testBerth.engine.calls.removeVolume, 0)
    assert.deepEqual([await allVolumes(testBerth), testBerth.engine.volumes.has(kept.name)], [[kept], true])
    await testBerth.engine.removeService('by-hand')
    await testBerth.ok('volume.remove', { volumeId: kept.volumeId }, wait)
    assert.deepEqual([...testBerth.engine.volumes], [])
  })
}
