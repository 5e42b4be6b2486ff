/** Restoring a kept volume into a new database. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import {
  credentialsIn,
  type Database,
  databaseClientsOf,
  fakeDatabaseServer,
  incompatibleImage,
  resolved,
  sampleKind,
} from '../fixtures/database-clients.ts'
import { type Failure, type Input, startTestBerth } from '../fixtures/test-berth.ts'
import { allVolumes, createKeptVolume, type Volume } from './volumes.ts'

for (const kind of kinds) {
  describe(`volume.restore for ${kind.name}`, { concurrency: true }, () => {
    restoreTests(kind)
  })
}

describe('volume.restore for any kind', { concurrency: true }, () => {
  sharedRestoreTests(sampleKind)
  restoreRefusalTests(sampleKind)
})

function restoreTests(kind: Kind): void {
  test('creates a service on the volume with its valid credentials', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const kept = await createKeptVolume(testBerth, databaseClients, { appName: 'shop-db', [secret!]: 'the first' })
    const before = testBerth.changesOfServices()
    const { volumeId } = kept
    const created = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'Again',
      projectId: testBerth.projectId,
      description: 'x',
    })
    assert.deepEqual(
      [
        created.name,
        created.appName,
        created.description,
        created.dockerImage,
        created.volume,
        created.node,
        created.applicationStatus,
      ],
      ['Again', 'again', 'x', kind.defaultImage, kept.name, 'memory', 'idle'],
    )
    assert.equal(created[secret!], '********')
    assert.deepEqual(testBerth.changesOfServices(), before)
    const [volume] = await allVolumes(testBerth)
    assert.deepEqual(volume, {
      ...kept,
      state: 'attached',
      databaseId: databaseClients.idOf(created),
      keptAt: null,
      appName: 'again',
    })
    const database = await databaseClients.complete('deploy', created)
    assert.deepEqual([database[secret!], database.applicationStatus, database.volume], ['the first', 'done', kept.name])
    const mount = testBerth.engine.specOf('again')!.mounts.find(({ type }) => type === 'volume')!
    assert.deepEqual([mount.name, mount.path, [...testBerth.engine.volumes]], [kept.name, kept.dataPath, [kept.name]])
  })
}

function sharedRestoreTests(kind: Kind): void {
  test('restores the last credentials that the server accepted, not those of the record', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const database = await databaseClients.createDeployed({ [secret!]: 'proven' })
    await databaseClients.ok('update', database, { [secret!]: 'never deployed' })
    await databaseClients.remove(database)
    const [{ volumeId }] = (await allVolumes(testBerth)) as [Volume]
    const created = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    assert.equal((await databaseClients.one(created))[secret!], 'proven')
  })

  test('rotates a password that was changed before the first deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const { volumeId } = await createKeptVolume(testBerth, databaseClients)
    const database = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    const old = credentialsIn(await databaseClients.one(database), kind)
    const server = fakeDatabaseServer(testBerth, kind, [old, { ...old, [secret!]: 'changed' }])
    await databaseClients.ok('update', database, { [secret!]: 'changed' })
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: { ...old, [secret!]: 'changed' } }])
  })

  test('uses the last deployed image', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const minor = `${resolved(kind.defaultImage)}.4`
    await databaseClients.ok('update', database, { dockerImage: minor })
    await databaseClients.complete('deploy', database)
    await databaseClients.remove(database)
    const [{ volumeId, dockerImage }] = (await allVolumes(testBerth)) as [Volume]
    assert.equal(dockerImage, minor)
    const created = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    assert.equal(created.dockerImage, minor)
  })

  test('keeps the volume when the restored service is removed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const kept = await createKeptVolume(testBerth, databaseClients)
    const database = await testBerth.ok<Database>('volume.restore', {
      volumeId: kept.volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    await databaseClients.remove(database)
    const [volume] = await allVolumes(testBerth)
    assert.deepEqual([volume!.state, volume!.databaseId, [...testBerth.engine.volumes]], ['kept', null, [kept.name]])
  })
}

function restoreRefusalTests(kind: Kind): void {
  test('refuses invalid requests and writes nothing', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { volumeId } = await createKeptVolume(testBerth, databaseClients)
    const database = await databaseClients.createDeployed({ appName: 'taken' })
    const attached = (await allVolumes(testBerth)).find(({ name }) => name === database.volume)!
    const validInput = { volumeId, name: 'again', appName: '', projectId: testBerth.projectId }
    const refused = (code: Failure['code'], more: Input, path?: string) =>
      testBerth.refused(code, 'volume.restore', { ...validInput, ...more }, path)
    await refused('NOT_FOUND', { volumeId: 'nobody' })
    assert.match((await refused('CONFLICT', { volumeId: attached.volumeId })).message, /in use by taken/)
    await refused('NOT_FOUND', { projectId: 'nobody' }, 'projectId')
    for (const appName of ['taken', 'TAKEN']) await refused('CONFLICT', { appName }, 'appName')
    const { message } = await refused('PRECONDITION_FAILED', { dockerImage: incompatibleImage(kind) }, 'dockerImage')
    assert.match(message, /Make a backup, create a new service .* and restore the backup/)
    const wrong: Input = { volumeId: '', name: '', appName: 'a b', projectId: '', dockerImage: 'a b', description: 5 }
    for (const [field, value] of Object.entries(wrong)) await refused('BAD_REQUEST', { [field]: value }, field)
  })

  test('refuses one of two concurrent restores', async () => {
    await using testBerth = await startTestBerth()
    const { volumeId } = await createKeptVolume(testBerth, databaseClientsOf(testBerth, kind))
    const input = { volumeId, name: 'again', projectId: testBerth.projectId }
    const replies = await Promise.all([1, 2].map(() => testBerth.call('volume.restore', input)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 409],
    )
  })
}
