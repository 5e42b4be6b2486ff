/**
 * The client of a Berth that may be killed at any time. A call is acknowledged, refused, or cut off. A call that was
 * cut off may or may not have taken effect. Some calls have an Idempotency-Key. If one of these is cut off, the client
 * may repeat the call after the restart.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { compareData } from '../fixtures/compare-data.ts'
import { isGet } from '../fixtures/get-operations.ts'
import { secretLeaks } from '../fixtures/secret-leaks.ts'
import type { Random } from './random.ts'

export type Fields = Record<string, unknown>
export type Outcome<T = Fields> =
  | { result: 'done'; body: T }
  | { result: 'refused'; status: number; message: string }
  | { result: 'cut' }

/** How many calls of an operation were acknowledged, and how many were cut off and not repeated. */
export interface CallCounts {
  done: number
  cut: number
}

export type Client = ReturnType<typeof clientOf>

interface AnsweredCall {
  name: string
  input: Fields
  key: string
  body: unknown
}
export interface CallOptions {
  token?: string
  neverKeyed?: boolean
}

/** Operations that change nothing and are not in the audit log. */
const unaudited = /\.(?:test[A-Z]|verifyToken)/
const answerMs = 120_000

/** Creates a client. Calls use the administrator's token unless the call options have another token. */
export function clientOf(base: string, seed: number, random: Random) {
  const callCounts = new Map<string, CallCounts>()
  const answered: AnsweredCall[] = []
  const callLog: string[] = []
  const leaks = secretLeaks()
  let isBerthUp = true
  let restarted = Promise.withResolvers<void>()
  let token = ''
  let keys = 0
  return {
    callCounts,
    callLog,
    leaks,
    call,
    read,
    repeatAnswered,
    count,
    signedIn: (accessToken: string) => {
      token = accessToken
    },
    /** The URL and the token, for connections other than calls. */
    address: (): [base: string, token: string] => [base, token],
    isUp: () => isBerthUp,
    /** Call this before a kill: calls that fail from now on were cut off. */
    expectCut() {
      isBerthUp = false
    },
    /**
     * Call this after a restart: calls that were cut off are repeated.
     * @param untilRepeated waits for these calls
     */
    async afterRestart(untilRepeated: () => Promise<unknown>) {
      restarted.resolve()
      restarted = Promise.withResolvers()
      await untilRepeated()
      isBerthUp = true
    },
  }

  async function call<T = Fields>(name: string, input: Fields, options: CallOptions = {}): Promise<Outcome<T>> {
    const isKeyed = random.chance(50) && options.neverKeyed !== true
    const repeats = random.chance(75)
    const key = isKeyed ? `crash ${seed} ${++keys}` : null
    leaks.collect(input)
    const outcome = await callOnce<T>(name, input, key, options.token ?? token)
    if (key !== null && outcome.result === 'done' && options.token === undefined) {
      answered.push({ name, input, key, body: outcome.body })
    }
    const final =
      outcome.result === 'cut' && key !== null && repeats
        ? await repeat<T>(name, input, key, options.token ?? token)
        : outcome
    count(name, final)
    return final
  }

  /** Repeats a call that was cut off. The call takes effect once in total, or is refused like a first call. */
  async function repeat<T>(name: string, input: Fields, key: string, accessToken: string): Promise<Outcome<T>> {
    await restarted.promise
    const outcome = await callOnce<T>(name, input, key, accessToken)
    const again = await callOnce<T>(name, input, key, accessToken)
    assert.notEqual(outcome.result, 'cut')
    if (outcome.result === 'done')
      await compareData(`${name}, repeated twice with its key`, () => assert.deepEqual(again, outcome))
    return outcome
  }

  /** Repeats some acknowledged calls. Each returns its first response, and does not take effect again. */
  async function repeatAnswered() {
    for (let left = 3; left > 0 && answered.length > 0; left--) {
      const { name, input, key, body } = random.pick(answered)
      const again = await callOnce(name, input, key, token)
      assert.deepEqual(again, { result: 'done', body }, `${name} with the key of an acknowledged call`)
    }
  }

  async function callOnce<T>(
    name: string,
    input: Fields,
    key: string | null,
    accessToken: string,
  ): Promise<Outcome<T>> {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
    const answer = await send<T & { message: string }>(name, input, accessToken, headers).catch((error: unknown) => {
      if (isBerthUp) throw error
      return null
    })
    if (answer === null) {
      log(`${name} ${JSON.stringify(input)} -> cut off`)
      return { result: 'cut' }
    }
    const { status, body } = answer
    await compareData('a call', () => assert.notEqual(status, 500, `${name} answered 500`))
    leaks.collect(body)
    log(`${name} ${JSON.stringify(input)} -> ${status} ${status === 200 ? '' : body.message}`)
    return status === 200 ? { result: 'done', body } : { result: 'refused', status, message: body.message }
  }

  async function send<T>(name: string, input: Fields, accessToken: string, headers: Record<string, string> = {}) {
    const isQuery = isGet(name)
    const query = isQuery ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
    const response = await fetch(`${base}/api/${name}${query}`, {
      method: isQuery ? 'GET' : 'POST',
      signal: AbortSignal.timeout(answerMs),
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...headers },
      ...(isQuery ? {} : { body: JSON.stringify(input) }),
    })
    return { status: response.status, body: (await response.json()) as T }
  }

  /** Makes a query while Berth is running. Returns null if Berth answers 404. */
  async function read<T = Fields>(name: string, input: Fields = {}): Promise<T | null> {
    const { status, body } = await send<T>(name, input, token)
    assert.ok(status === 200 || status === 404, `${name} ${JSON.stringify(input)}: ${status} ${JSON.stringify(body)}`)
    return status === 200 ? body : null
  }

  function count(name: string, { result }: Outcome<unknown>) {
    if (unaudited.test(name) || result === 'refused') return
    const counts = callCounts.get(name) ?? { done: 0, cut: 0 }
    callCounts.set(name, { ...counts, [result]: counts[result] + 1 })
  }

  function log(text: string) {
    callLog.push(`${new Date().toISOString().slice(11, 23)} ${text}`.slice(0, 250))
  }
}

/** Returns the list without duplicates. */
export function distinct<T>(list: readonly T[]): T[] {
  return list.filter((it, index) => list.findIndex((other) => isDeepStrictEqual(other, it)) === index)
}
