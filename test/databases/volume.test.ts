/** What is left of a removed database: volumes are kept, taken up again or deleted, for every kind. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { specOf } from '../samples.ts'
import {
  credentialsIn,
  type Database,
  defaultVersion,
  type Fleet,
  fleetOf,
  resolved,
  serveWith,
  settingsOf,
  strangeImage,
} from '../fixtures/fleet.ts'
import { type Failure, type Input, type Site, startSite, wait } from '../fixtures/site.ts'

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

const volumesOn = (site: Site) => site.ok<Volume[]>('volume.all')

/** A kept volume of a database that was up. */
async function keep(site: Site, fleet: Fleet, more: Input = {}): Promise<Volume> {
  const up = await fleet.up(more)
  await fleet.gone(up)
  return (await volumesOn(site)).find(({ name }) => name === up.volume)!
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
  test('volume.all lists those in use and those kept, the oldest first', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    assert.deepEqual(await volumesOn(site), [])
    const [a, b] = [await fleet.up({ appName: 'a' }), await fleet.up({ appName: 'b' })]
    await fleet.create({ appName: 'c' })
    await fleet.gone(a)
    const [first, second, ...others] = await volumesOn(site)
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
      databaseId: fleet.idOf(b),
      appName: 'b',
      keptAt: null,
    })
    assert.deepEqual([others, first!.name], [[], `berth-${volumeId}`])
  })
}

function removeDatabaseTests(kind: Kind): void {
  test('remove answers the record as it was; it is gone at once, its name is free when the service is', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create({ appName: 'shop-db' })
    const { body: up } = await fleet.ask('deploy', made, {}, wait)
    site.engine.setDown(true)
    assert.deepEqual(await fleet.act('remove', up), up)
    for (const verb of ['one', 'deploy', 'start', 'stop', 'remove', 'update', 'saveEnvironment'])
      await fleet.refused('NOT_FOUND', verb, up)
    assert.deepEqual((await site.ok('project.one', { projectId: site.projectId }))[kind.name], [])
    const same = { name: 'db', appName: 'shop-db', projectId: site.projectId, ...settingsOf(kind) }
    await site.refused('CONFLICT', `${kind.name}.create`, same, 'appName')
    site.engine.setDown(false)
    await site.app.settled([(await site.everything()).deployment!.at(-1)!.id as string], 30_000)
    assert.deepEqual(await site.engine.services(), [])
    await fleet.up({ appName: 'shop-db' })
    assert.deepEqual(
      (await volumesOn(site)).map(({ state }) => state),
      ['kept', 'attached'],
    )
    assert.equal(site.engine.volumes.size, 2)
  })

  test('removeData deletes the volume with the service', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    await fleet.gone(await fleet.up(), { removeData: true })
    assert.deepEqual([await volumesOn(site), [...site.engine.volumes]], [[], []])
  })

  test('a service that never ran leaves nothing, and wrong input removes nothing', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const database = await fleet.create()
    for (const removeData of ['yes', 1, null])
      await fleet.refused('BAD_REQUEST', 'remove', database, { removeData }, 'removeData')
    await fleet.gone(database)
    const { database: rows, volume } = await site.everything()
    assert.deepEqual([rows, volume], [[], []])
  })
}

function restoreTests(kind: Kind): void {
  test('volume.restore makes a new service on the data, with the credentials that hold inside it', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [secret] = kind.secrets
    const kept = await keep(site, fleet, { appName: 'shop-db', [secret!]: 'the first' })
    const before = site.changes()
    const { volumeId } = kept
    const made = await site.ok<Database>('volume.restore', {
      volumeId,
      name: 'Again',
      projectId: site.projectId,
      description: 'x',
    })
    assert.deepEqual(
      [made.name, made.appName, made.description, made.dockerImage, made.volume, made.node, made.applicationStatus],
      ['Again', 'again', 'x', kind.defaultImage, kept.name, 'memory', 'idle'],
    )
    assert.equal(made[secret!], '********')
    assert.deepEqual(site.changes(), before)
    const [volume] = await volumesOn(site)
    assert.deepEqual(volume, {
      ...kept,
      state: 'attached',
      databaseId: fleet.idOf(made),
      keptAt: null,
      appName: 'again',
    })
    const up = await fleet.settle('deploy', made)
    assert.deepEqual([up[secret!], up.applicationStatus, up.volume], ['the first', 'done', kept.name])
    const mount = site.engine.specOf('again')!.mounts.find(({ type }) => type === 'volume')!
    assert.deepEqual([mount.name, mount.path, [...site.engine.volumes]], [kept.name, kept.dataPath, [kept.name]])
  })

  test('its credentials are those that were last proven, not those that the record only wished for', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [secret] = kind.secrets
    const up = await fleet.up({ [secret!]: 'proven' })
    await fleet.act('update', up, { [secret!]: 'never deployed' })
    await fleet.gone(up)
    const [{ volumeId }] = (await volumesOn(site)) as [Volume]
    const made = await site.ok<Database>('volume.restore', { volumeId, name: 'again', projectId: site.projectId })
    assert.equal((await fleet.one(made))[secret!], 'proven')
  })

  test('a password that is changed before the first deploy is given to the server with the old one', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [secret] = kind.secrets
    const { volumeId } = await keep(site, fleet)
    const made = await site.ok<Database>('volume.restore', { volumeId, name: 'again', projectId: site.projectId })
    const old = credentialsIn(await fleet.one(made), kind)
    const server = serveWith(site, kind, [old, { ...old, [secret!]: 'changed' }])
    await fleet.act('update', made, { [secret!]: 'changed' })
    assert.equal((await fleet.settle('deploy', made)).applicationStatus, 'done')
    assert.deepEqual(server.rotations, [{ from: old, to: { ...old, [secret!]: 'changed' } }])
  })

  test('the image is the one that was last deployed', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const minor = `${resolved(kind.defaultImage)}.4`
    await fleet.act('update', up, { dockerImage: minor })
    await fleet.settle('deploy', up)
    await fleet.gone(up)
    const [{ volumeId, dockerImage }] = (await volumesOn(site)) as [Volume]
    assert.equal(dockerImage, minor)
    const made = await site.ok<Database>('volume.restore', { volumeId, name: 'again', projectId: site.projectId })
    assert.equal(made.dockerImage, minor)
  })

  test('a restored service can be removed again, and its volume is kept again', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const kept = await keep(site, fleet)
    const made = await site.ok<Database>('volume.restore', {
      volumeId: kept.volumeId,
      name: 'again',
      projectId: site.projectId,
    })
    await fleet.gone(made)
    const [volume] = await volumesOn(site)
    assert.deepEqual([volume!.state, volume!.databaseId, [...site.engine.volumes]], ['kept', null, [kept.name]])
  })
}

function restoreRefusalTests(kind: Kind): void {
  test('volume.restore refuses what it cannot do, and writes nothing', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const { volumeId } = await keep(site, fleet)
    const up = await fleet.up({ appName: 'taken' })
    const attached = (await volumesOn(site)).find(({ name }) => name === up.volume)!
    const whole = { volumeId, name: 'again', appName: '', projectId: site.projectId }
    const refused = (code: Failure['code'], more: Input, path?: string) =>
      site.refused(code, 'volume.restore', { ...whole, ...more }, path)
    await refused('NOT_FOUND', { volumeId: 'nobody' })
    assert.match((await refused('CONFLICT', { volumeId: attached.volumeId })).message, /in use by taken/)
    await refused('NOT_FOUND', { projectId: 'nobody' }, 'projectId')
    for (const appName of ['taken', 'TAKEN']) await refused('CONFLICT', { appName }, 'appName')
    const { message } = await refused('PRECONDITION_FAILED', { dockerImage: strangeImage(kind) }, 'dockerImage')
    assert.match(message, /Make a backup, create a new service .* and restore the backup/)
    const wrong: Input = { volumeId: '', name: '', appName: 'a b', projectId: '', dockerImage: 'a b', description: 5 }
    for (const [field, value] of Object.entries(wrong)) await refused('BAD_REQUEST', { [field]: value }, field)
  })

  test('of two restores at once one is refused', async () => {
    await using site = await startSite()
    const { volumeId } = await keep(site, fleetOf(site, kind))
    const input = { volumeId, name: 'again', projectId: site.projectId }
    const replies = await Promise.all([1, 2].map(() => site.call('volume.restore', input)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 409],
    )
  })
}

function removeTests(kind: Kind): void {
  test('volume.remove deletes a kept volume for good, and answers it as it was', async () => {
    await using site = await startSite()
    const kept = await keep(site, fleetOf(site, kind))
    const { status, body, headers } = await site.call('volume.remove', { volumeId: kept.volumeId }, wait)
    assert.deepEqual([status, body, headers['preference-applied']], [200, kept, wait.prefer])
    assert.deepEqual([await volumesOn(site), [...site.engine.volumes]], [[], []])
    await site.refused('NOT_FOUND', 'volume.remove', { volumeId: kept.volumeId })
  })

  test('a volume in use, an unknown one and wrong input are refused', async () => {
    await using site = await startSite()
    const up = await fleetOf(site, kind).up()
    const [{ volumeId }] = (await volumesOn(site)) as [Volume]
    assert.match(
      (await site.refused('CONFLICT', 'volume.remove', { volumeId })).message,
      new RegExp(`in use by ${up.appName}`),
    )
    await site.refused('NOT_FOUND', 'volume.remove', { volumeId: 'nobody' })
    for (const wrong of ['', 5, undefined])
      await site.refused('BAD_REQUEST', 'volume.remove', { volumeId: wrong }, 'volumeId')
  })

  test('without the engine a removal is recorded, and ends by itself when the engine is back', async () => {
    await using site = await startSite()
    const kept = await keep(site, fleetOf(site, kind))
    const { volumeId } = kept
    site.engine.setDown(true)
    await site.ok('volume.remove', { volumeId })
    assert.deepEqual(
      (await volumesOn(site)).map(({ state }) => state),
      ['removing'],
    )
    const before = await site.everything()
    for (const name of ['volume.remove', 'volume.restore']) {
      assert.equal((await site.call(name, { volumeId, name: 'again', projectId: site.projectId })).status, 409)
    }
    assert.deepEqual(await site.everything(), before)
    site.engine.setDown(false)
    await site.app.settled([(await site.everything()).deployment!.at(-1)!.id as string], 30_000)
    assert.deepEqual([await volumesOn(site), [...site.engine.volumes]], [[], []])
  })

  test('a volume that the engine will not let go is kept, and the wait says why', async () => {
    await using site = await startSite()
    const kept = await keep(site, fleetOf(site, kind))
    const mounts = [{ type: 'volume' as const, path: '/data', name: kept.name, sizeBytes: 0, labels: {} }]
    await site.engine.createService(specOf({ name: 'by-hand', mounts, nodeId: 'node1' }))
    const removing = site.call<Failure>('volume.remove', { volumeId: kept.volumeId }, wait)
    await site.until('it to be tried', async () => site.engine.calls.removeVolume > 0)
    assert.deepEqual(
      (await volumesOn(site)).map(({ state }) => state),
      ['removing'],
    )
    site.pass(30_000)
    const { status, body } = await removing
    assert.equal(status, 422)
    assert.match(body.message, /The engine did not remove the volume: .*volume is in use/)
    assert.deepEqual([await volumesOn(site), site.engine.volumes.has(kept.name)], [[kept], true])
    await site.engine.removeService('by-hand')
    await site.ok('volume.remove', { volumeId: kept.volumeId }, wait)
    assert.deepEqual([...site.engine.volumes], [])
  })
}
