/** Work that fails: the reason is told, a first deploy is halted, a later one goes back to what was good. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { anyImage } from '../engine/memory/engine.ts'
import type { Behaviour } from '../engine/memory/state.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, defaultVersion, type Fleet, fleetOf, resolved, strangeImage } from '../fixtures/fleet.ts'
import { type Site, startSite, wait } from '../fixtures/site.ts'

const kind = kinds[0]!
const minute = 60_000

/** What a container does, how long that is looked at, and what is told in the end. */
const failures: [title: string, behaviour: Behaviour, passesMs: number, reason: RegExp][] = [
  ['a crash loop', 'crash:3', 0, /^The server ended with exit code 3\. Its last lines:\nline one\nlast words/],
  ['a server that ends by itself', 'crash:0', 0, /^The .*\. Its last lines:\nline one\nlast words/],
  [
    'out of memory',
    'out of memory',
    0,
    /^The server ended with exit code 137: out of memory \(memoryLimit is 64 MiB\)\. Its last lines:\nline one/,
  ],
  [
    'an image for another architecture',
    'rejected:unsupported platform',
    0,
    /another architecture .*\(unsupported platform\)/,
  ],
  [
    'a program that is not in the image',
    'failed:executable file not found in $PATH',
    0,
    /\(executable file not found in \$PATH\)/,
  ],
  [
    'a reservation that no node has left',
    'pending:no suitable node (insufficient resources on 1 node)',
    10_000,
    /^The node has too little free memory or CPU for the reservation \(no suitable node/,
  ],
  [
    'a node that is not available',
    'pending:no suitable node (scheduling constraints not satisfied on 1 node)',
    10_000,
    /^The node that holds the volume is not available/,
  ],
  [
    'a server that never gets ready',
    'starting',
    3 * minute,
    /^Not ready in time: the server did not answer within 180 seconds/,
  ],
  ['an image that never arrives', 'preparing', 15 * minute, /^The image had not arrived after 15 minutes/],
]

/** Deploys, lets the time pass once the engine is at it, and gives the refusal of the wait. */
async function fail(site: Site, fleet: Fleet, database: Database, passesMs: number, reason: RegExp): Promise<string> {
  const before = site.engine.calls.servicesNamed
  const waiting = fleet.ask('deploy', database, {}, wait)
  // The first is before its image is known.
  if (passesMs > 0) await until('three looks', async () => site.engine.calls.servicesNamed > before + 2)
  site.pass(passesMs)
  const { status, body } = await waiting
  assert.equal(status, 422)
  assert.match(body.message, reason)
  return body.message
}

test('an engine that fails inside is asked again for a minute; then the work ends with its words', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  const { createService } = site.engine
  let [tries, isWell] = [0, false]
  site.engine.createService = async (spec) => {
    tries++
    if (isWell) return createService(spec)
    throw new EngineFailure('failed', 'something broke')
  }
  const waiting = fleet.ask('deploy', made, {}, wait)
  await until('tries', async () => tries > 5)
  assert.equal((await fleet.one(made)).applicationStatus, 'running')
  site.pass(minute)
  const { status, body } = await waiting
  assert.deepEqual([status, body.message], [422, 'something broke'])
  const before = tries
  const again = fleet.ask('deploy', made, {}, wait)
  await until('tries', async () => tries > before + 2)
  isWell = true
  assert.deepEqual([(await again).status, (await fleet.one(made)).applicationStatus], [200, 'done'])
})

// Each spends its time waiting for the next look: they wait side by side.
describe('work that fails', { concurrency: true }, () => {
  tableTests()
  imageTests()
  endTests()
  versionTests()
})

function tableTests(): void {
  for (const [title, behaviour, passesMs, reason] of failures) {
    test(`the first deploy, ${title}: error with the reason, and nothing goes on running`, async () => {
      await using site = await startSite()
      const fleet = fleetOf(site, kind)
      const made = await fleet.create({ appName: 'shop-db' })
      await fleet.act('update', made, { memoryLimit: 64 })
      site.engine.behave('shop-db', behaviour)
      site.engine.lastLines.set('shop-db', ['line one', 'last words'])
      const message = await fail(site, fleet, made, passesMs, reason)
      const after = await fleet.one(made)
      assert.deepEqual(
        [after.applicationStatus, after.statusReason, after.containerState, after.lastDeployedAt],
        ['error', message, null, null],
      )
      assert.deepEqual([site.engine.specOf('shop-db')!.replicas, await fleet.tasks(made)], [0, []])
      await fleet.refused('PRECONDITION_FAILED', 'reload', made, { appName: 'shop-db' })
      site.engine.behave('shop-db', 'running')
      const done = await fleet.settle('deploy', made)
      assert.deepEqual([done.applicationStatus, done.statusReason], ['done', null])
    })

    test(`a later deploy, ${title}: error with the reason, and what was good runs again`, async () => {
      await using site = await startSite()
      const fleet = fleetOf(site, kind)
      const up = await fleet.up({ appName: 'shop-db' })
      await fleet.act('update', up, { memoryLimit: 64, env: 'A=1' })
      site.engine.behave('shop-db', behaviour)
      site.engine.lastLines.set('shop-db', ['line one', 'last words'])
      const { updateService } = site.engine
      site.engine.updateService = async (spec) => {
        if (spec.env.A === undefined) site.engine.behave('shop-db', 'running')
        return updateService(spec)
      }
      const way = 'Rolled back: the last good specification runs and answers\\.'
      const rolledBack = new RegExp(`${reason.source}(.|\\n)*\\n${way}$`)
      const message = await fail(site, fleet, up, passesMs, rolledBack)
      const after = await fleet.one(up)
      assert.deepEqual(
        [after.applicationStatus, after.statusReason, after.pendingChanges, after.env],
        ['error', message, true, 'A=1'],
      )
      assert.deepEqual(
        [site.engine.specOf('shop-db')!.env.A, after.lastDeployedAt, (await fleet.tasks(up)).length],
        [undefined, up.lastDeployedAt, 1],
      )
      const done = await fleet.settle('deploy', up)
      assert.deepEqual(
        [done.applicationStatus, done.pendingChanges, site.engine.specOf('shop-db')!.env.A],
        ['done', false, '1'],
      )
    })
  }
}

function imageTests(): void {
  test("an image that is missing: the engine's words, and nothing is made", async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create({ appName: 'shop-db', dockerImage: 'no-such-image:1' })
    await fail(site, fleet, made, 0, /^Image not found \(No such image: no-such-image:1, and it cannot be pulled: .*\)/)
    assert.deepEqual([site.engine.specOf('shop-db'), site.engine.calls.createService], [null, 0])
  })

  test('an image that was misspelt can be put right, whatever version it named: nothing was written yet', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create({ dockerImage: 'no-such-image:99' })
    await fail(site, fleet, made, 0, /^Image not found/)
    await fleet.act('update', made, { dockerImage: kind.defaultImage })
    const done = await fleet.settle('deploy', made)
    assert.equal(done.applicationStatus, 'done')
    const [volume, ...others] = await site.ok<{ name: string; version: string; dataPath: string }[]>('volume.all')
    const version = defaultVersion(kind)
    assert.deepEqual(
      [volume!.name, volume!.version, volume!.dataPath, others],
      [done.volume, version, kind.dataPath(version), []],
    )
  })

  test('a later deploy of a missing image: what was good runs on', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.act('update', up, { dockerImage: 'no-such-image' })
    await fail(site, fleet, up, 0, /^Image not found \(No such image: no-such-image, and it .*\)\nRolled back/)
    assert.equal(site.engine.specOf(up.appName)!.image, anyImage(resolved(kind.defaultImage))!.id)
  })
}

function endTests(): void {
  test('where the way back fails too, both reasons are told and nothing is tried for ever', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.act('update', up, { env: 'A=1' })
    site.engine.behave(up.appName, 'crash:7')
    await fail(
      site,
      fleet,
      up,
      0,
      /^The server ended with exit code 7\nThe rollback failed too: The server ended with exit code 7$/,
    )
    const after = await fleet.one(up)
    assert.deepEqual([after.applicationStatus, after.pendingChanges], ['error', true])
  })

  test('a reload that fails is told, and the same specification is left to the swarm', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.behave(up.appName, 'crash:1')
    const { status, body } = await fleet.ask('reload', up, { appName: up.appName }, wait)
    assert.deepEqual([status, body.message], [422, 'The server ended with exit code 1'])
    site.engine.behave(up.appName, 'running')
    const again = await site.until('the return', async () => {
      const one = await fleet.one(up)
      return one.applicationStatus === 'done' ? one : null
    })
    assert.equal(again.containerState, 'running')
    // The swarm may have had one more crash behind it when it was first seen to run.
    assert.match(again.statusReason ?? '', /^(Running again\. Before that: The server ended with exit code 1)?$/)
  })

  test('a container that fails twice and then runs is no failure', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create({ appName: 'shop-db' })
    const look = site.engine.tasks
    site.engine.tasks = async (names) => {
      const found = await look(names)
      if (found.filter(({ state }) => state === 'failed').length === 2) site.engine.behave('shop-db', 'running')
      return found
    }
    site.engine.behave('shop-db', 'crash:1')
    const { status, body } = await fleet.ask('deploy', made, {}, wait)
    assert.deepEqual([status, body.applicationStatus], [200, 'done'])
  })

  test('an engine that says not now for ever is not asked for ever', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create({ appName: 'shop-db' })
    site.engine.putForeign('SHOP-DB')
    const waiting = fleet.ask('deploy', made, {}, wait)
    await until('two tries', async () => site.engine.calls.createService > 1)
    site.pass(3 * minute)
    await until('the halt', async () => (await site.everything()).deployment![0]!.phase === 'halt')
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(body.message, /name conflicts with an existing object/)
  })
}

function versionTests(): void {
  test('a new major version on a volume with data is refused, with the way to do it', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const other = strangeImage(kind)
    const { message } = await fleet.refused(
      'PRECONDITION_FAILED',
      'update',
      up,
      { dockerImage: other, name: 'x' },
      'dockerImage',
    )
    assert.match(message, /Make a backup, create a new service .* and restore the backup into it/)
    await fleet.settle('stop', up)
    await fleet.refused('PRECONDITION_FAILED', 'update', up, { dockerImage: other }, 'dockerImage')
    const image = resolved(kind.defaultImage)
    for (const same of [`${image}.7`, `${image}-other`]) await fleet.act('update', up, { dockerImage: same })
  })

  test('before the first deploy the version may change', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    const dockerImage = `${kind.name}:99`
    await fleet.act('update', made, { dockerImage })
    await fleet.settle('deploy', made)
    const version = kind.versionOf('99')
    assert.equal((await site.ok<{ version: string }[]>('volume.all'))[0]!.version, version)
  })
}
