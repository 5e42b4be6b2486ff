/** The registry that Berth runs on a real swarm: pushed to by Docker's client, pulled from by databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { pullAs, pushAs } from './registry.ts'
import { forgetImages, removeImages, smallImage } from './registry-image.ts'
import { docker, freePort, onSwarm, type Swarm } from './swarm.ts'

interface Registry {
  registryId: string
  host: string
  username: string
  password: string
  registryUrl: string
  note?: string
  server: { status: string; statusReason: string | null; port: number | null; volume: string; readOnly: boolean }
}

const waiting = { prefer: 'wait=120' }
const first = { username: 'team', password: ' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`' }
const second = { username: 'team', password: 'abcdefghijklmnopqrstuvwxyz{|}~ and what is not ASCII: é' }

describe('the registry that Berth runs, at a port of its node', () => {
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
  const enable = (input: object) => call('registry.enableSelfHostedRegistry', { registryUrl: host, ...input }, waiting)
  const images = () => call<{ name: string; tags: string[] }[]>('registry.images', { registryId })
  const forget = async (reference: string) => {
    await until('the image to go', () =>
      docker('image', 'rm', '--force', reference).then(
        () => true,
        () => false,
      ),
    )
    assert.deepEqual(await docker('image', 'ls', '--quiet', reference), [])
  }
  const idsOf = (...references: string[]) => docker('image', 'inspect', '--format', '{{.Id}}', ...references)
  const containerOf = async () =>
    (await docker('ps', '--quiet', '--filter', 'label=com.docker.swarm.service.name=berth-registry'))[0]

  test('it is answered as a registry, logged in to, and empty', async () => {
    const asked = await call('registry.enableSelfHostedRegistry', { registryUrl: host, ...first })
    assert.equal(asked.server.status, 'running')
    const made = await enable(first)
    registryId = made.registryId
    assert.equal(registryId, asked.registryId)
    assert.deepEqual(
      [made.host, made.password, made.server.status, made.server.port],
      [host, '********', 'done', Number(host.split(':')[1])],
    )
    assert.deepEqual(await images(), [])
    const container = await containerOf()
    assert.equal((await enable(first)).server.status, 'done')
    assert.equal(await containerOf(), container, 'nothing changed, so it goes on')
    const service = (await docker('service', 'inspect', 'berth-registry')).join('')
    assert.ok(!service.includes('$2b$') && service.includes('SecretID'))
  })

  test('a collection of an empty one has nothing to collect', async () => {
    const { server } = await call('registry.collectGarbage', { registryId }, waiting)
    assert.deepEqual([server.status, server.statusReason, server.readOnly], ['done', null, false])
  })

  test('a database is deployed of an image that was pushed, where there is no copy, before and after a rotation', async () => {
    const dockerImage = `${host}/team/redis:8`
    await docker('tag', 'redis:8', dockerImage)
    await assert.rejects(pushAs(dockerImage, host, 'team', 'wrong'), /unauthorized|authentication required/i)
    await pushAs(dockerImage, host, first.username, first.password)
    assert.deepEqual(await images(), [{ name: 'team/redis', tags: ['8'], isWhole: true }])
    await forget(dockerImage)
    const [one, other] = [await databaseClients.create({ dockerImage }), await databaseClients.create({ dockerImage })]
    await databaseClients.done('deploy', one)
    assert.equal((await docker('image', 'ls', '--quiet', dockerImage)).length, 1)

    const { server } = await enable(second)
    assert.equal(server.status, 'done')
    await assert.rejects(pushAs(dockerImage, host, first.username, first.password), /unauthorized|authentication/i)
    const running = await docker('ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${one.appName}`)
    await databaseClients.done('stop', one)
    assert.equal(running.length, 1, 'new credentials alone end no container')
    await forget(dockerImage)
    assert.equal((await databaseClients.done('start', one)).applicationStatus, 'done')
    assert.equal((await databaseClients.done('deploy', other)).applicationStatus, 'done')
    const refused = await berth.call<{ message: string }>('registry.remove', { registryId })
    assert.equal(refused.status, 409)
    for (const it of [one, other]) assert.ok(refused.body.message.includes(it.appName), refused.body.message)
    for (const it of [one, other]) await databaseClients.clear(it)
    assert.equal((await databaseClients.call('one', one)).status, 404)
  })

  test('what no image uses is deleted, while nothing can be pushed; what has a tag stays', async () => {
    const [kept, gone] = [`${host}/team/small:kept`, `${host}/team/small:gone`]
    const push = async (image: string, reference: string) => {
      await docker('tag', image, reference)
      await pushAs(reference, host, second.username, second.password)
    }
    await push(await smallImage(), kept)
    await push(await smallImage(2), gone)
    const small = async () => (await images()).find(({ name }) => name === 'team/small')!.tags.toSorted()
    assert.deepEqual(await small(), ['gone', 'kept'])
    // The tag is to name another image.
    await push(await smallImage(3), gone)
    const before = await containerOf()
    const asked = await call('registry.collectGarbage', { registryId, untagged: true })
    assert.deepEqual([asked.server.status, asked.server.readOnly], ['running', true])
    await until('its end', async () => (await call('registry.one', { registryId })).server.status === 'done', 90_000)
    const [work] = (await call<{ action: string; reason: string; state: string }[]>('deployment.all', {}))
      .filter(({ action }) => action === 'collectGarbage')
      .slice(-1)
    assert.equal(work?.state, 'done')
    assert.match(work?.reason ?? '', /^[1-9]\d* blobs and [1-9]\d* manifests that no image uses were deleted$/)
    assert.notEqual(await containerOf(), before)
    const ids = await idsOf(kept, gone)
    await removeImages()
    for (const reference of [kept, gone]) {
      assert.deepEqual(await docker('image', 'ls', '--quiet', reference), [])
      await assert.rejects(docker('pull', '--quiet', reference), /unauthorized|no basic auth/i)
      await pullAs(reference, host, second.username, second.password)
    }
    assert.deepEqual(await idsOf(kept, gone), ids)
    await push(await smallImage(), `${host}/team/again:1`)
    assert.deepEqual(await small(), ['gone', 'kept'])
  })

  test('a registry that someone takes away is made again', async () => {
    const before = await containerOf()
    await docker('service', 'rm', 'berth-registry')
    await until('another container', async () => ![undefined, before].includes(await containerOf()))
    await until('it to answer', () =>
      images().then(
        () => true,
        () => false,
      ),
    )
    assert.equal((await call('registry.one', { registryId })).server.status, 'done')
  })

  test('removed it is gone, and what was pushed is there again with the next one', async () => {
    const { server } = await call('registry.one', { registryId })
    const removed = await call('registry.remove', { registryId }, waiting)
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
