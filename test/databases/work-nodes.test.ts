/** Databases on a node that is lost, and what they do when it is back: on the remembering engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeploymentReason } from '../../src/deployments/reason.ts'
import { fromJson, type Json } from '../../src/lib/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { specOf } from '../samples.ts'
import { type Database, fleetOf, seen } from '../fixtures/fleet.ts'
import { type Input, type Site, startSite, wait } from '../fixtures/site.ts'

const kind = kinds[0]!
const far = 'far'
const isDown = /^Node far \(192\.0\.2\.20\), which holds the volume, is down/

/** One that runs on a node that is not Berth's. */
async function openFar() {
  const site = await startSite()
  site.engine.addNode(far, { address: '192.0.2.20' })
  site.engine.setNode('node1', { availability: 'pause' })
  const fleet = fleetOf(site, kind)
  const up = await fleet.up()
  site.engine.setNode('node1', { availability: 'active' })
  assert.equal(up.node, far)
  const back = () => site.engine.setNode(far, { state: 'ready' })
  return { site, fleet, up, back, lose, [Symbol.asyncDispose]: () => site.close() }

  /** Gives the record when the loss was seen. */
  async function lose(how: Parameters<Site['engine']['setNode']>[1] = { state: 'down' }): Promise<Database> {
    site.engine.setNode(far, how)
    return seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
  }
}

const workOf = async (site: Site) => (await site.everything()).deployment!
/** As it is stored. */
const reasonOf = async (site: Site) => fromJson((await workOf(site)).at(-1)!.reason as Json<DeploymentReason> | null)

// Berth looks once a second at most: the tests wait side by side.
describe('a node that is away', { concurrency: true }, () => {
  lossTests()
  callTests()
  volumeTests()
})

function lossTests(): void {
  const losses: [title: string, how: Parameters<Site['engine']['setNode']>[1], reason: RegExp][] = [
    ['that is down', { state: 'down' }, isDown],
    ['that is drained', { availability: 'drain' }, /^Node far \(192\.0\.2\.20\), which holds the volume, is drained$/],
  ]
  for (const [title, how, reason] of losses) {
    test(`a database of a node ${title} is an error that names it, is held, and done when it is back`, async () => {
      await using it = await openFar()
      const { site, fleet, up } = it
      const lost = await it.lose(how)
      assert.match(lost.statusReason!, reason)
      assert.deepEqual([lost.drift, lost.containerState], [[lost.statusReason], 'unknown'])
      assert.deepEqual(lost.driftCodes, [lost.statusCode])
      assert.equal(site.engine.specOf(up.appName)!.replicas, 0)
      site.engine.setNode(far, { state: 'ready', availability: 'active' })
      const again = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
      assert.deepEqual([again.statusReason, again.drift, again.containerState], [null, [], 'running'])
      assert.deepEqual([...site.engine.volumes], [up.volume])
      assert.deepEqual(
        (await workOf(site)).map(({ action, state }) => [action, state]),
        [
          ['deploy', 'done'],
          ['repair', 'done'],
        ],
      )
    })
  }

  test('no second server begins while the one from before still ends', async () => {
    await using it = await openFar()
    const { site, fleet, up } = it
    site.engine.linger(far, true)
    await it.lose()
    it.back()
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'running')
    const looks = site.engine.calls.servicesNamed
    await site.until('three looks', async () => site.engine.calls.servicesNamed > looks + 3 || null)
    assert.equal(site.engine.specOf(up.appName)!.replicas, 0)
    assert.equal((await site.engine.liveContainers(up.appName)).length, 1)
    site.engine.linger(far, false)
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.equal((await site.engine.liveContainers(up.appName)).length, 1)
  })

  test('a status that someone sets meanwhile stays', async () => {
    await using it = await openFar()
    await it.lose()
    await it.fleet.act('changeStatus', it.up, { applicationStatus: 'idle' })
    const looks = it.site.engine.calls.services
    await it.site.until('two looks', async () => it.site.engine.calls.services >= looks + 3 || null)
    assert.equal((await it.fleet.one(it.up)).applicationStatus, 'idle')
  })

  test('a manager that does not know of its nodes yet is no loss', async () => {
    await using it = await openFar()
    const { site, fleet, up } = it
    const looks = site.engine.calls.services
    site.engine.setNode('node1', { state: 'unknown' })
    await site.until('two looks', async () => site.engine.calls.services >= looks + 3 || null)
    assert.equal((await fleet.one(up)).applicationStatus, 'done')
    assert.equal(site.engine.specOf(up.appName)!.replicas, 1)
  })
}

function callTests(): void {
  test('a deploy is 422 and names the node, and makes nothing elsewhere', async () => {
    await using it = await openFar()
    const { site, fleet, up } = it
    await it.lose()
    const { status, body } = await fleet.ask('deploy', up, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, isDown)
    assert.deepEqual([...site.engine.volumes], [up.volume])
    it.back()
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('a stop goes on and says what it waits for, until the node is back', async () => {
    await using it = await openFar()
    const { site, fleet, up } = it
    await it.lose()
    await fleet.act('stop', up)
    site.pass(5000)
    const waiting = await seen(site, fleet, up, ({ statusCode }) => statusCode === 'StopUnconfirmed')
    assert.equal(waiting.applicationStatus, 'running')
    assert.match(waiting.statusReason!, isDown)
    it.back()
    const idle = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'idle')
    assert.equal(idle.statusReason, null)
  })

  test('a removal with data goes on and says what it waits for, until the node is back', async () => {
    await using it = await openFar()
    const { site, fleet, up } = it
    await it.lose()
    await fleet.act('remove', up, { removeData: true })
    site.pass(5000)
    const waiting = await site.until('the reason', async () => {
      const last = (await workOf(site)).at(-1)!
      return last.reason === null ? null : last
    })
    assert.equal(waiting.state, 'running')
    const cause = { reason: 'NodeDown', node: far, address: '192.0.2.20' }
    assert.deepEqual(await reasonOf(site), { reason: 'StopUnconfirmed', cause })
    assert.deepEqual([...site.engine.volumes], [up.volume])
    it.back()
    await site.until('its end', async () => (await workOf(site)).at(-1)!.state === 'done' || null)
    assert.deepEqual([[...site.engine.volumes], (await site.everything()).database], [[], []])
  })
}

function volumeTests(): void {
  /** A volume that is kept, on the far node. */
  async function keep({ site, fleet, up }: Awaited<ReturnType<typeof openFar>>): Promise<string> {
    await fleet.gone(up)
    return (await site.ok<Input[]>('volume.all'))[0]!.volumeId as string
  }

  test('a volume of a node that is down goes when it is back', async () => {
    await using it = await openFar()
    const volumeId = await keep(it)
    it.site.engine.setNode(far, { state: 'down' })
    await it.site.ok('volume.remove', { volumeId })
    const waiting = await it.site.until('the reason', async () => {
      const last = (await workOf(it.site)).at(-1)!
      return last.reason === null ? null : last
    })
    assert.deepEqual([waiting.state, it.site.engine.volumes.size], ['running', 1])
    const detail = 'Node far (192.0.2.20) is down'
    assert.deepEqual(await reasonOf(it.site), { reason: 'EngineFailed', failure: 'nodeUnreachable', detail })
    it.site.pass(3600_000)
    it.back()
    await it.site.until('its end', async () => (await workOf(it.site)).at(-1)!.state === 'done' || null)
    assert.deepEqual([[...it.site.engine.volumes], await it.site.ok('volume.all')], [[], []])
    assert.equal((await workOf(it.site)).at(-1)!.reason, null)
  })

  test('one that a container still holds when its node is back goes once that has ended', async () => {
    await using it = await openFar()
    const { site } = it
    const volumeId = await keep(it)
    const name = [...site.engine.volumes][0]!
    const mounts = [{ type: 'volume' as const, path: '/data', name, sizeBytes: 0, labels: {} }]
    await site.engine.createService(specOf({ name: 'by-hand', mounts, nodeId: far }))
    site.engine.setNode(far, { state: 'down' })
    await site.ok('volume.remove', { volumeId })
    await site.until('the reason', async () => (await workOf(site)).at(-1)!.reason)
    site.pass(3600_000)
    it.back()
    await site.until('it to be tried', async () => (await reasonOf(site))?.reason === 'VolumeInUse' || null)
    await site.engine.removeService('by-hand')
    await site.until('its end', async () => (await workOf(site)).at(-1)!.state === 'done' || null)
    assert.deepEqual([...site.engine.volumes], [])
  })

  test('of a volume of a node that left the swarm the record alone can go, and the work says so', async () => {
    await using it = await openFar()
    const volumeId = await keep(it)
    it.site.engine.takeNode(far)
    await it.site.ok('volume.remove', { volumeId }, wait)
    assert.deepEqual(await it.site.ok('volume.all'), [])
    assert.equal((await workOf(it.site)).at(-1)!.state, 'done')
    assert.deepEqual(await reasonOf(it.site), { reason: 'VolumeNodeMissing', node: far })
  })
}
