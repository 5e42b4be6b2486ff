/**
 * A whole Berth in this process, on a data folder of its own that is removed at the end:
 *
 *   await using berth = await startBerth()
 *   const { status, body } = await berth.call('project.create', { name: 'shop' })
 *
 * Requests go through the HTTP server without a socket; `listen` opens one for tests that need it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { openApp } from '../src/app.ts'
import type { App } from '../src/api/services.ts'
import { parseConfig } from '../src/config.ts'
import { methodOf, type Operation } from '../src/api/contract.ts'
import type { CredentialsFor, Engine } from '../src/engine/engine.ts'
import { openServer } from '../src/http/server.ts'
import { once } from '../src/lib/async/memoize.ts'
import { nobodysHash, passwordsOf } from '../src/lib/crypto/password.ts'
import { operations as allOperations } from '../src/operations.ts'
import type { Options as StorageOptions } from '../src/lib/s3/s3.ts'
import { insertAccount } from '../src/accounts/accounts.ts'
import { issueToken } from '../src/accounts/tokens.ts'
import { memoryEngine } from './engine/memory/engine.ts'
import { putNewStore } from './new-store.ts'
import { type LoggedLine, rememberingLog } from './remembering-log.ts'
import { rememberingProxy } from './remembering-proxy.ts'
import { spokenSecrets } from './spoken-secrets.ts'

export interface Options {
  /** Makes the engine of this installation; the remembering one without. */
  connect?: (installationId: string, credentialsFor: CredentialsFor) => Engine
  /** Settings beside the data folder. */
  env?: Record<string, string>
  /** An existing data folder: it is kept at the end. */
  folder?: string
  operations?: readonly Operation[]
  now?: () => Date
  /** How patient runs of backups are with a storage. */
  storage?: StorageOptions
  /** Rules about applications go to a real proxy; without, to one that only remembers. */
  realProxy?: boolean
}

/** `T` is what the test expects the body to be; nothing checks it. */
export interface Reply<T = Record<string, unknown>> {
  status: number
  body: T
  headers: Record<string, string | undefined>
}

export interface Account {
  id: string
  email: string
  token: string
}

export type Berth = Awaited<ReturnType<typeof startBerth>>

/** The installation token of every Berth that the harness starts. */
export const installationToken = 'an-installation-token-for-the-tests-only'

/** Its own tests have the real one. */
const lightCost = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 } as const

export async function startBerth(options: Options = {}) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'berth-'))
  const logged: LoggedLine[] = []
  const spoken = spokenSecrets()
  const config = parseConfig({ BERTH_DATA: folder, BERTH_ACCESS_TOKEN: installationToken, ...options.env })
  const connect = options.connect ?? ((installationId: string) => memoryEngine(installationId))
  const { now, storage = {} } = options
  const overrides = {
    storage,
    ...(now === undefined ? {} : { now }),
    ...(options.realProxy === true ? {} : { routing: rememberingProxy }),
    passwords: passwordsOf(undefined, lightCost),
  }
  await putNewStore(folder)
  const app = await openApp(config, rememberingLog(logged), connect, overrides)
  const operations = options.operations ?? allOperations
  const server = openServer(app, operations)
  const admin = once(() => addAccount(app, 'admin', 'admin@example.org'))
  const user = once(() => addAccount(app, 'user', 'user@example.org'))
  return {
    app,
    server,
    folder,
    logged,
    installation: installationToken,
    admin,
    user,
    call,
    listen,
    close,
    [Symbol.asyncDispose]: close,
  }

  /** `as` is a token; the administrator's where it is left out, none where it is null. */
  async function call<T = Record<string, unknown>>(
    name: string,
    input: Record<string, unknown> = {},
    as?: string | null,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    const token = as === undefined ? (await admin()).token : as
    const operation = operations.find((it) => it.name === name)
    const method = operation === undefined ? 'POST' : methodOf(operation)
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
    const reply = await inject<T>(server, method, `/api/${name}`, input, { ...authorization, ...headers })
    spoken.hear(input)
    spoken.hear(reply.body)
    return reply
  }

  /** Serves on a free port until the end; gives the base URL. */
  function listen(): Promise<string> {
    return server.listen({ host: '127.0.0.1', port: 0 })
  }

  async function close() {
    await server.close()
    await app.close()
    spoken.check(folder, logged)
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

async function inject<T>(
  server: FastifyInstance,
  method: 'GET' | 'POST',
  path: string,
  input: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<Reply<T>> {
  const search = () => new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]))
  const url = method === 'GET' ? `${path}?${search()}` : path
  const payload = method === 'GET' ? {} : { payload: JSON.stringify(input) }
  const type: Record<string, string> = method === 'GET' ? {} : { 'content-type': 'application/json' }
  const response = await server.inject({ method, url, headers: { ...type, ...headers }, ...payload })
  return {
    status: response.statusCode,
    body: JSON.parse(response.body) as T,
    headers: response.headers as Record<string, string | undefined>,
  }
}

/** Straight into the store, with a session: what auth.createAdmin does, without the hashing. */
/** In a folder that a Berth before had, it is there already. */
async function addAccount(app: App, rol: 'admin' | 'user', email: string): Promise<Account> {
  const now = app.now()
  return app.transact(async (tx) => {
    const before = await tx.selectFrom('account').select('id').where('emailKey', '=', email).executeTakeFirst()
    const id = before?.id ?? app.newId()
    if (before === undefined) await insertAccount(tx, { id, email, passwordHash: nobodysHash, rol }, now)
    const { token } = await issueToken(tx, { id: app.newId(), kind: 'session', accountId: id, address: '' }, now)
    return { id, email, token }
  })
}
