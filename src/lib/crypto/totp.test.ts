/** Tests codes with the vectors of RFC 6238, the allowed drift, and secrets as people type them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretBits, codeAt, newSecret, otpauthUrl, plainOf, stepOf } from './totp.ts'

/** "12345678901234567890" in base32: the secret of RFC 6238 appendix B for SHA-1. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** The RFC has codes of eight digits. Codes of six digits are the last six of these. */
const vectors: [seconds: number, code: string][] = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
]
for (const [seconds, code] of vectors) {
  test(`RFC 6238 appendix B: ${code} at ${seconds} s`, () => {
    const at = new Date(seconds * 1000)
    assert.equal(codeAt(secret, at), code.slice(-6))
    assert.equal(stepOf(secret, code.slice(-6), at), Math.floor(seconds / 30))
  })
}

test('accepts a code one step early or late, and not two steps', () => {
  const now = new Date(1_900_000_000_000)
  const step = Math.floor(now.getTime() / 30_000)
  const steps = [-3, -2, -1, 0, 1, 2, 3].map((by) =>
    stepOf(secret, codeAt(secret, new Date(now.getTime() + by * 30_000)), now),
  )
  assert.deepEqual(steps, [null, null, step - 1, step, step + 1, null, null])
})

test('the code stays the same from the first to the last millisecond of a step', () => {
  const code = codeAt(secret, new Date(600_000))
  assert.equal(codeAt(secret, new Date(629_999)), code)
  assert.notEqual(codeAt(secret, new Date(630_000)), code)
})

test('accepts only six ASCII digits', () => {
  const now = new Date(59_000)
  assert.equal(stepOf(secret, '287082', now), 1)
  const others = [
    '',
    '28708',
    '2870820',
    '94287082',
    ' 287082',
    '287082\n',
    '287 82',
    '-87082',
    '2.7082',
    '0x2870',
    '２８７０８２',
    '٢٨٧٠٨٢',
    '28708\0',
    'abcdef',
    '\ud800',
  ]
  for (const other of others) assert.equal(stepOf(secret, other, now), null, JSON.stringify(other))
})

test('refuses the codes of an all-zero secret, a short secret and a longer secret', () => {
  const now = new Date(59_000)
  for (const other of ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'AA', `${secret}BB`]) {
    assert.equal(stepOf(secret, codeAt(other, now), now), null)
  }
})

test('new secrets have 160 bits of base32 and differ from each other', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  for (const each of secrets) {
    assert.match(each, /^[A-Z2-7]{32}$/)
    assert.equal(secretBits(each), 160)
  }
  assert.equal(new Set(secrets).size, 100)
})

test('accepts secrets in the form that apps show', () => {
  const grouped = [secret.replace(/.{4}/g, '$& '), secret.replace(/.{4}/g, '$&-')]
  for (const typed of [...grouped, secret.toLowerCase(), `${secret}==`]) {
    assert.equal(plainOf(typed), secret)
    assert.equal(secretBits(typed), 160)
  }
})

test('counts the bits of a secret in whole bytes, and returns null for other text', () => {
  assert.deepEqual(['A', 'AA', 'AAAA', secret.slice(1), `${secret}A`].map(secretBits), [0, 8, 16, 152, 160])
  for (const none of ['', ' ', '==', 'A1', 'A8', 'Ä', 'A\0', '********', 'a_b']) assert.equal(secretBits(none), null)
})

test('the URL for the app names the account and the parameters', () => {
  const url = new URL(otpauthUrl(secret, 'ada+b&c=d@example.org'))
  assert.deepEqual(
    [url.protocol, url.host, decodeURIComponent(url.pathname)],
    ['otpauth:', 'totp', '/Berth:ada+b&c=d@example.org'],
  )
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    issuer: 'Berth',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
