/**
 * Tests of one kind of database on a real swarm with a real driver, from the first deploy to the removal. The tests
 * share one database and run in order. Tests that do not depend on the kind run for PostgreSQL only, or for all kinds
 * if BERTH_TEST_ALL is set.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { z } from 'zod'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Client } from './clients.ts'
import { dataTests, volumesNamed } from './data-suite.ts'
import { type DatabaseClients, databaseClientsOn, openInternalProxy } from './database-clients.ts'
import { passwordTests, reload, type Restart } from './password-suite.ts'
import { movedDataTests } from './places-suite.ts'
import { representative } from './representative.ts'
import { freePort } from '../fixtures/free-port.ts'
import { containersOf, docker, type Swarm } from './swarm.ts'

/** Passwords that reveal mistakes in quoting, templates and URLs. Each kind accepts at least one of each list. */
const firstPasswords = ['p\'a"s$s\\w`ord; --', 'p$a{s}s w`ord; --&@:']
const secondPasswords = ['{{.Node.ID}} é☃%40/?#', '{{.Node.ID}} %40/?#']

/** Returns the first accepted candidate for each secret of the kind. */
function secretsOf(kind: Kind, candidates: string[]): Record<string, string> {
  return Object.fromEntries(
    kind.secrets.map((name) => {
      const shape = kind.settings.shape[name] as z.ZodType
      return [name, candidates.find((password) => shape.safeParse(password).success) ?? assert.fail(name)]
    }),
  )
}

/** The database that the tests of a suite share. */
export interface Case {
  databaseClients: DatabaseClients
  database: Database
}

export function kindSuite(kind: Kind, client: Client, swarm: () => Swarm): void {
  const isRepresentative = representative([kindNamed('postgres'), ...kinds]).includes(kind)
  suite(kind, client, swarm, (context) => {
    deployTests(context, swarm)
    if (isRepresentative) {
      portTests(context)
      runTests(context)
    }
    movedDataTests(context, kind)
    passwordTests(context, kind, swarm, changeOf(client))
    rotationTests(context, kind)
    if (isRepresentative) {
      renamingTests(context, kind)
      missingImageTests(context)
      failureTests(context, client)
      keptVolumeTests(context, swarm)
      dataTests(context)
    }
    removalTests(context)
  })
}

/** The tests of deployment, password rotation and removal with or without the data only. */
export function briefSuite(kind: Kind, client: Client, swarm: () => Swarm): void {
  suite(kind, client, swarm, (context) => {
    deployTests(context, swarm)
    passwordTests(context, kind, swarm, reload)
    rotationTests(context, kind)
    keptVolumeTests(context, swarm)
    removalTests(context)
  })
}

/** Creates the shared database. If a suite fails, closing the swarm fixture removes what is left. */
function suite(kind: Kind, client: Client, swarm: () => Swarm, registerTests: (context: Case) => void): void {
  describe(kind.name, { concurrency: 1 }, () => {
    const context = {} as Case
    before(async () => {
      context.databaseClients = databaseClientsOn(swarm(), kind, client)
      context.database = await context.databaseClients.create(secretsOf(kind, firstPasswords))
      const externalPort = await freePort()
      await context.databaseClients.call('saveExternalPort', context.database, { externalPort })
    })
    registerTests(context)
  })
}

function deployTests(context: Case, swarm: () => Swarm): void {
  test('a driver connects after the deploy has ended, and stores a row', async () => {
    const { volume, imageVersion } = await context.databaseClients.done('deploy', context.database)
    const { body: volumes } = await swarm().call<{ name: string; version: string | null }[]>('volume.all')
    const serverVersion = volumes.find(({ name }) => name === volume)?.version
    assert.equal(imageVersion, serverVersion, 'the image and its server state the same version')
    await context.databaseClients.open(context.database, async (session) => {
      await session.write('first')
      assert.deepEqual(await session.read(), ['first'])
    })
  })

  test('a wrong password and an empty password are refused', async () => {
    const url = new URL(await context.databaseClients.urlOf(context.database))
    for (const password of ['wrong', '']) {
      url.password = password
      assert.notEqual(await context.databaseClients.refusal(url.href), '', `password ${JSON.stringify(password)}`)
    }
  })

  test('a deploy without changes keeps the container', async () => {
    const containers = await containersOf(context.database.appName)
    await context.databaseClients.done('deploy', context.database)
    assert.deepEqual(await containersOf(context.database.appName), containers)
  })

  test('logs contain no password, and stats report the usage of memory, CPU and volume', async () => {
    const { databaseClients, database } = context
    const logs = await databaseClients.call('logs', database, { tail: 500 })
    const { body: lines } = logs as unknown as { body: { at: string; line: string }[] }
    assert.ok(lines.length > 0 && lines.length <= 500)
    for (const password of firstPasswords) assert.ok(!lines.some(({ line }) => line.includes(password)))
    const stats = (await databaseClients.call('stats', database)).body as unknown as Record<string, number>
    assert.ok(stats.memoryBytes! > 1_000_000 && stats.memoryBytes! < 4_000_000_000, JSON.stringify(stats))
    assert.ok(stats.cpuCores! >= 0 && stats.volumeBytes! > 0, JSON.stringify(stats))
  })
}

function portTests(context: Case): void {
  test('changing, closing and opening the external port keeps connections from inside the network', async (t) => {
    const { databaseClients, database } = context
    const { host, port } = await openInternalProxy(t, database, databaseClients.kind)
    const first = await databaseClients.urlOf(database)
    const inside = new URL(first)
    Object.assign(inside, { hostname: host, port: String(port) })
    // The proxy needs a moment to start.
    const session = await until('a session through the internal proxy', () =>
      databaseClients.client.connect(inside.href).catch(() => null),
    )
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

function runTests(context: Case): void {
  test('start after stop restores the database with its data', async () => {
    const { databaseClients, database } = context
    const url = await databaseClients.urlOf(database)
    assert.equal((await databaseClients.done('stop', database)).applicationStatus, 'idle')
    assert.deepEqual(await containersOf(database.appName), [])
    assert.notEqual(await databaseClients.refusal(url), '')
    assert.equal((await databaseClients.done('start', database)).applicationStatus, 'done')
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })

  test('reload replaces the container and keeps the data', async () => {
    const { databaseClients, database } = context
    const before = await containersOf(database.appName)
    await databaseClients.done('reload', database, { appName: database.appName })
    assert.notDeepEqual(await containersOf(database.appName), before)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })
}

/** It replaces the container, so it also shows whether a new container has the passwords. */
const changeOf = ({ changed }: Client): Restart => ({
  title: 'changes of environment, command and limits take effect at the next deploy',
  async run({ databaseClients, database }) {
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
  },
})

const namesOf = (kind: Kind) => credentialNames(kind).filter((name) => !kind.secrets.includes(name))

function rotationTests(context: Case, kind: Kind): void {
  const names = namesOf(kind)
  const otherNames = Object.fromEntries(names.map((name) => [name, 'other name@home']))

  test(`a deploy with changed ${['passwords', ...names].join(', ')} replaces them on the running server`, async () => {
    const { databaseClients, database } = context
    const before = await databaseClients.urlOf(database)
    await databaseClients.call('update', database, { ...secretsOf(kind, secondPasswords), ...otherNames })
    assert.equal(await databaseClients.refusal(before), '', 'the old credentials are valid until the deploy')
    const deployed = await databaseClients.done('deploy', database)
    for (const name of names) assert.equal(deployed[name], otherNames[name])
    assert.notEqual(await databaseClients.refusal(before), '', 'the old credentials are refused')
    const after = await databaseClients.urlOf(database)
    assert.equal(await databaseClients.refusal(after), '')
    const inOldDatabase = Object.assign(new URL(after), { pathname: new URL(before).pathname })
    const session = await databaseClients.client.connect(inOldDatabase.href)
    assert.deepEqual(await session.read().finally(session.close), ['first'])
  })
}

/** The programs of the other kinds rename back and forth in the tests of their kinds (mysql-kinds.test.ts and so on). */
function renamingTests(context: Case, kind: Kind): void {
  const names = namesOf(kind)
  if (names.length === 0) return
  test(`${names.join(' and ')} can be changed back`, async () => {
    const { databaseClients, database } = context
    await databaseClients.call('update', database, Object.fromEntries(names.map((name) => [name, 'shop'])))
    await databaseClients.done('deploy', database)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  })
}

function missingImageTests(context: Case): void {
  test('a deploy of a missing image is rolled back and keeps the data', async () => {
    const { databaseClients, database } = context
    const { dockerImage } = await databaseClients.one(database)
    await databaseClients.call('update', database, { dockerImage: `${dockerImage}-no-such` })
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, /^Image not found.*Rolled back: the last good specification runs and answers\.$/s)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    await databaseClients.call('update', database, { dockerImage })
  })
}

function failureTests(context: Case, { broken }: Client): void {
  test("a deploy of invalid arguments reports the server's message, is rolled back and keeps the data", async () => {
    const { databaseClients, database } = context
    const { command } = await databaseClients.one(database)
    await databaseClients.call('update', database, { command: broken })
    const { status, body } = await databaseClients.callAndWait('deploy', database)
    assert.equal(status, 422)
    assert.match(body.message, /ended with exit code \d+: [^\n]*such[^\n]*\. Its last lines:\n.*Rolled back/is)
    assert.equal((await databaseClients.one(database)).applicationStatus, 'error')
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    await databaseClients.call('update', database, { command })
    assert.equal((await databaseClients.done('deploy', database)).applicationStatus, 'done')
  })
}

/** Compares the name itself, because the engine's name filter also matches prefixes. */
const isOnSwarm = async (name: string) =>
  (await docker('service', 'ls', '--filter', `name=${name}`, '--format', '{{.Name}}')).includes(name)

function keptVolumeTests(context: Case, swarm: () => Swarm): void {
  test('a removal keeps the volume, and volume.restore creates a service with its data', async () => {
    const { databaseClients, database } = context
    const berth = swarm()
    const { volume } = await databaseClients.one(database)
    await databaseClients.done('remove', database)
    assert.equal(await isOnSwarm(database.appName), false)
    const { body: volumes } = await berth.call<{ volumeId: string; state: string; name: string }[]>('volume.all')
    const kept = volumes.find(({ name }) => name === volume)
    assert.equal(kept?.state, 'kept')
    const input = { volumeId: kept!.volumeId, name: 'again', projectId: berth.projectId }
    context.database = (await berth.call<Database>('volume.restore', input)).body
    await databaseClients.call('saveExternalPort', context.database, { externalPort: await freePort() })
    await databaseClients.done('deploy', context.database)
    assert.deepEqual(await databaseClients.open(context.database, (session) => session.read()), ['first'])
  })
}

function removalTests(context: Case): void {
  test('a removal with removeData leaves no service and no volume', async () => {
    const { databaseClients } = context
    const { volume, appName } = await databaseClients.one(context.database)
    await databaseClients.clear(context.database)
    assert.equal(await isOnSwarm(appName), false)
    assert.deepEqual(await volumesNamed(volume!), [])
  })
}
