/** The databases of one kind on a real swarm: the calls about them, and sessions with them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Client, Session } from './clients.ts'
import { containersOf, docker, freePort, type Swarm, uniqueName } from './swarm.ts'

export type Fields = Record<string, unknown>
type Answer = Database & { message: string }

export type DatabaseClients = ReturnType<typeof databaseClientsOn>

export function databaseClientsOn(berth: Pick<Swarm, 'call' | 'projectId'>, kind: Kind, client: Client) {
  const idOf = (database: Fields) => ({ [kind.idField]: database[kind.idField] })
  return { kind, client, create, call, callAndWait, one, done, deployed, open, urlOf, refusal, waitUntil, clear }

  /** With names and passwords that need no care, but for what `fields` say; secrets are random. */
  async function create(fields: Fields = {}): Promise<Database> {
    const names = Object.keys(kind.settings.shape)
    const settings = Object.fromEntries(names.map((name) => [name, kind.secrets.includes(name) ? '' : 'shop']))
    const { status, body } = await berth.call<Answer>(`${kind.name}.create`, {
      name: kind.name,
      appName: uniqueName(kind.name),
      projectId: berth.projectId,
      ...settings,
      dockerImage: client.images[0],
      ...fields,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  function call(verb: string, database: Fields, fields: Fields = {}, headers: Record<string, string> = {}) {
    return berth.call<Answer>(`${kind.name}.${verb}`, { ...idOf(database), ...fields }, undefined, headers)
  }

  /** Calls, and waits until the work has settled. */
  function callAndWait(verb: string, database: Fields, fields: Fields = {}) {
    return call(verb, database, fields, { prefer: 'wait=150' })
  }

  async function one(database: Fields): Promise<Database> {
    const { status, body } = await call('one', database)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  /** Work that must end well. */
  async function done(verb: string, database: Fields, fields: Fields = {}): Promise<Database> {
    const { status, body } = await callAndWait(verb, database, fields)
    assert.deepEqual([status, body.message], [200, undefined])
    if (verb === 'remove') return body
    assert.equal(body.statusReason, null)
    return one(database)
  }

  /** A new one that runs, with its external port open. */
  async function deployed(fields: Fields = {}): Promise<Database> {
    const database = await create(fields)
    await call('saveExternalPort', database, { externalPort: await freePort() })
    return done('deploy', database)
  }

  async function urlOf(database: Fields): Promise<string> {
    return (await one(database)).connection.externalUrl ?? assert.fail('The external port is closed')
  }

  /** Runs the work in a session through the external port. */
  async function open<T>(database: Fields, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await client.connect(await urlOf(database))
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }

  /** Why the URL does not lead in; '' where it does. */
  async function refusal(url: string): Promise<string> {
    try {
      await (await client.connect(url)).close()
      return ''
    } catch (error) {
      return String((error as Error).message || (error as { code?: string }).code)
    }
  }

  /** The record, once it is so. */
  function waitUntil(
    what: string,
    database: Fields,
    isSo: (it: Database) => boolean,
    withinMs?: number,
  ): Promise<Database> {
    return until(
      what,
      async () => {
        const now = await one(database)
        return isSo(now) && now
      },
      withinMs,
    )
  }

  async function clear(database: Fields): Promise<void> {
    await done('remove', database, { removeData: true })
  }
}

/**
 * A way to the database from inside its network that is none of Berth's: a proxy in a container of its own. Gives the
 * address on this machine.
 */
export async function wayInside(t: TestContext, { appName }: Database, kind: Kind) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-way-'))
  // The proxy runs as a user of its own.
  chmodSync(folder, 0o755)
  const server =
    `resolvers engine\n  nameserver dns 127.0.0.11:53\nlisten way\n  bind :15000\n` +
    `  server database ${appName}:${kind.port} resolvers engine init-addr libc,none\n`
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 10m\n  timeout server 10m\n${server}`,
  )
  const [id] = await docker(
    'run',
    '--detach',
    '--rm',
    '--network',
    'berth',
    '--publish',
    '127.0.0.1::15000',
    '--volume',
    `${folder}:/usr/local/etc/haproxy:ro`,
    'haproxy:3.0',
  )
  t.after(async () => {
    await docker('rm', '--force', id!)
    rmSync(folder, { recursive: true })
  })
  const [address] = await until('its port', () => docker('port', id!, '15000/tcp').catch(() => null))
  const [host, port] = address!.split(':') as [string, string]
  return { host, port: Number(port) }
}

/** Takes all the memory that the container may have, until the kernel ends it. */
export async function fillMemory(appName: string): Promise<void> {
  const [container] = await containersOf(appName)
  const hog = 'x=0123456789abcdef; while :; do x=$x$x; done'
  await new Promise<void>((resolve) => {
    execFile('docker', ['exec', container!, 'sh', '-c', hog], { timeout: 60_000 }, () => resolve())
  })
}
