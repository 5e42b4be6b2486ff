/** Sessions in a cookie, as a page of Berth has them. A session works from the answer with its cookie until its end. */
import assert from 'node:assert/strict'
import { compareData } from '../fixtures/compare-data.ts'
import type { Administrator } from './accounts.ts'
import type { CrashBerth } from './berth.ts'
import type { Outcome } from './client.ts'
import type { Group } from './group.ts'
import type { Random } from './random.ts'

interface Session {
  cookie: string
  /** 'unknown': the call that ends the session was cut off. */
  state: 'open' | 'ended' | 'unknown'
}

const maxSessions = 6
const answerMs = 120_000

/** @param signIn the input of auth.signIn */
export function cookiesOf({ client, berth: { base } }: CrashBerth, signIn: Administrator): Group {
  let sessions: Session[] = []
  return { name: 'cookies', calls, compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const open = sessions.filter(({ state }) => state === 'open')
    if (open.length === 0 || (open.length < maxSessions && random.chance(50))) return enter()
    const session = random.pick(open)
    if (random.chance(50)) return check(session, [200])
    const outcome = await send('auth.logout', {}, session.cookie)
    assert.notEqual(outcome.result, 'refused', JSON.stringify(outcome))
    session.state = outcome.result === 'done' ? 'ended' : 'unknown'
    if (outcome.result === 'done') assert.equal(outcome.body, 'berth=', 'the cookie after auth.logout')
  }

  /** The sign-in may be refused with 429, because earlier calls that were cut off count as attempts. */
  async function enter(): Promise<void> {
    const outcome = await send('auth.signIn', { ...signIn, cookie: true }, '')
    if (outcome.result === 'refused') assert.equal(outcome.status, 429, outcome.message)
    if (outcome.result !== 'done') return
    assert.match(outcome.body, /^berth=berth_sess_/)
    client.leaks.collect({ token: outcome.body.slice('berth='.length) })
    sessions.push({ cookie: outcome.body, state: 'open' })
  }

  async function compare(): Promise<void> {
    for (const session of sessions)
      await check(session, { open: [200], ended: [401], unknown: [200, 401] }[session.state])
    sessions = sessions.filter(({ state }) => state !== 'ended').map(({ cookie }) => ({ cookie, state: 'open' }))
  }

  /** Reads the own account. A session that is no longer accepted has ended. */
  async function check(session: Session, expected: number[]): Promise<void> {
    const outcome = await send('auth.get', null, session.cookie)
    if (outcome.result === 'cut') return
    const status = outcome.result === 'done' ? 200 : outcome.status
    await compareData('sessions in cookies', () =>
      assert.ok(expected.includes(status), `a session that is ${session.state} was answered ${status}`),
    )
    if (status === 401) session.state = 'ended'
  }

  /** Calls as a page does. `input` null: a read. The body of the outcome is the cookie that the answer sets, or ''. */
  async function send(name: string, input: object | null, cookie: string): Promise<Outcome<string>> {
    const outcome = await sendOnce(name, input, cookie).catch((error: unknown): Outcome<string> => {
      if (client.isUp()) throw error
      return { result: 'cut' }
    })
    if (input !== null) client.count(name, outcome)
    return outcome
  }

  async function sendOnce(name: string, input: object | null, cookie: string): Promise<Outcome<string>> {
    const change = { method: 'POST', body: JSON.stringify(input) }
    const response = await fetch(`${base}/api/${name}`, {
      ...(input === null ? {} : change),
      headers: { 'content-type': 'application/json', origin: base, cookie },
      signal: AbortSignal.timeout(answerMs),
    })
    const { message = '' } = (await response.json()) as { message?: string }
    if (!response.ok) return { result: 'refused', status: response.status, message }
    return { result: 'done', body: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '' }
  }
}
