/** Volumes of removed databases are kept, restored or deleted, for every kind. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { specOf } from '../fixtures/samples.ts'
import {
  credentialsIn,
  type Database,
  defaultVersion,
  type DatabaseClients,
  databaseClientsOf,
  resolved,
  serveWith,
  settingsOf,
  incompatibleImage,
} from '../fixtures/database-clients.ts'
import { type Failure, type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

interface Volume {
  volumeId: string
  name: string
  kind: string
  version: string | null
  dataPath: string
  node: string
  state: string
  databaseId: string | null
  appName: string
  dockerImage: string
  createdAt: string
  keptAt: string | null
}

const volumesOn = (testBerth: TestBerth) => testBerth.ok<Volume[]>('volume.all')

/** Creates the kept volume of a database that was up. */
async function keep(testBerth: TestBerth, databaseClients: DatabaseClients, more: Input = {}): Promise<Volume> {
  const up = await databaseClients.up(more)
  await databaseClients.gone(up)
  return (await volumesOn(testBerth)).find(({ name }) => name === up.volume)!
}

for (const kind of kinds) {
  describe(`volumes of ${kind.name}`, { concurrency: true }, () => {
    listTests(kind)
    removeDatabaseTests(kind)
    restoreTests(kind)
    restoreRefusalTests(kind)
    removeTests(kind)
  })
}

function listTests(kind: Kind): void {
  test('volume.all lists attached and kept volumes, oldest first', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    assert.deepEqual(await volumesOn(testBerth), [])
    const [a, b] = [await databaseClients.up({ appName: 'a' }), await databaseClients.up({ appName: 'b' })]
    await databaseClients.create({ appName: 'c' })
    await databaseClients.gone(a)
    const [first, second, ...others] = await volumesOn(testBerth)
    const version = defaultVersion(kind)
    const common = {
      kind: kind.name,
      version,
      dataPath: kind.dataPath(version),
      node: 'memory',
      dockerImage: kind.defaultImage,
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
  test('remove returns the previous record; the name is free once the service is gone', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ appName: 'shop-db' })
    const { body: up } = await databaseClients.ask('deploy', made, {}, wait)
    testBerth.engine.setDown(true)
    assert.deepEqual(await databaseClients.act('remove', up), up)
    for (const verb of ['one', 'deploy', 'start', 'stop', 'remove', 'update', 'saveEnvironment'])
      await databaseClients.refused('NOT_FOUND', verb, up)
    assert.deepEqual((await testBerth.ok('project.one', { projectId: testBerth.projectId }))[kind.name], [])
    const same = { name: 'db', appName: 'shop-db', projectId: testBerth.projectId, ...settingsOf(kind) }
    await testBerth.refused('CONFLICT', `${kind.name}.create`, same, 'appName')
    testBerth.engine.setDown(false)
    await testBerth.app.waitForEnd([(await testBerth.everything()).deployment!.at(-1)!.id as string], 30_000)
    assert.deepEqual(await testBerth.engine.services(), [])
    await databaseClients.up({ appName: 'shop-db' })
    assert.deepEqual(
      (await volumesOn(testBerth)).map(({ state }) => state),
      ['kept', 'attached'],
    )
    assert.equal(testBerth.engine.volumes.size, 2)
  })

  test('removeData deletes the volume with the service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.gone(await databaseClients.up(), { removeData: true })
    assert.deepEqual([await volumesOn(testBerth), [...testBerth.engine.volumes]], [[], []])
  })

  test('keeps no volume of a service that never ran, and removes nothing for invalid input', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    for (const removeData of ['yes', 1, null])
      await databaseClients.refused('BAD_REQUEST', 'remove', database, { removeData }, 'removeData')
    await databaseClients.gone(database)
    const { database: rows, volume } = await testBerth.everything()
    assert.deepEqual([rows, volume], [[], []])
  })
}

function restoreTests(kind: Kind): void {
  test('volume.restore creates a service on the data with its valid credentials', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const kept = await keep(testBerth, databaseClients, { appName: 'shop-db', [secret!]: 'the first' })
    const before = testBerth.changes()
    const { volumeId } = kept
    const made = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'Again',
      projectId: testBerth.projectId,
      description: 'x',
    })
    assert.deepEqual(
      [made.name, made.appName, made.description, made.dockerImage, made.volume, made.node, made.applicationStatus],
      ['Again', 'again', 'x', kind.defaultImage, kept.name, 'memory', 'idle'],
    )
    assert.equal(made[secret!], '********')
    assert.deepEqual(testBerth.changes(), before)
    const [volume] = await volumesOn(testBerth)
    assert.deepEqual(volume, {
      ...kept,
      state: 'attached',
      databaseId: databaseClients.idOf(made),
      keptAt: null,
      appName: 'again',
    })
    const up = await databaseClients.settle('deploy', made)
    assert.deepEqual([up[secret!], up.applicationStatus, up.volume], ['the first', 'done', kept.name])
    const mount = testBerth.engine.specOf('again')!.mounts.find(({ type }) => type === 'volume')!
    assert.deepEqual([mount.name, mount.path, [...testBerth.engine.volumes]], [kept.name, kept.dataPath, [kept.name]])
  })

  test('restores the last proven credentials, not those of the record', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const up = await databaseClients.up({ [secret!]: 'proven' })
    await databaseClients.act('update', up, { [secret!]: 'never deployed' })
    await databaseClients.gone(up)
    const [{ volumeId }] = (await volumesOn(testBerth)) as [Volume]
    const made = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    assert.equal((await databaseClients.one(made))[secret!], 'proven')
  })

  test('rotates a password that was changed before the first deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const { volumeId } = await keep(testBerth, databaseClients)
    const made = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    const old = credentialsIn(await databaseClients.one(made), kind)
    const server = serveWith(testBerth, kind, [old, { ...old, [secret!]: 'changed' }])
    await databaseClients.act('update', made, { [secret!]: 'changed' })
    assert.equal((await databaseClients.settle('deploy', made)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: { ...old, [secret!]: 'changed' } }])
  })

  test('uses the last deployed image', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const minor = `${resolved(kind.defaultImage)}.4`
    await databaseClients.act('update', up, { dockerImage: minor })
    await databaseClients.settle('deploy', up)
    await databaseClients.gone(up)
    const [{ volumeId, dockerImage }] = (await volumesOn(testBerth)) as [Volume]
    assert.equal(dockerImage, minor)
    const made = await testBerth.ok<Database>('volume.restore', {
      volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    assert.equal(made.dockerImage, minor)
  })

  test('keeps the volume again when a restored service is removed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const kept = await keep(testBerth, databaseClients)
    const made = await testBerth.ok<Database>('volume.restore', {
      volumeId: kept.volumeId,
      name: 'again',
      projectId: testBerth.projectId,
    })
    await databaseClients.gone(made)
    const [volume] = await volumesOn(testBerth)
    assert.deepEqual([volume!.state, volume!.databaseId, [...testBerth.engine.volumes]], ['kept', null, [kept.name]])
  })
}

function restoreRefusalTests(kind: Kind): void {
  test('volume.restore refuses invalid requests and writes nothing', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { volumeId } = await keep(testBerth, databaseClients)
    const up = await databaseClients.up({ appName: 'taken' })
    const attached = (await volumesOn(testBerth)).find(({ name }) => name === up.volume)!
    const whole = { volumeId, name: 'again', appName: '', projectId: testBerth.projectId }
    const refused = (code: Failure['code'], more: Input, path?: string) =>
      testBerth.refused(code, 'volume.restore', { ...whole, ...more }, path)
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
    const { volumeId } = await keep(testBerth, databaseClientsOf(testBerth, kind))
    const input = { volumeId, name: 'again', projectId: testBerth.projectId }
    const replies = await Promise.all([1, 2].map(() => testBerth.call('volume.restore', input)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 409],
    )
  })
}

function removeTests(kind: Kind): void {
  test('volume.remove deletes a kept volume and returns its previous record', async () => {
    await using testBerth = await startTestBerth()
    const kept = await keep(testBerth, databaseClientsOf(testBerth, kind))
    const { status, body, headers } = await testBerth.call('volume.remove', { volumeId: kept.volumeId }, wait)
    assert.deepEqual([status, body, headers['preference-applied']], [200, kept, wait.prefer])
    assert.deepEqual([await volumesOn(testBerth), [...testBerth.engine.volumes]], [[], []])
    await testBerth.refused('NOT_FOUND', 'volume.remove', { volumeId: kept.volumeId })
  })

  test('refuses an attached volume, an unknown one and invalid input', async () => {
    await using testBerth = await startTestBerth()
    const up = await databaseClientsOf(testBerth, kind).up()
    const [{ volumeId }] = (await volumesOn(testBerth)) as [Volume]
    assert.match(
      (await testBerth.refused('CONFLICT', 'volume.remove', { volumeId })).message,
      new RegExp(`in use by ${up.appName}`),
    )
    await testBerth.refused('NOT_FOUND', 'volume.remove', { volumeId: 'nobody' })
    for (const wrong of ['', 5, undefined])
      await testBerth.refused('BAD_REQUEST', 'volume.remove', { volumeId: wrong }, 'volumeId')
  })

  test('records a removal without the engine and completes it when the engine is back', async () => {
    await using testBerth = await startTestBerth()
    const kept = await keep(testBerth, databaseClientsOf(testBerth, kind))
    const { volumeId } = kept
    testBerth.engine.setDown(true)
    await testBerth.ok('volume.remove', { volumeId })
    assert.deepEqual(
      (await volumesOn(testBerth)).map(({ state }) => state),
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
    assert.deepEqual([await volumesOn(testBerth), [...testBerth.engine.volumes]], [[], []])
  })

  test('keeps a volume that the engine refuses to remove, and reports why', async () => {
    await using testBerth = await startTestBerth()
    const kept = await keep(testBerth, databaseClientsOf(testBerth, kind))
    const mounts = [{ type: 'volume' as const, path: '/data', name: kept.name, sizeBytes: 0, labels: {} }]
    await testBerth.engine.createService(specOf({ name: 'by-hand', mounts, nodeId: 'node1' }))
    const removing = testBerth.call<Failure>('volume.remove', { volumeId: kept.volumeId }, wait)
    await testBerth.until('it to be tried', async () => testBerth.engine.calls.removeVolume > 0)
    assert.deepEqual(
      (await volumesOn(testBerth)).map(({ state }) => state),
      ['removing'],
    )
    testBerth.pass(30_000)
    const { status, body } = await removing
    assert.equal(status, 422)
    assert.match(body.message, /The engine did not remove the volume: .*volume is in use/)
    assert.deepEqual([await volumesOn(testBerth), testBerth.engine.volumes.has(kept.name)], [[kept], true])
    await testBerth.engine.removeService('by-hand')
    await testBerth.ok('volume.remove', { volumeId: kept.volumeId }, wait)
    assert.deepEqual([...testBerth.engine.volumes], [])
  })
}
