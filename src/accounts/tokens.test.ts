/** The format of tokens, and when they expire. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf, idleMs, isExpired, newToken } from './tokens.ts'

const now = new Date('2030-01-31T00:00:00.000Z')
const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
const fresh = { attempts: 0, expiresAt: at(1), lastUsedAt: at(0) }

test('a token has the prefix of its kind and 256 random bits', () => {
  const prefixes = { installation: 'inst', invitation: 'invt', challenge: '2fa', session: 'sess', api: 'api' } as const
  for (const [kind, prefix] of Object.entries(prefixes)) {
    const tokens = Array.from({ length: 50 }, () => newToken(kind as keyof typeof prefixes))
    for (const token of tokens) assert.match(token, new RegExp(`^berth_${prefix}_[\\w-]{43}$`))
    assert.equal(new Set(tokens).size, 50)
  }
})

test('the hash is SHA-256 in hexadecimal', () => {
  assert.equal(hashOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

for (const kind of ['session', 'api', 'challenge'] as const) {
  test(`a token of kind ${kind} expires exactly at expiresAt`, () => {
    assert.equal(isExpired({ ...fresh, kind }, now), false)
    for (const ms of [0, -1]) assert.equal(isExpired({ ...fresh, kind, expiresAt: at(ms) }, now), true)
  })
}

test('a session expires after 7 days and 10 minutes without recorded use; an API token does not', () => {
  const unused = (kind: 'session' | 'api', ms: number) => isExpired({ ...fresh, kind, lastUsedAt: at(-ms) }, now)
  const limit = idleMs + 10 * 60_000
  assert.deepEqual(
    [unused('session', limit - 1), unused('session', limit), unused('api', 100 * limit)],
    [false, true, false],
  )
  assert.equal(isExpired({ ...fresh, kind: 'api', expiresAt: null }, now), false)
})

test('a challenge expires with its fifth attempt', () => {
  const expired = [0, 4, 5, 6].map((attempts) => isExpired({ ...fresh, kind: 'challenge', attempts }, now))
  assert.deepEqual(expired, [false, false, true, true])
})
