/**
 * Berth beside another system on the same swarm. Its services, containers and volumes are made by hand in the shapes of
 * Coolify (a container with a named volume) and Dokploy (services on a network of their own, and a proxy). Berth copies a
 * volume to a new database, its databases are reached from the other system's network by name, and nothing else changes.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients, type Session } from './clients.ts'
import { databaseClientsOn } from './database-clients.ts'
import { shouldTestAll } from './representative.ts'
import { docker, onSwarm, type Swarm, uniqueName } from './swarm.ts'

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

/** Where the old server has its data, if not where Berth has it, and its further variables and arguments. */
interface Shape {
  mount?: string
  variables?: Record<string, string>
  args?: (password: string) => string[]
}

const shapes: Record<string, Shape> = {
  // As the images of PostgreSQL 18 do.
  postgres: { mount: '/var/lib/postgresql', variables: { PGDATA: '/var/lib/postgresql/17/docker' } },
  redis: { args: (password) => ['--requirepass', password, '--appendonly', 'yes'] },
}

interface OldServer {
  container: string
  volume: string
  /** The credentials. */
  settings: Record<string, string>
}

/** Runs a server as Coolify does, and stores a text in it. */
async function runOldServer(t: TestContext, kind: Kind): Promise<OldServer> {
  const id = randomUUID()
  const [container, volume] = [`${kind.name}-${id}`, `${kind.name}-data-${id}`]
  const settings = Object.fromEntries(
    credentialNames(kind).map((name) => [name, kind.secrets.includes(name) ? `old-${randomUUID()}` : 'shop']),
  )
  const { mount = kind.dataPath(null), variables = {}, args } = shapes[kind.name] ?? {}
  const env = Object.entries({ ...kind.env(settings), ...variables }).map(([name, value]) => `--env=${name}=${value}`)
  const image = clients[kind.name]!.images[0]!
  t.after(async () => {
    await docker('rm', '--force', container)
    await docker('volume', 'rm', '--force', volume)
  })
  const run = ['run', '--detach', '--name', container, '--volume', `${volume}:${mount}`, ...env, image]
  await docker(...run, ...(args?.(settings.databasePassword!) ?? []))
  const server = { container, volume, settings }
  await withSession(kind, server, (session) => session.write('first'))
  return server
}

/** Runs the work in a session with the old server, as soon as it accepts logins. */
async function withSession<T>(kind: Kind, server: OldServer, work: (session: Session) => Promise<T>): Promise<T> {
  const [host] = await docker('inspect', '--format', '{{.NetworkSettings.IPAddress}}', server.container)
  const url = kind.url(server.settings, { host: host!, port: kind.port }, true)
  const session = await until('the old server', () => clients[kind.name]!.connect(url).catch(() => null), 120_000)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

const adopt = (input: object) =>
  berth.call<Database & { message: string }>('volume.adopt', { ...input }, undefined, { prefer: 'wait=300' })

async function testCopy(t: TestContext, kind: Kind): Promise<void> {
  const old = await runOldServer(t, kind)
  const databaseClients = databaseClientsOn(berth, kind, clients[kind.name]!)
  const externalPort = await freePort()
  const wrong = { ...old.settings, databasePassword: 'wrong-password' }
  const database = await databaseClients.create({ ...wrong, externalPort })
  const input = { volume: old.volume, databaseId: database[kind.idField] }

  const inUse = await adopt(input)
  assert.deepEqual([inUse.status, inUse.body.message.includes(old.container)], [409, true])
  await docker('stop', old.container)

  if (kind.ownAccounts === undefined) {
    // Berth sets the password of this kind with each start.
    await databaseClients.call('update', database, old.settings)
    assert.equal((await adopt(input)).body.message, undefined)
  } else {
    const refused = await adopt(input)
    assert.equal((await databaseClients.one(database)).statusCode, 'LoginRefused', refused.body.message)
    await databaseClients.call('update', database, old.settings)
    await databaseClients.done('deploy', database)
  }
  await databaseClients.open(database, async (session) => {
    assert.deepEqual(await session.read(), ['first'])
    await session.write('second')
  })
  await databaseClients.done('reload', database, { appName: database.appName })
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first', 'second'])

  await docker('start', old.container)
  assert.deepEqual(await withSession(kind, old, (session) => session.read()), ['first'])
  await databaseClients.clear(database)
}

describe('copies of volumes', { concurrency: 2 }, () => {
  for (const kind of shouldTestAll ? kinds : ['postgres', 'redis'].map(kindNamed)) {
    test(`a database of ${kind.name} runs on a copy, and the old server on its volume`, (t) => testCopy(t, kind))
  }
})

test('services of another system stay as they are, and reach databases of Berth by name', async (t) => {
  const [network, proxy, app] = ['dokploy-network', 'dokploy-traefik', 'dokploy-app'].map(uniqueName)
  t.after(async () => {
    await docker('service', 'rm', proxy!, app!)
    await until('the end of the services', () => docker('network', 'rm', network!).catch(() => null))
  })
  await docker('network', 'create', '--driver', 'overlay', '--attachable', network!)
  const port = await freePort()
  const common = ['service', 'create', '--detach', '--network', network!, '--endpoint-mode', 'dnsrr']
  const published = `--publish=mode=host,published=${port},target=80`
  await docker(...common, published, '--label', 'traefik.enable=true', '--name', proxy!, 'haproxy:3.0', 'sleep', '600')
  await docker(...common, '--network', 'berth', '--name', app!, 'postgres:17', 'sleep', '600')
  const state = () => Promise.all([proxy!, app!].map((name) => docker('service', 'inspect', name)))
  const before = await state()

  const databaseClients = databaseClientsOn(berth, kindNamed('postgres'), clients.postgres!)
  const database = await databaseClients.create()
  await databaseClients.done('deploy', database)
  const { internalUrl } = (await databaseClients.one(database)).connection
  const container = await until(
    'the application',
    async () => (await docker('ps', '--quiet', '--filter', `name=${app}`))[0],
  )
  assert.deepEqual(await docker('exec', container, 'psql', internalUrl, '-Atc', 'select 1'), ['1'])

  const applications = () => berth.call<{ name: string }[]>('application.all')
  await until('the application', async () => (await applications()).body.some(({ name }) => name === app))
  await assert.rejects(databaseClients.create({ appName: app }), /CONFLICT/)
  await databaseClients.clear(database)
  assert.deepEqual(await state(), before)
})
