/** The registry that Berth runs on a real swarm: pushed to by Docker's client, pulled from by databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { importSmallImage, pushAs } from './registry.ts'
import { create, docker, freePort, onSwarm, read, settle, type Swarm } from './swarm.ts'

interface Registry {
  registryId: string; host: string; username: string; password: string; registryUrl: string; note?: string
  server: { status: string; statusReason: string | null; port: number | null; volume: string; readOnly: boolean }
}

const waiting = { prefer: 'wait=120' }
const first = { username: 'team', password: ' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`' }
const second = { username: 'team', password: 'abcdefghijklmnopqrstuvwxyz{|}~ and what is not ASCII: é' }

describe('the registry that Berth runs, at a port of its node', () => {
  let berth: Swarm
  let host: string
  let registryId: string
  before(async () => {
    berth = await onSwarm()
    host = `127.0.0.1:${await freePort()}`
  })
  after(async () => {
    await berth[Symbol.asyncDispose]()
    const pulled = await docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', `${host}/*/*`)
    const tagged = pulled.filter((name) => !name.endsWith(':<none>'))
    if (tagged.length > 0) await docker('image', 'rm', '--force', ...tagged)
  })

  async function call<T = Registry>(name: string, input: Record<string, unknown>, headers = {}): Promise<T> {
    const { status, body } = await berth.call<T>(name, input, undefined, headers)
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }
  const enable = (input: object) => call('registry.enableSelfHostedRegistry', { registryUrl: host, ...input }, waiting)
  const images = () => call<{ name: string; tags: string[] }[]>('registry.images', { registryId })
  const forget = async (reference: string) => {
    await until('the image to go', () => docker('image', 'rm', '--force', reference).then(() => true, () => false))
    assert.deepEqual(await docker('image', 'ls', '--quiet', reference), [])
  }
  const containerOf = async () => (await docker('ps', '--quiet', '--filter',
    'label=com.docker.swarm.service.name=berth-registry'))[0]

  test('it is answered as a registry, logged in to, and empty', async () => {
    const asked = await call('registry.enableSelfHostedRegistry', { registryUrl: host, ...first })
    assert.equal(asked.server.status, 'running')
    const made = await enable(first)
    registryId = made.registryId
    assert.equal(registryId, asked.registryId)
    assert.deepEqual([made.host, made.password, made.server.status, made.server.port],
      [host, '********', 'done', Number(host.split(':')[1])])
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

  test('a database is deployed of an image that was pushed, where there is no copy, before and after a rotation',
    async () => {
      const dockerImage = `${host}/team/postgres:17`
      await docker('tag', 'postgres:17', dockerImage)
      await assert.rejects(pushAs(dockerImage, host, 'team', 'wrong'), /unauthorized|authentication required/)
      await pushAs(dockerImage, host, first.username, first.password)
      assert.deepEqual(await images(), [{ name: 'team/postgres', tags: ['17'], isWhole: true }])
      await forget(dockerImage)
      const [one, other] = [await create(berth, { dockerImage }), await create(berth, { dockerImage })]
      assert.equal((await settle(berth, 'deploy', one)).body.applicationStatus, 'done')
      assert.equal((await docker('image', 'ls', '--quiet', dockerImage)).length, 1)

      const { server } = await enable(second)
      assert.equal(server.status, 'done')
      await assert.rejects(pushAs(dockerImage, host, first.username, first.password), /unauthorized|authentication/)
      const running = await docker('ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${one.appName}`)
      await settle(berth, 'stop', one)
      assert.equal(running.length, 1, 'new credentials alone end no container')
      await forget(dockerImage)
      for (const it of [one, other]) {
        const { body } = await settle(berth, it === one ? 'start' : 'deploy', it)
        assert.equal(body.applicationStatus, 'done', body.statusReason ?? '')
      }
      const refused = await berth.call<{ message: string }>('registry.remove', { registryId })
      assert.equal(refused.status, 409)
      for (const it of [one, other]) assert.ok(refused.body.message.includes(it.appName), refused.body.message)
      for (const it of [one, other]) await settle(berth, 'remove', it, { removeData: true })
      assert.equal((await read(berth, one)).applicationStatus, undefined)
    })

  test('what no image uses is deleted, while nothing can be pushed; what has a tag stays', async () => {
    const [kept, gone] = [`${host}/team/small:kept`, `${host}/team/small:gone`]
    for (const reference of [kept, gone]) {
      await importSmallImage(reference)
      await pushAs(reference, host, second.username, second.password)
    }
    const small = async () => (await images()).find(({ name }) => name === 'team/small')!.tags.toSorted()
    assert.deepEqual(await small(), ['gone', 'kept'])
    // The tag is to name another image.
    await importSmallImage(gone)
    await pushAs(gone, host, second.username, second.password)
    const before = await containerOf()
    const asked = await call('registry.collectGarbage', { registryId, untagged: true })
    assert.deepEqual([asked.server.status, asked.server.readOnly], ['running', true])
    await until('its end', async () => (await call('registry.one', { registryId })).server.status === 'done', 90_000)
    const [work] = (await call<{ action: string; reason: string; state: string }[]>('deployment.all', {}))
      .filter(({ action }) => action === 'collectGarbage').slice(-1)
    assert.equal(work?.state, 'done')
    assert.match(work?.reason ?? '', /^[1-9]\d* blobs and [1-9]\d* manifests that no image uses were deleted$/)
    assert.notEqual(await containerOf(), before)
    for (const reference of [kept, gone]) {
      await forget(reference)
      await docker('pull', '--quiet', reference).then(() => assert.fail('anybody is let in'), () => undefined)
    }
    await importSmallImage(`${host}/team/again:1`)
    await pushAs(`${host}/team/again:1`, host, second.username, second.password)
    assert.deepEqual(await small(), ['gone', 'kept'])
  })

  test('a registry that someone takes away is made again', async () => {
    const before = await containerOf()
    await docker('service', 'rm', 'berth-registry')
    await until('another container', async () => ![undefined, before].includes(await containerOf()))
    await until('it to answer', () => images().then(() => true, () => false))
    assert.equal((await call('registry.one', { registryId })).server.status, 'done')
  })

  test('removed it is gone, and what was pushed is there again with the next one', async () => {
    const { server } = await call('registry.one', { registryId })
    const removed = await call('registry.remove', { registryId }, waiting)
    assert.match(removed.note ?? '', new RegExp(`kept in the volume ${server.volume}`))
    assert.deepEqual(await docker('service', 'ls', '--quiet', '--filter', 'name=berth-registry'), [])
    const volumes = await call<{ name: string; state: string; kind: string }[]>('volume.all', {})
    assert.deepEqual(volumes.filter(({ kind }) => kind === 'registry').map(({ name, state }) => [name, state]),
      [[server.volume, 'kept']])
    const again = await enable(first)
    registryId = again.registryId
    assert.equal(again.server.volume, server.volume)
    assert.deepEqual((await images()).map(({ name }) => name), ['team/again', 'team/postgres', 'team/small'])
  })
})
