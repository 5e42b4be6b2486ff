/** A Berth for account tests: its clock can be moved and it can be restarted. */
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

/** What the other operations answer, in one. */
interface Texts {
  id: string
  email: string
  token: string
  expiresAt: string | null
}

/** What a call was refused with. */
export interface Refused {
  status: number
  code: string
  message: string
  issues: Issue[]
  retryAfter: string | undefined
}

type Input = Record<string, unknown>
type Row = Record<string, unknown>
type Rows = Row[]

/** What a refused call must leave as it was. */
const tables = ['account', 'token', 'attempt', 'invitation', 'recoveryCode'] as const
type Table = (typeof tables)[number]

/** What may change with a call that is refused: the notes of use and of tries. */
const notes = { lastUsedAt: null, lastSeenAt: null, attempts: null }

/** A second factor as its owner has it. */
export interface Factor {
  secret: string
  recoveryCodes: string[]
}

/** Nobody has an account yet; it is the start of 2030. */
export async function startAuth() {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  let ms = Date.parse('2030-01-01T00:00:00.000Z')
  let beforeVerify = () => Promise.resolve()
  const passwords: Passwords = {
    ...lightPasswords,
    async verify(stored, tried) {
      await beforeVerify()
      return lightPasswords.verify(stored, tried)
    },
  }
  const open = () => startBerth({ folder, now: () => new Date(ms), passwords })
  let berth = await open()
  end.defer(() => berth.close())
  const ada = { email: 'Ada@Example.org', password }
  const names = operations.map(({ name }) => name)
  const call = async <T = Texts>(name: string, input: Input, as: string, headers: Record<string, string> = {}) =>
    answerOf(await berth.call<T>(name, input, as, headers))
  const rows = (table: Table | 'audit' | 'idempotency'): Promise<Rows> =>
    berth.app.db.selectFrom(table).selectAll().execute()
  const everything = async () =>
    Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await rows(table)] as const))) as Record<
      Table,
      Rows
    >
  const apartFromNotes = async () =>
    Object.entries({ ...(await everything()), attempt: [] }).map(([table, found]) => [
      table,
      found.map((row) => ({ ...row, ...notes })),
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
    /** With the headers of the answer, whatever it is. */
    reply: <T = Row>(name: string, input: Input, as: string | null, headers = {}) =>
      berth.call<T>(name, input, as, headers),
    /** A change that is asked for from somewhere else. */
    async callFrom(remoteAddress: string, name: string, payload: Input, as: string): Promise<number> {
      const [url, headers] = [`/api/${name}`, { authorization: `Bearer ${as}` }]
      return (await berth.server.inject({ method: 'POST', url, remoteAddress, headers, payload })).statusCode
    },
    /** A call that must be refused, and that writes nothing but notes, tries and its entry in the audit log. */
    async refused(code: Code, name: string, input: Input, as: string): Promise<Refused> {
      const before = await apartFromNotes()
      const refusal = await refusalOf(call(name, input, as))
      assert.deepEqual([refusal.status, refusal.code], [statusOf[code], code], `${name}: ${refusal.message}`)
      assert.deepEqual(await apartFromNotes(), before, `${name} wrote`)
      return refusal
    },
    /** Somebody new, by invitation. */
    async join(inviter: string, email: string, rol: 'admin' | 'user' = 'user'): Promise<Session> {
      const { id, token } = await call('user.invite', { email, rol }, inviter)
      return call<Session>('auth.createUser', { id, token, password }, token)
    },
    /** The second factor, as of the step before: the code of now is still to be used. */
    async turnOn(as: string): Promise<Factor> {
      const { secret } = await call<Factor>('auth.generate2FASecret', {}, as)
      const { recoveryCodes } = await call<Factor>('auth.verify2FASetup', { secret, pin: codeOf(secret, -1) }, as)
      return { secret, recoveryCodes }
    },
    createAdmin: (given = {}) => call<Session>('auth.createAdmin', { ...ada, ...given }, installationToken),
    login: (given = {}) => call<Session>('auth.login', { ...ada, ...given }, installationToken),
    async loginFrom(remoteAddress: string, given = {}, as = installationToken) {
      const [headers, payload] = [{ authorization: `Bearer ${as}` }, { ...ada, ...given }]
      return berth.server.inject({ method: 'POST', url: '/api/auth.login', remoteAddress, headers, payload })
    },
    /** The next verification of a password begins with the stored hash; before it ends, all accounts get this one. */
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

/** With Ada, the administrator, and Bob, whom she invited. */
export async function startTeam(rol: 'admin' | 'user' = 'user') {
  const berth = await startAuth()
  const ada = await berth.createAdmin()
  return { berth, ada, bob: await berth.join(ada.accessToken, 'bob@example.org', rol) }
}

/** The body of a 200; throws what else was answered. */
function answerOf<T>({ status, body, headers }: Reply<T>): T {
  if (status === 200) return body
  throw { status, ...body, retryAfter: headers['retry-after'] }
}

export async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  const refused = await call.then(
    () => assert.fail('it was not refused'),
    (thrown: Refused) => thrown,
  )
  assert.equal(typeof refused.status, 'number', String(refused))
  return refused
}

export const factsOf = ({ code, message }: Refused) => [code, message]
