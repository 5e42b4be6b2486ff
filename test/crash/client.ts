/**
 * Who calls a Berth that is killed at any instant. A call was answered, refused, or cut off: then it may have counted
 * or not. Some calls carry an Idempotency-Key; of these some that were cut off are repeated when Berth is there again.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { isGet } from '../fixtures/gets.ts'
import { secretLeaks } from '../fixtures/secret-leaks.ts'
import type { Random } from './random.ts'

export type Fields = Record<string, unknown>
export type Outcome<T = Fields> =
  | { is: 'done'; body: T }
  | { is: 'refused'; status: number; message: string }
  | { is: 'cut' }

/** How often an operation was answered with 200, and how often it was cut off and not asked about again. */
export interface Tally {
  done: number
  cut: number
}

export type Client = ReturnType<typeof clientOf>

interface Kept {
  name: string
  input: Fields
  key: string
  body: unknown
}
export interface Told {
  token?: string
  neverKeyed?: boolean
}

/** What changes nothing is not in the audit log. */
const unnoted = /\.(?:test[A-Z]|verifyToken)/
const answerMs = 120_000

/** Of the administrator, unless `token` says another. */
export function clientOf(base: string, seed: number, random: Random) {
  const tallies = new Map<string, Tally>()
  const kept: Kept[] = []
  const notes: string[] = []
  const spoken = secretLeaks()
  let up = true
  let back = Promise.withResolvers<void>()
  let token = ''
  let keys = 0
  return {
    tallies,
    notes,
    spoken,
    call,
    read,
    repeatAnswered,
    signedIn: (by: string) => {
      token = by
    },
    isUp: () => up,
    /** The plug is about to be pulled: what fails from now on was cut off. */
    cut() {
      up = false
    },
    /** Berth is there again: those who repeat their calls do. */
    async revive(done: () => Promise<unknown>) {
      back.resolve()
      back = Promise.withResolvers()
      await done()
      up = true
    },
  }

  async function call<T = Fields>(name: string, input: Fields, told: Told = {}): Promise<Outcome<T>> {
    const isKeyed = random.chance(50) && told.neverKeyed !== true
    const repeats = random.chance(75)
    const key = isKeyed ? `crash ${seed} ${++keys}` : null
    spoken.hear(input)
    const outcome = await once<T>(name, input, key, told.token ?? token)
    if (key !== null && outcome.is === 'done' && told.token === undefined) {
      kept.push({ name, input, key, body: outcome.body })
    }
    const final =
      outcome.is === 'cut' && key !== null && repeats ? await repeat<T>(name, input, key, told.token ?? token) : outcome
    count(name, final)
    return final
  }

  /** Whatever became of the first one: now it has counted once, or is refused as if it had never come. */
  async function repeat<T>(name: string, input: Fields, key: string, by: string): Promise<Outcome<T>> {
    await back.promise
    const outcome = await once<T>(name, input, key, by)
    const again = await once<T>(name, input, key, by)
    assert.notEqual(outcome.is, 'cut')
    if (outcome.is === 'done') assert.deepEqual(again, outcome, `${name}, asked twice more under its key`)
    return outcome
  }

  /** A few of the answered calls once more: they get the answer that they got, and nothing happens. */
  async function repeatAnswered() {
    for (let left = 3; left > 0 && kept.length > 0; left--) {
      const { name, input, key, body } = random.pick(kept)
      const again = await once(name, input, key, token)
      assert.deepEqual(again, { is: 'done', body }, `${name} under a key that was answered before`)
    }
  }

  async function once<T>(name: string, input: Fields, key: string | null, by: string): Promise<Outcome<T>> {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
    try {
      const { status, body } = await send<T & { message: string }>(name, input, by, headers)
      assert.notEqual(status, 500, `${name} answered 500`)
      spoken.hear(body)
      note(`${name} ${JSON.stringify(input)} -> ${status} ${status === 200 ? '' : body.message}`)
      return status === 200 ? { is: 'done', body } : { is: 'refused', status, message: body.message }
    } catch (error) {
      if (up || error instanceof assert.AssertionError) throw error
      note(`${name} ${JSON.stringify(input)} -> cut off`)
      return { is: 'cut' }
    }
  }

  async function send<T>(name: string, input: Fields, by: string, headers: Record<string, string> = {}) {
    const isRead = isGet(name)
    const query = isRead ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
    const response = await fetch(`${base}/api/${name}${query}`, {
      method: isRead ? 'GET' : 'POST',
      signal: AbortSignal.timeout(answerMs),
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json', ...headers },
      ...(isRead ? {} : { body: JSON.stringify(input) }),
    })
    return { status: response.status, body: (await response.json()) as T }
  }

  /** While Berth is up. Null: there is no such record. */
  async function read<T = Fields>(name: string, input: Fields = {}, by = token): Promise<T | null> {
    const { status, body } = await send<T>(name, input, by)
    assert.ok(status === 200 || status === 404, `${name} ${JSON.stringify(input)}: ${status} ${JSON.stringify(body)}`)
    return status === 200 ? body : null
  }

  function count(name: string, { is }: Outcome<unknown>) {
    if (unnoted.test(name) || is === 'refused') return
    const counts = tallies.get(name) ?? { done: 0, cut: 0 }
    tallies.set(name, { ...counts, [is]: counts[is] + 1 })
  }

  function note(text: string) {
    notes.push(`${new Date().toISOString().slice(11, 23)} ${text}`.slice(0, 250))
  }
}

/** Without those that are equal to one before. */
export function distinct<T>(list: readonly T[]): T[] {
  return list.filter((it, at) => list.findIndex((before) => isDeepStrictEqual(before, it)) === at)
}
