/**
 * What every kind of database does on a real swarm, seen by a real driver: its life, and what it lives through. One
 * database goes through all of it, in order. What Berth does in the same way whatever the kind is, is tried on one of
 * them, or on all where BERTH_TEST_ALL is set.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { z } from 'zod'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Client } from './clients.ts'
import { dataTests, volumesNamed } from './data-suite.ts'
import { type DatabaseClients, databaseClientsOn, openInternalProxy } from './database-clients.ts'
import { representative } from './representative.ts'
import { containersOf, docker, freePort, type Swarm } from './swarm.ts'

/** Passwords that quoting, templates and URLs go wrong with: each kind takes one of the first and one of the others. */
const nasty = ['p\'a"s$s\\w`ord; --', 'p$a{s}s w`ord; --&@:']
const nastier = ['{{.Node.ID}} é☃%40/?#', '{{.Node.ID}} %40/?#']

function secretsOf(kind: Kind, candidates: string[]): Record<string, string> {
  return Object.fromEntries(
    kind.secrets.map((name) => {
      const shape = kind.settings.shape[name] as z.ZodType
      return [name, candidates.find((password) => shape.safeParse(password).success) ?? assert.fail(name)]
    }),
  )
}

/** A suite's one database, from test to test. */
export interface Case {
  databaseClients: DatabaseClients
  database: Database
}

export function kindSuite(kind: Kind, client: Client, opened: () => Swarm): void {
  const isWhole = representative([kindNamed('postgres'), ...kinds]).includes(kind)
  suite(kind, client, opened, (it) => {
    firstTests(it)
    if (isWhole) portTests(it)
    runTests(it, isWhole)
    changeTests(it, client)
    rotationTests(it, kind)
    if (isWhole) missingImageTests(it)
    failureTests(it, client)
    removalTests(it, opened)
  })
}

/** Of a kind of which nothing else is to be proven: it comes up, its passwords change, and it goes. */
export function briefSuite(kind: Kind, client: Client, opened: () => Swarm): void {
  suite(kind, client, opened, (it) => {
    firstTests(it)
    rotationTests(it, kind)
    removalTests(it, opened)
  })
}

/** What a suite that failed has left goes with the swarm's Berth. */
function suite(kind: Kind, client: Client, opened: () => Swarm, tests: (it: Case) => void): void {
  describe(kind.name, { concurrency: 1 }, () => {
    const it = {} as Case
    before(async () => {
      it.databaseClients = databaseClientsOn(opened(), kind, client)
      it.database = await it.databaseClients.create(secretsOf(kind, nasty))
      await it.databaseClients.call('saveExternalPort', it.database, { externalPort: await freePort() })
    })
    tests(it)
  })
}

function firstTests(it: Case): void {
  test('a driver connects to what deploy says is done, and stores a row', async () => {
    await it.databaseClients.done('deploy', it.database)
    await it.databaseClients.open(it.database, async (session) => {
      await session.write('first')
      assert.deepEqual(await session.read(), ['first'])
    })
  })

  test('a wrong password is refused, and none at all', async () => {
    const url = new URL(await it.databaseClients.urlOf(it.database))
    for (const password of ['wrong', '']) {
      url.password = password
      assert.notEqual(await it.databaseClients.refusal(url.href), '', `password ${JSON.stringify(password)}`)
    }
  })

  test('the same record deployed again changes nothing', async () => {
    const containers = await containersOf(it.database.appName)
    await it.databaseClients.done('deploy', it.database)
    assert.deepEqual(await containersOf(it.database.appName), containers)
  })

  test('its logs are read, and what it takes of the machine', async () => {
    const logs = await it.databaseClients.call('logs', it.database, { tail: 500 })
    const { body: lines } = logs as unknown as { body: { at: string; line: string }[] }
    assert.ok(lines.length > 0 && lines.length <= 500)
    for (const password of nasty) assert.ok(!lines.some(({ line }) => line.includes(password)))
    const stats = (await it.databaseClients.call('stats', it.database)).body as unknown as Record<string, number>
    assert.ok(stats.memoryBytes! > 1_000_000 && stats.memoryBytes! < 4_000_000_000, JSON.stringify(stats))
    assert.ok(stats.cpuCores! >= 0 && stats.volumeBytes! > 0, JSON.stringify(stats))
  })
}

function portTests(it: Case): void {
  test('the external port moves, closes and opens while a client inside stays connected', async (t) => {
    const { databaseClients, database } = it
    const { host, port } = await openInternalProxy(t, database, databaseClients.kind)
    const first = await databaseClients.urlOf(database)
    const inside = new URL(first)
    Object.assign(inside, { hostname: host, port: String(port) })
    // The proxy in between needs a moment to come up.
    const session = await until('a session inside', () => databaseClients.client.connect(inside.href).catch(() => null))
    const containers = await containersOf(database.appName)

    await databaseClients.done('saveExternalPort', database, { externalPort: await freePort() })
    const second = await databaseClients.urlOf(database)
    assert.deepEqual(
      [await databaseClients.refusal(second), (await databaseClients.refusal(first)) === ''],
      ['', false],
    )
    await databaseClients.done('saveExternalPort', database, { externalPort: null })
    assert.notEqual(await databaseClients.refusal(second), '')
    await databaseClients.done('saveExternalPort', database, { externalPort: await freePort() })
    assert.deepEqual(await databaseClients.open(database, (other) => other.read()), ['first'])

    assert.deepEqual(await containersOf(database.appName), containers)
    assert.deepEqual(await session.read(), ['first'])
    await session.close()
  })
}

function runTests(it: Case, isWhole: boolean): void {
  test('stop keeps everything, start brings it back', async () => {
    const { databaseClients, database } = it
    const url = await databaseClients.urlOf(database)
    assert.equal((await databaseClients.done('stop', database)).applicationStatus, 'idle')
    assert.deepEqual(await containersOf(database.appName), [])
    assert.notEqual(await databaseClients.refusal(url), '')
    assert.equal((await databaseClients.done('start', database)).applicationStatus, 'done')
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })

  // The same for every kind: a new container with its data is what a changed command gets too.
  if (!isWhole) return
  test('reload makes a new container with the same data', async () => {
    const { databaseClients, database } = it
    const before = await containersOf(database.appName)
    await databaseClients.done('reload', database, { appName: database.appName })
    assert.notDeepEqual(await containersOf(database.appName), before)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })
}

function changeTests(it: Case, { changed }: Client): void {
  test('environment, command and limits reach the server at the next deploy, and not before', async () => {
    const { databaseClients, database } = it
    const fields = { memoryLimit: 1024, cpuLimit: 0.9, command: changed.command, env: 'GREETING="{{.Node.ID}} hi"' }
    assert.equal((await databaseClients.call('update', database, fields)).body.pendingChanges, true)
    const setting = () => databaseClients.open(database, (session) => session.setting())
    assert.notEqual(await setting(), changed.setting)
    assert.equal((await databaseClients.done('deploy', database)).pendingChanges, false)
    assert.equal(await setting(), changed.setting)
    const [container] = await containersOf(database.appName)
    const format = '{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}'
    assert.deepEqual(await docker('inspect', container!, '--format', format), [`${1024 ** 3} 900000000`])
    assert.deepEqual(await docker('exec', container!, 'printenv', 'GREETING'), ['{{.Node.ID}} hi'])
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })
}

function rotationTests(it: Case, kind: Kind): void {
  test('changed passwords hold in the live database: the new ones open, the old ones do not', async () => {
    const { databaseClients, database } = it
    const before = await databaseClients.urlOf(database)
    await databaseClients.call('update', database, secretsOf(kind, nastier))
    assert.equal(await databaseClients.refusal(before), '', 'until it is deployed the old ones hold')
    await databaseClients.done('deploy', database)
    assert.notEqual(await databaseClients.refusal(before), '')
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })

  const names = Object.keys(kind.settings.shape).filter((name) => !kind.secrets.includes(name))
  for (const name of names) {
    test(`a changed ${name} is what one connects with, there and back`, async () => {
      const { databaseClients, database } = it
      const [first, before] = [await databaseClients.one(database), await databaseClients.urlOf(database)]
      const other = 'other name@home'
      await databaseClients.call('update', database, { [name]: other })
      assert.equal((await databaseClients.done('deploy', database))[name], other)
      const rows = await databaseClients.open(database, (session) => session.read())
      if (name === 'databaseUser') {
        assert.deepEqual(rows, ['first'])
        assert.notEqual(await databaseClients.refusal(before), '', 'the old one is locked out')
      }
      await databaseClients.call('update', database, { [name]: first[name] })
      await databaseClients.done('deploy', database)
      assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    })
  }
}

function missingImageTests(it: Case): void {
  test('an image that is not there: said, rolled back, and the rows are there', async () => {
    const { databaseClients, database } = it
    const { dockerImage } = await databaseClients.one(database)
    await databaseClients.call('update', database, { dockerImage: `${dockerImage}-no-such` })
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, /^Image not found.*Rolled back: the last good specification runs and answers\.$/s)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    await databaseClients.call('update', database, { dockerImage })
  })
}

function failureTests(it: Case, { broken }: Client): void {
  test("arguments that it refuses: said in the server's words, rolled back, and the rows are there", async () => {
    const { databaseClients, database } = it
    const { command } = await databaseClients.one(database)
    await databaseClients.call('update', database, { command: broken })
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, /ended with exit code \d+.*such.*Rolled back/is)
    assert.equal((await databaseClients.one(database)).applicationStatus, 'error')
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    await databaseClients.call('update', database, { command })
    assert.equal((await databaseClients.done('deploy', database)).applicationStatus, 'done')
  })
}

/** The engine's own filter takes a name for a prefix. */
const isOnSwarm = async (name: string) =>
  (await docker('service', 'ls', '--filter', `name=${name}`, '--format', '{{.Name}}')).includes(name)

function removalTests(it: Case, opened: () => Swarm): void {
  test('removed, its volume is kept; restored into a new service, the row is there', async () => {
    const { databaseClients, database } = it
    const berth = opened()
    const { volume } = await databaseClients.one(database)
    await databaseClients.done('remove', database)
    assert.equal(await isOnSwarm(database.appName), false)
    const { body: volumes } = await berth.call<{ volumeId: string; state: string; name: string }[]>('volume.all')
    const kept = volumes.find(({ name }) => name === volume)
    assert.equal(kept?.state, 'kept')
    const input = { volumeId: kept!.volumeId, name: 'again', projectId: berth.projectId }
    it.database = (await berth.call<Database>('volume.restore', input)).body
    await databaseClients.call('saveExternalPort', it.database, { externalPort: await freePort() })
    await databaseClients.done('deploy', it.database)
    assert.deepEqual(await databaseClients.open(it.database, (session) => session.read()), ['first'])
  })

  dataTests(it)

  test('removed with its data, nothing is left on the engine', async () => {
    const { databaseClients } = it
    const { volume, appName } = await databaseClients.one(it.database)
    await databaseClients.clear(it.database)
    assert.equal(await isOnSwarm(appName), false)
    assert.deepEqual(await volumesNamed(volume!), [])
  })
}
