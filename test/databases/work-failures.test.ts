/** Failing work: the reason is reported, a first deploy is halted, a later one is rolled back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { anyImage } from '../engine/memory/engine.ts'
import type { Behaviour } from '../engine/memory/state.ts'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import {
  type Database,
  defaultVersion,
  type DatabaseClients,
  databaseClientsOf,
  resolved,
  incompatibleImage,
} from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const minute = 60_000

/** The behavior of a container, the time that passes, and the reported reason. */
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
  ['an image that never arrives', 'preparing', 15 * minute, /^The image was not pulled within 15 minutes/],
]

/** Deploys, advances the clock once the engine has started, and returns the error of the waiting call. */
async function fail(
  testBerth: TestBerth,
  databaseClients: DatabaseClients,
  database: Database,
  passesMs: number,
  reason: RegExp,
): Promise<string> {
  const before = testBerth.engine.calls.servicesNamed
  const waiting = databaseClients.ask('deploy', database, {}, wait)
  // The first phase ends before the image is resolved.
  if (passesMs > 0) await until('three looks', async () => testBerth.engine.calls.servicesNamed > before + 2)
  testBerth.pass(passesMs)
  const { status, body } = await waiting
  assert.equal(status, 422)
  assert.match(body.message, reason)
  return body.message
}

test("retries internal errors of the engine for a minute, then ends with the engine's message", async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const made = await databaseClients.create({ appName: 'shop-db' })
  const { createService } = testBerth.engine
  let [tries, isWell] = [0, false]
  testBerth.engine.createService = async (spec) => {
    tries++
    if (isWell) return createService(spec)
    throw new EngineFailure('failed', 'something broke')
  }
  const waiting = databaseClients.ask('deploy', made, {}, wait)
  await until('tries', async () => tries > 5)
  assert.equal((await databaseClients.one(made)).applicationStatus, 'running')
  testBerth.pass(minute)
  const { status, body } = await waiting
  assert.deepEqual([status, body.message], [422, 'something broke'])
  const before = tries
  const again = databaseClients.ask('deploy', made, {}, wait)
  await until('tries', async () => tries > before + 2)
  isWell = true
  assert.deepEqual([(await again).status, (await databaseClients.one(made)).applicationStatus], [200, 'done'])
})

// Each test waits for turns of the loop, so the tests run concurrently.
describe('failing work', { concurrency: true }, () => {
  tableTests()
  imageTests()
  endTests()
  versionTests()
})

function tableTests(): void {
  for (const [title, behaviour, passesMs, reason] of failures) {
    test(`first deploy, ${title}: ends in error with the reason, and nothing runs`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const made = await databaseClients.create({ appName: 'shop-db' })
      await databaseClients.act('update', made, { memoryLimit: 64 })
      testBerth.engine.behave('shop-db', behaviour)
      testBerth.engine.lastLines.set('shop-db', ['line one', 'last words'])
      const message = await fail(testBerth, databaseClients, made, passesMs, reason)
      const after = await databaseClients.one(made)
      assert.deepEqual(
        [after.applicationStatus, after.statusReason, after.containerState, after.lastDeployedAt],
        ['error', message, null, null],
      )
      assert.deepEqual([testBerth.engine.specOf('shop-db')!.replicas, await databaseClients.tasks(made)], [0, []])
      await databaseClients.refused('PRECONDITION_FAILED', 'reload', made, { appName: 'shop-db' })
      testBerth.engine.behave('shop-db', 'running')
      const done = await databaseClients.settle('deploy', made)
      assert.deepEqual([done.applicationStatus, done.statusReason], ['done', null])
    })

    test(`later deploy, ${title}: ends in error with the reason and rolls back`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const up = await databaseClients.up({ appName: 'shop-db' })
      await databaseClients.act('update', up, { memoryLimit: 64, env: 'A=1' })
      testBerth.engine.behave('shop-db', behaviour)
      testBerth.engine.lastLines.set('shop-db', ['line one', 'last words'])
      const { updateService } = testBerth.engine
      testBerth.engine.updateService = async (spec) => {
        if (spec.env.A === undefined) testBerth.engine.behave('shop-db', 'running')
        return updateService(spec)
      }
      const way = 'Rolled back: the last good specification runs and answers\\.'
      const rolledBack = new RegExp(`${reason.source}(.|\\n)*\\n${way}$`)
      const message = await fail(testBerth, databaseClients, up, passesMs, rolledBack)
      const after = await databaseClients.one(up)
      assert.deepEqual(
        [after.applicationStatus, after.statusReason, after.pendingChanges, after.env],
        ['error', message, true, 'A=1'],
      )
      assert.deepEqual(
        [testBerth.engine.specOf('shop-db')!.env.A, after.lastDeployedAt, (await databaseClients.tasks(up)).length],
        [undefined, up.lastDeployedAt, 1],
      )
      const done = await databaseClients.settle('deploy', up)
      assert.deepEqual(
        [done.applicationStatus, done.pendingChanges, testBerth.engine.specOf('shop-db')!.env.A],
        ['done', false, '1'],
      )
    })
  }
}

function imageTests(): void {
  test("reports the engine's message for a missing image and creates nothing", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ appName: 'shop-db', dockerImage: 'no-such-image:1' })
    await fail(
      testBerth,
      databaseClients,
      made,
      0,
      /^Image not found \(No such image: no-such-image:1, and it cannot be pulled: .*\)/,
    )
    assert.deepEqual([testBerth.engine.specOf('shop-db'), testBerth.engine.calls.createService], [null, 0])
  })

  test('accepts any version after a misspelt image, because no data was written', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ dockerImage: 'no-such-image:99' })
    await fail(testBerth, databaseClients, made, 0, /^Image not found/)
    await databaseClients.act('update', made, { dockerImage: kind.defaultImage })
    const done = await databaseClients.settle('deploy', made)
    assert.equal(done.applicationStatus, 'done')
    const [volume, ...others] = await testBerth.ok<{ name: string; version: string; dataPath: string }[]>('volume.all')
    const version = defaultVersion(kind)
    assert.deepEqual(
      [volume!.name, volume!.version, volume!.dataPath, others],
      [done.volume, version, kind.dataPath(version), []],
    )
  })

  test('leaves the running server as it is if a later image is missing', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.act('update', up, { dockerImage: 'no-such-image' })
    await fail(
      testBerth,
      databaseClients,
      up,
      0,
      /^Image not found \(No such image: no-such-image, and it .*\)\nRolled back/,
    )
    assert.equal(testBerth.engine.specOf(up.appName)!.image, anyImage(resolved(kind.defaultImage))!.id)
  })
}

function endTests(): void {
  test('reports both reasons and stops retrying if the rollback fails too', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.act('update', up, { env: 'A=1' })
    testBerth.engine.behave(up.appName, 'crash:7')
    await fail(
      testBerth,
      databaseClients,
      up,
      0,
      /^The server ended with exit code 7\nThe rollback failed too: The server ended with exit code 7$/,
    )
    const after = await databaseClients.one(up)
    assert.deepEqual([after.applicationStatus, after.pendingChanges], ['error', true])
  })

  test('reports a failed reload and leaves the unchanged specification to Swarm', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.behave(up.appName, 'crash:1')
    const { status, body } = await databaseClients.ask('reload', up, { appName: up.appName }, wait)
    assert.deepEqual([status, body.message], [422, 'The server ended with exit code 1'])
    testBerth.engine.behave(up.appName, 'running')
    const again = await testBerth.until('the return', async () => {
      const one = await databaseClients.one(up)
      return one.applicationStatus === 'done' ? one : null
    })
    assert.equal(again.containerState, 'running')
    // Swarm may have had one more crash before the first observation of a running task.
    assert.match(again.statusReason ?? '', /^(Running again\. Before that: The server ended with exit code 1)?$/)
  })

  test('tolerates a container that fails twice and then runs', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ appName: 'shop-db' })
    const listTasks = testBerth.engine.tasks
    testBerth.engine.tasks = async (names) => {
      const found = await listTasks(names)
      if (found.filter(({ state }) => state === 'failed').length === 2) testBerth.engine.behave('shop-db', 'running')
      return found
    }
    testBerth.engine.behave('shop-db', 'crash:1')
    const { status, body } = await databaseClients.ask('deploy', made, {}, wait)
    assert.deepEqual([status, body.applicationStatus], [200, 'done'])
  })

  test("ends the work if the engine's transient refusals do not end", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ appName: 'shop-db' })
    testBerth.engine.putForeign('SHOP-DB')
    const waiting = databaseClients.ask('deploy', made, {}, wait)
    await until('two tries', async () => testBerth.engine.calls.createService > 1)
    testBerth.pass(3 * minute)
    await until('the halt', async () => (await testBerth.everything()).deployment![0]!.phase === 'halt')
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(body.message, /name conflicts with an existing object/)
  })
}

function versionTests(): void {
  test('refuses a new major version on a volume with data, and says how to upgrade', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const other = incompatibleImage(kind)
    const { message } = await databaseClients.refused(
      'PRECONDITION_FAILED',
      'update',
      up,
      { dockerImage: other, name: 'x' },
      'dockerImage',
    )
    assert.match(message, /Make a backup, create a new service .* and restore the backup into it/)
    await databaseClients.settle('stop', up)
    await databaseClients.refused('PRECONDITION_FAILED', 'update', up, { dockerImage: other }, 'dockerImage')
    const image = resolved(kind.defaultImage)
    for (const same of [`${image}.7`, `${image}-other`]) await databaseClients.act('update', up, { dockerImage: same })
  })

  test('accepts another version before the first deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    const dockerImage = `${kind.name}:99`
    await databaseClients.act('update', made, { dockerImage })
    await databaseClients.settle('deploy', made)
    const version = kind.versionOf('99')
    assert.equal((await testBerth.ok<{ version: string }[]>('volume.all'))[0]!.version, version)
  })
}
