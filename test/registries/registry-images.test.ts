/** Databases with images from a registry: the stored image, the credentials for pulling it, and the refusals. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyImage } from '../engine/memory/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { credentialsFrom } from '../../src/registries/credentials.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import {
  appNameFor,
  type Database,
  databaseClientsOf,
  resolved,
  fakeDatabaseServer,
  sampleKind,
  settingsOf,
  incompatibleImage,
} from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

/** Creates a registry, and then replaces its URL in the store by the URL of a registry that does not exist. */
async function registryAt(testBerth: TestBerth, registryUrl: string, imagePrefix: string | null): Promise<string> {
  await using registry = await startFakeRegistry()
  const { registryId } = await testBerth.ok<{ registryId: string }>('registry.create', {
    registryName: 'test',
    username: 'ann',
    password: 'a-secret',
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix,
  })
  await testBerth.app.transact((tx) =>
    tx.updateTable('registry').set({ registryUrl }).where('id', '=', registryId).execute(),
  )
  return registryId
}

for (const kind of kinds) deployTests(kind)
describe('databases of any kind', () => sharedTests(sampleKind))

function deployTests(kind: Kind): void {
  const image = resolved(kind.defaultImage)

  test(`${kind.name}: deploys the default image of a registry with its credentials`, async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.credentialsFor = credentialsFrom(testBerth.app.db, testBerth.app.vault)
    const databaseClients = databaseClientsOf(testBerth, kind)
    const registryId = await registryAt(testBerth, 'https://registry.example.com', 'team')
    const expectedImage = `registry.example.com/team/${image}`
    const created = await databaseClients.create({ registryId })
    assert.deepEqual(
      [created.dockerImage, created.resolvedImage, created.registryId],
      [expectedImage, expectedImage, undefined],
    )
    const up = await databaseClients.complete('deploy', created)
    assert.deepEqual(
      [up.applicationStatus, testBerth.engine.specOf(up.appName)!.image],
      ['done', anyImage(expectedImage)!.digest],
    )
    assert.deepEqual(testBerth.engine.pullsAs.get(up.appName), {
      username: 'ann',
      password: 'a-secret',
      serverAddress: 'registry.example.com',
    })
    const dockerImage = incompatibleImage(kind)
    const { message } = await databaseClients.refused(
      'PRECONDITION_FAILED',
      'update',
      up,
      { dockerImage, registryId },
      'dockerImage',
    )
    assert.match(message, new RegExp(`registry\\.example\\.com/team/${dockerImage}`))
  })
}

function sharedTests(kind: Kind): void {
  const image = resolved(kind.defaultImage)

  test('an update resolves its image with its registry', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [own, hub] = [await registryAt(testBerth, 'r.example:5000', null), await registryAt(testBerth, '', 'team')]
    const created = await databaseClients.create()
    assert.equal(created.dockerImage, kind.defaultImage)
    const put = async (dockerImage: string, registryId: string) =>
      (await databaseClients.ok('update', created, { dockerImage, registryId })).dockerImage
    assert.equal(await put(kind.defaultImage, own), `r.example:5000/${image}`)
    assert.equal(await put(`${image}-more`, hub), `docker.io/team/${image}-more`)
    assert.equal(
      (await databaseClients.ok('update', created, { name: 'other' })).dockerImage,
      `docker.io/team/${image}-more`,
    )
    await databaseClients.refused('BAD_REQUEST', 'update', created, { registryId: own }, 'registryId')
    await databaseClients.refused(
      'NOT_FOUND',
      'update',
      created,
      { dockerImage: image, registryId: unknownId },
      'registryId',
    )
    for (const dockerImage of ['docker.io/library/postgres', 'localhost/postgres:15', 'other.example/postgres']) {
      const { message } = await databaseClients.refused(
        'BAD_REQUEST',
        'update',
        created,
        { dockerImage, registryId: own },
        'registryId',
      )
      assert.ok(message.includes(`${dockerImage} names its registry itself`), message)
    }
  })

  test('refuses an unknown registry, and one whose host is invalid in image names', async () => {
    await using testBerth = await startTestBerth()
    const input = { name: 'db', appName: appNameFor(kind), projectId: testBerth.projectId, ...settingsOf(kind) }
    await testBerth.refused('NOT_FOUND', `${kind.name}.create`, { ...input, registryId: unknownId }, 'registryId')
    await testBerth.refused('BAD_REQUEST', `${kind.name}.create`, { ...input, registryId: '' }, 'registryId')
    for (const url of ['registry', 'https://my_registry.example']) {
      const registryId = await registryAt(testBerth, url, 'team')
      await testBerth.refused('BAD_REQUEST', `${kind.name}.create`, { ...input, registryId }, 'registryId')
    }
  })
}

test('restores a kept volume with an image of a registry', async () => {
  await using testBerth = await startTestBerth()
  const kind = kinds[0]!
  const databaseClients = databaseClientsOf(testBerth, kind)
  fakeDatabaseServer(testBerth, kind, [settingsOf(kind)])
  const registryId = await registryAt(testBerth, 'registry.example.com', null)
  await databaseClients.remove(await databaseClients.createDeployed())
  const [volume] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
  const input = { volumeId: volume!.volumeId, name: 'again', appName: 'again', projectId: testBerth.projectId }
  const dockerImage = resolved(kind.defaultImage)
  await testBerth.refused('BAD_REQUEST', 'volume.restore', { ...input, registryId }, 'registryId')
  const withImage = { ...input, dockerImage, registryId }
  await testBerth.refused('NOT_FOUND', 'volume.restore', { ...withImage, registryId: unknownId }, 'registryId')
  const restored = await testBerth.ok<Database>('volume.restore', withImage)
  assert.equal(restored.dockerImage, `registry.example.com/${dockerImage}`)
})
