/** Calls about databases of one kind on a real swarm, and sessions with the databases. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { credentialNames, type Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Client, Session } from './clients.ts'
import { freePort } from '../fixtures/free-port.ts'
import { containersOf, docker, uniqueName } from './swarm.ts'

export type Fields = Record<string, unknown>
type Answer = Database & { message: string }

export type DatabaseClients = ReturnType<typeof databaseClientsOn>

/** A Berth in this process or in another one. */
export interface AnyBerth {
  projectId: string
  call<T>(
    name: string,
    input?: Fields,
    as?: string | null,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: T }>
}

export function databaseClientsOn(berth: AnyBerth, kind: Kind, client: Client) {
  const idOf = (database: Fields) => ({ [kind.idField]: database[kind.idField] })
  return { kind, client, create, call, callAndWait, one, done, deployed, open, urlOf, refusal, waitUntil, clear }

  /** Creates a database with plain names and random secrets. `fields` replaces or adds input fields. */
  async function create(fields: Fields = {}): Promise<Database> {
    const names = credentialNames(kind)
    const settings = Object.fromEntries(names.map((name) => [name, kind.secrets.includes(name) ? '' : 'shop']))
    const { status, body } = await berth.call<Answer>(`${kind.name}.create`, {
      name: kind.name,
      appName: uniqueName(kind.name),
      projectId: berth.projectId,
      ...settings,
      dockerImage: client.images[0],
      env: client.env ?? null,
      ...fields,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  function call(verb: string, database: Fields, fields: Fields = {}, headers: Record<string, string> = {}) {
    return berth.call<Answer>(`${kind.name}.${verb}`, { ...idOf(database), ...fields }, undefined, headers)
  }

  /** Calls an operation and waits until its work has ended, for at most 300 s. */
  function callAndWait(verb: string, database: Fields, fields: Fields = {}) {
    return call(verb, database, fields, { prefer: 'wait=300' })
  }

  async function one(database: Fields): Promise<Database> {
    const { status, body } = await call('one', database)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  /** Calls an operation, asserts that its work succeeds, and returns the database. */
  async function done(verb: string, database: Fields, fields: Fields = {}): Promise<Database> {
    const { status, body } = await callAndWait(verb, database, fields)
    assert.deepEqual([status, body.message], [200, undefined])
    if (verb === 'remove') return body
    assert.equal(body.statusReason, null)
    return one(database)
  }

  /** Creates and deploys a database with an external port. */
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

  /** Returns the driver's error for a URL, or '' if the connection succeeds. */
  async function refusal(url: string): Promise<string> {
    try {
      await (await client.connect(url)).close()
      return ''
    } catch (error) {
      return String((error as Error).message || (error as { code?: string }).code)
    }
  }

  /** Polls the database until `condition` is true, and returns it. `description` is part of the timeout error. */
  function waitUntil(
    description: string,
    database: Fields,
    condition: (current: Database) => boolean,
    timeoutMs?: number,
  ): Promise<Database> {
    return until(
      description,
      async () => {
        const current = await one(database)
        return condition(current) && current
      },
      timeoutMs,
    )
  }

  /** Removes the database with its data. */
  async function clear(database: Fields): Promise<void> {
    await done('remove', database, { removeData: true })
  }
}

/**
 * Starts a proxy on the database's network that forwards a port of this machine to the database without Berth's
 * gateways. Returns the address on this machine.
 */
export async function openInternalProxy(t: TestContext, { appName }: Database, kind: Kind) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-way-'))
  const server =
    `resolvers engine\n  nameserver dns 127.0.0.11:53\nlisten way\n  bind :15000\n` +
    `  server database ${appName}:${kind.port} resolvers engine init-addr libc,none\n`
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(
    config,
    `defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 10m\n  timeout server 10m\n${server}`,
  )
  // HAProxy runs as another user, whom the umask could keep from reading the folder and the file.
  chmodSync(folder, 0o755)
  chmodSync(config, 0o644)
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
  const [address] = await until('the published port of the proxy', () =>
    docker('port', id!, '15000/tcp').catch(() => null),
  )
  const [host, port] = address!.split(':') as [string, string]
  return { host, port: Number(port) }
}

/** Allocates memory in the container until the kernel kills a process. */
export async function fillMemory(appName: string): Promise<void> {
  const [container] = await containersOf(appName)
  const allocate = 'x=0123456789abcdef; while :; do x=$x$x; done'
  await new Promise<void>((resolve) => {
    execFile('docker', ['exec', container!, 'sh', '-c', allocate], { timeout: 60_000 }, () => resolve())
  })
}
