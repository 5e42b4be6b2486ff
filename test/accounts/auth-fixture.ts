/** A Berth for account tests. Tests can move its clock and restart it. */
import assert from 'node:assert/strict'
import { type Code, type Issue, statusOf } from '../../src/errors.ts'
import { codeAt } from '../../src/lib/crypto/totp.ts'
import type { Passwords } from '../../src/lib/crypto/password.ts'
import { operations } from '../../src/operations.ts'
import type { Writer } from '../../src/store/schema.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { installationToken, lightPasswords, type Reply, startBerth } from '../fixtures/harness.ts'

export const second = 1000
export const minute = 60 * second
export const day = 24 * 3600 * second
export const password = 'correct horse battery staple'

export type Berth = Awaited<ReturnType<typeof startAuth>>

export interface Session {
  accessToken: string
  expiresAt: string
  account: Record<string, unknown> & { id: string }
}

/** The fields of other answers that tests read. */
interface AnswerFields {
  id: string
  email: string
  token: string
  expiresAt: string | null
}

/** The answer to a refused call. */
export interface Refused {
  status: number
  code: string
  message: string
  issues: Issue[]
  /** The code of the reason; undefined if the refusal has none. */
  reason?: string
  retryAfter: string | undefined
}

type Input = Record<string, unknown>
type Row = Record<string, unknown>
type Rows = Row[]

/** The tables that a refused call must not change. */
const tables = ['account', 'token', 'attempt', 'invitation', 'recoveryCode'] as const
type Table = (typeof tables)[number]

/** The columns that a refused call may change: records of use and counts of attempts. */
const volatileColumns = { lastUsedAt: null, lastSeenAt: null, attempts: null }

/** The secret and the recovery codes of a second factor. */
export interface Factor {
  secret: string
  recoveryCodes: string[]
}

/** Starts a Berth without accounts. Its clock is at the start of 2030. */
export async function startAuth() {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  let ms = Date.parse('2030-01-01T00:00:00.000Z')
  let beforeVerify = () => Promise.resolve()
  const passwords: Passwords = {
    ...lightPasswords,
    async verify(stored, password) {
      await beforeVerify()
      return lightPasswords.verify(stored, password)
    },
  }
  const open = () => startBerth({ folder, now: () => new Date(ms), passwords })
  let berth = await open()
  end.defer(() => berth.close())
  const ada = { email: 'Ada@Example.org', password }
  /** The operations that need a bearer. */
  const names = operations.filter(({ access }) => access !== 'anyone').map(({ name }) => name)
  const call = async <T = AnswerFields>(name: string, input: Input, as: string, headers: Record<string, string> = {}) =>
    answerOf(await berth.call<T>(name, input, as, headers))
  const callWithoutToken = async <T>(name: string, input: Input) => answerOf(await berth.call<T>(name, input, null))
  const rows = (table: Table | 'audit' | 'idempotency'): Promise<Rows> =>
    berth.app.db.selectFrom(table).selectAll().execute()
  const everything = async () =>
    Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await rows(table)] as const))) as Record<
      Table,
      Rows
    >
  const stableRows = async () =>
    Object.entries({ ...(await everything()), attempt: [] }).map(([table, tableRows]) => [
      table,
      tableRows.map((row) => ({ ...row, ...volatileColumns })),
    ])
  const codeOf = (secret: string, steps = 0) => codeAt(secret, new Date(ms + steps * 30 * second))

  const close = () => end.disposeAsync()

  return {
    folder,
    names,
    installationToken,
    call,
    rows,
    everything,
    codeOf,
    get app() {
      return berth.app
    },
    now: () => new Date(ms),
    pass(passedMs: number) {
      ms += passedMs
    },
    change: <T>(work: (tx: Writer) => Promise<T>) => berth.app.transact(work),
    /** Returns the answer with its status and headers, also if the call is refused. */
    reply: <T = Row>(name: string, input: Input, as: string | null, headers = {}) =>
      berth.call<T>(name, input, as, headers),
    /** Calls an operation from another address. Returns the status. */
    async callFrom(remoteAddress: string, name: string, payload: Input, as: string): Promise<number> {
      const [url, headers] = [`/api/${name}`, { authorization: `Bearer ${as}` }]
      return (await berth.server.inject({ method: 'POST', url, remoteAddress, headers, payload })).statusCode
    },
    /** Asserts that a call is refused and changes only `volatileColumns`, attempts and the audit log. */
    async refused(code: Code, name: string, input: Input, as: string): Promise<Refused> {
      const before = await stableRows()
      const refusal = await refusalOf(call(name, input, as))
      assert.deepEqual([refusal.status, refusal.code], [statusOf[code], code], `${name}: ${refusal.message}`)
      assert.deepEqual(await stableRows(), before, `${name} wrote`)
      return refusal
    },
    /** Invites a person and creates the account. */
    async join(inviter: string, email: string, rol: 'admin' | 'user' = 'user'): Promise<Session> {
      const { id, token } = await call('user.invite', { email, rol }, inviter)
      return call<Session>('auth.createUser', { id, token, password }, token)
    },
    /** Turns on the second factor with the code of the previous time step. The current code stays unused. */
    async turnOn(as: string): Promise<Factor> {
      const { secret } = await call<Factor>('auth.generate2FASecret', {}, as)
      const { recoveryCodes } = await call<Factor>('auth.verify2FASetup', { secret, pin: codeOf(secret, -1) }, as)
      return { secret, recoveryCodes }
    },
    createAdmin: (overrides = {}) => call<Session>('auth.createAdmin', { ...ada, ...overrides }, installationToken),
    signIn: (overrides = {}) => callWithoutToken<Session>('auth.signIn', { ...ada, ...overrides }),
    login: (overrides = {}) => call<Session>('auth.login', { ...ada, ...overrides }, installationToken),
    async signInFrom(remoteAddress: string, overrides = {}, headers: Record<string, string> = {}) {
      const payload = { ...ada, ...overrides }
      return berth.server.inject({ method: 'POST', url: '/api/auth.signIn', remoteAddress, headers, payload })
    },
    async loginFrom(remoteAddress: string, overrides = {}, as = installationToken) {
      const [headers, payload] = [{ authorization: `Bearer ${as}` }, { ...ada, ...overrides }]
      return berth.server.inject({ method: 'POST', url: '/api/auth.login', remoteAddress, headers, payload })
    },
    /** During the next verification of a password, all accounts get this hash. */
    changeHashDuringVerification(passwordHash: string) {
      beforeVerify = async () => {
        beforeVerify = () => Promise.resolve()
        await berth.app.transact((tx) => tx.updateTable('account').set({ passwordHash }).execute())
      }
    },
    logged: () => JSON.stringify(berth.logged),
    async restart() {
      await berth.close()
      berth = await open()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Starts a Berth with two accounts: Ada, an administrator, and Bob, whom Ada invited. */
export async function startTeam(rol: 'admin' | 'user' = 'user') {
  const berth = await startAuth()
  const ada = await berth.createAdmin()
  return { berth, ada, bob: await berth.join(ada.accessToken, 'bob@example.org', rol) }
}

/** Returns the body of an answer with status 200. Throws any other answer. */
function answerOf<T>({ status, body, headers }: Reply<T>): T {
  if (status === 200) return body
  throw { status, ...body, retryAfter: headers['retry-after'] }
}

export async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  const refused = await call.then(
    () => assert.fail('the call was not refused'),
    (thrown: Refused) => thrown,
  )
  assert.equal(typeof refused.status, 'number', String(refused))
  return refused
}

export const factsOf = ({ code, message }: Refused) => [code, message]
