/** A Berth whose clock the test moves and that it can restart, called as the tests of auth call it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Issue } from '../../src/errors.ts'
import { operations } from '../../src/operations/index.ts'
import { installationToken, type Reply, startBerth } from '../harness.ts'

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
interface Texts { id: string; email: string; token: string; expiresAt: string | null }

/** What a call was refused with. */
export interface Refused {
  status: number
  code: string
  message: string
  issues: Issue[]
  retryAfter: string | undefined
}

type Rows = Record<string, unknown>[]

/** Nobody has an account yet; it is the start of 2030. */
export async function startAuth() {
  const folder = mkdtempSync(join(tmpdir(), 'berth-auth-'))
  let ms = Date.parse('2030-01-01T00:00:00.000Z')
  const open = () => startBerth({ folder, now: () => new Date(ms) })
  let berth = await open()
  const ada = { email: 'Ada@Example.org', password }
  const names = operations.map(({ name }) => name)
  const call = async <T = Texts>(name: string, input: Record<string, unknown>, as: string) =>
    answerOf(await berth.call<T>(name, input, as))
  const rows = (table: 'account' | 'token' | 'attempt'): Promise<Rows> =>
    berth.app.db.selectFrom(table).selectAll().execute()

  const close = async () => {
    await berth.close()
    rmSync(folder, { recursive: true })
  }

  return {
    folder, names, installationToken, call, rows,
    pass(passedMs: number) { ms += passedMs },
    createAdmin: (given = {}) => call<Session>('auth.createAdmin', { ...ada, ...given }, installationToken),
    login: (given = {}) => call<Session>('auth.login', { ...ada, ...given }, installationToken),
    async loginFrom(remoteAddress: string) {
      const headers = { authorization: `Bearer ${installationToken}` }
      return berth.server.inject({ method: 'POST', url: '/api/auth.login', remoteAddress, headers, payload: ada })
    },
    async everything(): Promise<Record<'account' | 'token' | 'attempt', Rows>> {
      return { account: await rows('account'), token: await rows('token'), attempt: await rows('attempt') }
    },
    setPasswordHash: (passwordHash: string) =>
      berth.app.transact((tx) => tx.updateTable('account').set({ passwordHash }).execute()),
    logged: () => JSON.stringify(berth.logged),
    async restart() { await berth.close(); berth = await open() },
    close, [Symbol.asyncDispose]: close,
  }
}

/** The body of a 200; throws what else was answered. */
function answerOf<T>({ status, body, headers }: Reply<T>): T {
  if (status === 200) return body
  throw { status, ...body, retryAfter: headers['retry-after'] }
}

export async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  const refused = await call.then(() => assert.fail('it was not refused'), (thrown: Refused) => thrown)
  assert.equal(typeof refused.status, 'number', String(refused))
  return refused
}

export const factsOf = ({ code, message }: Refused) => [code, message]
