/** The registry that Berth runs on a real swarm. Docker's client pushes images, databases use them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { pullAs, pushAs } from './registry.ts'
import { forgetImages, removeImages, smallImage } from './registry-image.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, onSwarm, type Swarm } from './swarm.ts'

interface Registry {
  registryId: string
  host: string
  username: string
  password: string
  registryUrl: string
  note?: string
  server: { status: string; statusReason: string | null; port: number | null; volume: string; readOnly: boolean }
}

const waitHeader = { prefer: 'wait=120' }
const first = { username: 'team', password: ' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`' }
const second = { username: 'team', password: 'abcdefghijklmnopqrstuvwxyz{|}~ and what is not ASCII: é' }

describe('the self-hosted registry on a port of its node', () => {
  const end = new AsyncDisposableStack()
  let berth: Swarm
  let databaseClients: DatabaseClients
  let host: string
  let registryId: string
  before(async () => {
    host = `127.0.0.1:${await freePort()}`
    end.defer(removeImages)
    end.defer(() => forgetImages(host))
    berth = end.use(await onSwarm())
    databaseClients = databaseClientsOn(berth, kindNamed('redis'), clients.redis!)
  })
  after(() => end.disposeAsync())

  async function call<T = Registry>(name: string, input: Record<string, unknown>, headers = {}): Promise<T> {
    const { status, body } = await berth.call<T>(name, input, undefined, headers)
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }
  const enable = (input: object) =>
    call('registry.enableSelfHostedRegistry', { registryUrl: host, ...input }, waitHeader)
  const images = () => call<{ name: string; tags: string[] }[]>('registry.images', { registryId })
  const removeImage = async (reference: string) => {
    await until('the image to be removed', () =>
      docker('image', 'rm', '--force', reference).then(
        () => true,
        () => false,
      ),
    )
    assert.deepEqual(await docker('image', 'ls', '--quiet', reference), [])
  }
  const imageIds = (...references: string[]) => docker('image', 'inspect', '--format', '{{.Id}}', ...references)
  const containerOf = async () =>
    (await docker('ps', '--quiet', '--filter', 'label=com.docker.swarm.service.name=berth-registry'))[0]

  test('a new registry runs, accepts the credentials and is empty', async () => {
    const requested = await call('registry.enableSelfHostedRegistry', { registryUrl: host, ...first })
    assert.equal(requested.server.status, 'running')
    const enabled = await enable(first)
    registryId = enabled.registryId
    assert.equal(registryId, requested.registryId)
    assert.deepEqual(
      [enabled.host, enabled.password, enabled.server.status, enabled.server.port],
      [host, '********', 'done', Number(host.split(':')[1])],
    )
    assert.deepEqual(await images(), [])
    const container = await containerOf()
    assert.equal((await enable(first)).server.status, 'done')
    assert.equal(await containerOf(), container, 'a call that changes nothing does not restart the registry')
    const service = (await docker('service', 'inspect', 'berth-registry')).join('')
    assert.ok(!service.includes('$2b$') && service.includes('SecretID'))
  })

  test('garbage collection of an empty registry succeeds', async () => {
    const { server } = await call('registry.collectGarbage', { registryId }, waitHeader)
    assert.deepEqual([server.status, server.statusReason, server.readOnly], ['done', null, false])
  })

  test('a node without the image pulls a pushed image, before and after the credentials change', async () => {
    const dockerImage = `${host}/team/redis:8`
    await docker('tag', 'redis:8', dockerImage)
    await assert.rejects(pushAs(dockerImage, host, 'team', 'wrong'), /unauthorized|authentication required/i)
    await pushAs(dockerImage, host, first.username, first.password)
    assert.deepEqual(await images(), [{ name: 'team/redis', tags: ['8'], isWhole: true }])
    await removeImage(dockerImage)
    const [one, other] = [await databaseClients.create({ dockerImage }), await databaseClients.create({ dockerImage })]
    await databaseClients.done('deploy', one)
    assert.equal((await docker('image', 'ls', '--quiet', dockerImage)).length, 1)

    const { server } = await enable(second)
    assert.equal(server.status, 'done')
    await assert.rejects(pushAs(dockerImage, host, first.username, first.password), /unauthorized|authentication/i)
    const running = await docker('ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${one.appName}`)
    await databaseClients.done('stop', one)
    assert.equal(running.length, 1, 'new credentials do not restart a database')
    await removeImage(dockerImage)
    assert.equal((await databaseClients.done('start', one)).applicationStatus, 'done')
    assert.equal((await databaseClients.done('deploy', other)).applicationStatus, 'done')
    const refused = await berth.call<{ message: string }>('registry.remove', { registryId })
    assert.equal(refused.status, 409)
    for (const { appName } of [one, other]) assert.ok(refused.body.message.includes(appName), refused.body.message)
    for (const database of [one, other]) await databaseClients.clear(database)
    assert.equal((await databaseClients.call('one', one)).status, 404)
  })

  test('garbage collection deletes untagged images only, and the registry is read-only meanwhile', async () => {
    const [kept, replaced] = [`${host}/team/small:kept`, `${host}/team/small:gone`]
    const push = async (image: string, reference: string) => {
      await docker('tag', image, reference)
      await pushAs(reference, host, second.username, second.password)
    }
    await push(await smallImage(), kept)
    await push(await smallImage(2), replaced)
    const small = async () => (await images()).find(({ name }) => name === 'team/small')!.tags.toSorted()
    assert.deepEqual(await small(), ['gone', 'kept'])
    // The tag now names another image, so the first one has no tag any more.
    await push(await smallImage(3), replaced)
    const before = await containerOf()
    const begun = await call('registry.collectGarbage', { registryId, untagged: true })
    assert.deepEqual([begun.server.status, begun.server.readOnly], ['running', true])
    const isDone = async () => (await call('registry.one', { registryId })).server.status === 'done'
    await until('the collection to end', isDone, 90_000)
    const [deployment] = (await call<{ action: string; reason: string; state: string }[]>('deployment.all', {}))
      .filter(({ action }) => action === 'collectGarbage')
      .slice(-1)
    assert.equal(deployment?.state, 'done')
    assert.match(deployment?.reason ?? '', /^[1-9]\d* blobs and [1-9]\d* manifests that no image uses were deleted$/)
    assert.notEqual(await containerOf(), before)
    const ids = await imageIds(kept, replaced)
    await removeImages()
    for (const reference of [kept, replaced]) {
      assert.deepEqual(await docker('image', 'ls', '--quiet', reference), [])
      await assert.rejects(docker('pull', '--quiet', reference), /unauthorized|no basic auth/i)
      await pullAs(reference, host, second.username, second.password)
    }
    assert.deepEqual(await imageIds(kept, replaced), ids)
    await push(await smallImage(), `${host}/team/again:1`)
    assert.deepEqual(await small(), ['gone', 'kept'])
  })

  test('a registry whose service was removed from the swarm is created again', async () => {
    const before = await containerOf()
    await docker('service', 'rm', 'berth-registry')
    await until('another container', async () => ![undefined, before].includes(await containerOf()))
    await until('the registry to answer', () =>
      images().then(
        () => true,
        () => false,
      ),
    )
    assert.equal((await call('registry.one', { registryId })).server.status, 'done')
  })

  test('a removed registry leaves its images in a volume, which the next registry uses', async () => {
    const { server } = await call('registry.one', { registryId })
    const removed = await call('registry.remove', { registryId }, waitHeader)
    assert.match(removed.note ?? '', new RegExp(`in the volume ${server.volume}`))
    assert.deepEqual(await docker('service', 'ls', '--quiet', '--filter', 'name=berth-registry'), [])
    const volumes = await call<{ name: string; state: string; kind: string }[]>('volume.all', {})
    assert.deepEqual(
      volumes.filter(({ kind }) => kind === 'registry').map(({ name, state }) => [name, state]),
      [[server.volume, 'kept']],
    )
    const again = await enable(first)
    registryId = again.registryId
    assert.equal(again.server.volume, server.volume)
    assert.deepEqual(
      (await images()).map(({ name }) => name),
      ['team/again', 'team/redis', 'team/small'],
    )
  })
})
