/** The databases of one kind on a site: the calls about them, and a server that holds credentials as a real one. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { parseConfig } from '../../src/config.ts'
import type { Outcome } from '../../src/engine/engine.ts'
import { resolveImage } from '../../src/kinds/images.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { type Failure, type Headers, type Input, type Site, wait } from './site.ts'

export type Settings = Record<string, string>
export type Fleet = ReturnType<typeof fleetOf>

/** A database as it is answered; further fields are those of its kind. */
export type Database = Record<string, unknown> & {
  name: string
  appName: string
  applicationStatus: string
  statusReason: string | null
  pendingChanges: boolean
  projectId: string
  createdAt: string
  dockerImage: string
  resolvedImage: string
  externalPort: number | null
  containerState: string | null
  statusCode: string | null
  drift: string[]
  driftCodes: string[]
  volume: string | null
  node: string | null
  lastDeployedAt: string | null
  connection: { internalUrl: string; externalUrl: string | null }
}

/** One that every kind takes; `more` are further fields. */
export function settingsOf(kind: Kind, more: Settings = {}): Settings {
  const samples = Object.keys(kind.settings.shape).map((name) => [
    name,
    kind.secrets.includes(name) ? `a ${name}` : 'shop',
  ])
  return { ...Object.fromEntries(samples), ...more }
}

let count = 0

/** Empty where the kind makes it, else one that no other has. */
export const appNameFor = (kind: Kind) => (kind.mayNameItself ? '' : `db${++count}`)

/** Passwords that quoting goes wrong with; each kind takes one of them at least. */
const awkward = ['p\'a"s$s\\w`ord; -- ü', 'p$a{s}s w`ord; --&ü%40#']

/** The most awkward that the kind takes as this secret. */
export function awkwardFor(kind: Kind, secret: string): string {
  const shape = kind.settings.shape[secret] as z.ZodType
  return awkward.find((password) => shape.safeParse(password).success) ?? assert.fail(`${kind.name}.${secret}`)
}

/** What an image stands for by default. */
export const resolved = (image: string) => resolveImage(image, parseConfig({}).imageAliases)

export const defaultVersion = (kind: Kind) => kind.versionOf(resolved(kind.defaultImage).split(':')[1]!)

/** An image of a version that does not open what the default one writes. */
export function strangeImage(kind: Kind): string {
  const version = ['99', '1'].find((one) => !kind.opens(defaultVersion(kind)!, one))
  return `${kind.name}:${version}`
}

export function fleetOf(site: Site, kind: Kind) {
  const idOf = (database: Input) => database[kind.idField] as string
  const inputOf = (database: Input, more: Input) => ({ [kind.idField]: idOf(database), ...more })
  const create = (more: Input = {}) =>
    site.ok<Database>(`${kind.name}.create`, {
      name: 'db',
      appName: appNameFor(kind),
      projectId: site.projectId,
      ...settingsOf(kind),
      ...more,
    })
  const ask = (verb: string, database: Input, more: Input = {}, headers: Headers = {}) =>
    site.call<Database & Failure>(`${kind.name}.${verb}`, inputOf(database, more), headers)
  const act = (verb: string, database: Input, more: Input = {}, headers: Headers = {}) =>
    site.ok<Database>(`${kind.name}.${verb}`, inputOf(database, more), headers)
  const one = (database: Input) => act('one', database)
  return { kind, idOf, create, ask, act, one, up, settle, refused, tasks, gateway, gone }

  /** A new one, up and answering. */
  async function up(more: Input = {}): Promise<Database> {
    return settle('deploy', await create(more))
  }

  /** The call's work ended well; gives the record with its passwords. */
  async function settle(verb: string, database: Input, more: Input = {}): Promise<Database> {
    await act(verb, database, more, wait)
    return one(database)
  }

  function refused(code: Failure['code'], verb: string, database: Input, more: Input = {}, path?: string) {
    return site.refused(code, `${kind.name}.${verb}`, inputOf(database, more), path)
  }

  /** Of its service, by id: another one is another container. */
  async function tasks({ appName }: Database): Promise<string[]> {
    return (await site.engine.tasks([appName])).filter((task) => task.desired === 'running').map((task) => task.id)
  }

  function gateway(database: Input): string {
    return `berth-gateway-${idOf(database)}`
  }

  /** Removed, with nothing of it left on the engine but its volume. */
  async function gone(database: Database, more: Input = {}): Promise<void> {
    await act('remove', database, more, wait)
    assert.deepEqual(await site.engine.servicesNamed([database.appName, gateway(database)]), [])
  }
}

/** The credentials in a record that `one` has answered. */
export function credentialsIn(database: Database, kind: Kind): Settings {
  return Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, database[name] as string]))
}

/** The record once it is so, while Berth is kept looking at the swarm. */
export function seen(site: Site, fleet: Fleet, database: Database, isSo: (it: Database) => boolean): Promise<Database> {
  return site.until('the record', async () => {
    const one = await fleet.one(database)
    return isSo(one) ? one : null
  })
}

export interface Server {
  /** Sets that log in. */
  accepted: Settings[]
  /** What became of them, in order. */
  rotations: { from: Settings; to: Settings }[]
  /** Comes before the new credentials are taken; an answer of its own comes in their place. */
  onRotate: (to: Settings) => Outcome | null
}

const loggedIn: Outcome = { exitCode: 0, stdout: '', stderr: '' }
const refusal: Outcome = { exitCode: 2, stdout: '', stderr: 'FATAL: password authentication failed' }

/**
 * Puts a server behind the engine that accepts the first of `known`, inside its network and on every port in `ports`.
 * It tells the programs of the kind by what the kind makes of the known sets.
 */
export function serveWith(site: Site, kind: Kind, known: Settings[], ports: number[] = []): Server {
  const server: Server = { accepted: [known[0]!], rotations: [], onRotate: () => null }
  const outside = ports.map((port) => ({ host: '192.0.2.10', port }))
  site.engine.answer = ({ address }, program) => {
    const addresses = [{ host: address!, port: kind.port }, ...outside]
    const isLogin = (settings: Settings) => addresses.some((at) => isDeepStrictEqual(program, kind.ready(settings, at)))
    if (server.accepted.some(isLogin)) return loggedIn
    const [from] = server.accepted
    if (from === undefined) return refusal
    const to = known.find((it) => addresses.some((at) => isDeepStrictEqual(program, kind.rotate(from, it, at))))
    return to === undefined ? refusal : rotate(server, from, to)
  }
  return server
}

function rotate(server: Server, from: Settings, to: Settings): Outcome {
  const instead = server.onRotate(to)
  if (instead !== null) return instead
  server.rotations.push({ from, to })
  server.accepted = [to]
  return { exitCode: 0, stdout: '', stderr: '' }
}
