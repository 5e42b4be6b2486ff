/**
 * A Berth on the remembering engine, with a project and a clock that the test moves: what most tests of operations
 * stand on. Every time that Berth or the engine reads is a millisecond later than the one before.
 */
import assert from 'node:assert/strict'
import type { CredentialsFor } from '../../src/engine/engine.ts'
import { memoryEngine, type MemoryEngine } from '../../src/engine/memory.ts'
import { type Code, type Issue, statusOf } from '../../src/errors.ts'
import type { Options as StorageOptions } from '../../src/lib/s3.ts'
import { until } from '../engine/until.ts'
import { folderUnder } from '../folder.ts'
import { type Reply, startBerth } from '../harness.ts'

export type Input = Record<string, unknown>
export type Headers = Record<string, string>
export type Site = Awaited<ReturnType<typeof startSite>>

export interface Failure {
  message: string
  code: Code
  issues: Issue[]
}

/** A project as it is answered. */
export type ProjectBody = Record<string, unknown> & {
  projectId: string
  name: string
  description: string | null
  createdAt: string
}

/** What must stay as it is when a call is refused: accounts and tokens are not the business of these operations. */
const tables = [
  'project',
  'database',
  'deployment',
  'volume',
  'idempotency',
  'redirect',
  'security',
  'port',
  'certificate',
  'registry',
] as const
const changing = ['createService', 'updateService', 'removeService', 'removeVolume', 'run'] as const

/** As long as no test should take. */
export const wait: Headers = { prefer: 'wait=30' }

/** `storage`: how patient runs of backups are with one. */
export async function startSite(env: Record<string, string> = {}, storage: StorageOptions = {}) {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  let ms = Date.parse('2030-01-01T00:00:00.000Z')
  const now = () => new Date(ms++)
  let made: MemoryEngine | undefined
  const connect = (installationId: string, credentialsFor: CredentialsFor) => {
    made ??= memoryEngine(installationId, now)
    return Object.assign(made, { credentialsFor })
  }
  const open = () => startBerth({ folder, env, now, connect, storage })
  let berth = await open()
  const engine = made!
  end.defer(async () => {
    engine.setDown(false)
    await berth.close()
  })
  const [admin, user] = [(await berth.admin()).token, (await berth.user()).token]
  const { projectId } = await ok<ProjectBody>('project.create', { name: 'shop' })
  return {
    engine,
    projectId,
    admin,
    user,
    folder,
    call,
    ok,
    refused,
    everything,
    changes,
    listen: () => berth.listen(),
    until: stirring,
    restart,
    close: () => end.disposeAsync(),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
    get app() {
      return berth.app
    },
    get logged() {
      return berth.logged
    },
    pass(passedMs: number) {
      ms += passedMs
    },
    now: () => new Date(ms),
  }

  function call<T = Input>(name: string, input: Input = {}, headers: Headers = {}, as = admin): Promise<Reply<T>> {
    return berth.call<T>(name, input, as, headers)
  }

  /** The body of a call that must succeed. */
  async function ok<T = Input>(name: string, input: Input = {}, headers: Headers = {}, as = admin): Promise<T> {
    const { status, body } = await call<T>(name, input, headers, as)
    assert.equal(status, 200, `${name} ${JSON.stringify(input)}: ${JSON.stringify(body)}`)
    return body
  }

  /** A call that must be refused and leave everything as it was; `path` is the field that it must be refused for. */
  async function refused(
    code: Code,
    name: string,
    input: Input,
    path?: string,
    headers: Headers = {},
  ): Promise<Failure> {
    const before = [await everything(), changes()]
    const { status, body } = await call<Failure>(name, input, headers)
    const said = `${name} ${JSON.stringify(input).slice(0, 300)}: ${status} ${JSON.stringify(body)}`
    assert.deepEqual([status, body.code], [statusOf[code], code], said)
    assert.deepEqual(Object.keys(body), ['message', 'code', 'issues'], said)
    assert.deepEqual([...new Set(body.issues.map((issue) => issue.path))], path === undefined ? [] : [path], said)
    assert.deepEqual([await everything(), changes()], before, said)
    return body
  }

  async function everything(): Promise<Record<string, Input[]>> {
    const rows = tables.map(
      async (table) => [table, await berth.app.db.selectFrom(table).selectAll().execute()] as const,
    )
    return Object.fromEntries(await Promise.all(rows))
  }

  /** How often the engine was asked to change anything. */
  function changes(): Record<string, number> {
    return Object.fromEntries(changing.map((method) => [method, engine.calls[method]]))
  }

  /** Something happens on the swarm that is none of Berth's business: Berth looks at it. */
  function stir() {
    const name = `stranger-${ms}`
    engine.putForeign(name)
    engine.takeForeign(name)
  }

  /** The first answer there is to `probe`, while Berth is kept looking at the swarm. */
  function stirring<T>(what: string, probe: () => Promise<T | null>): Promise<T> {
    return until(what, async () => {
      stir()
      return probe()
    })
  }

  /** The engine goes on meanwhile. */
  async function restart(meanwhile: () => Promise<void> = async () => {}) {
    await berth.close()
    await meanwhile()
    berth = await open()
  }
}
