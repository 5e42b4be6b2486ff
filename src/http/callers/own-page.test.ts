import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { Refusal } from '../../errors.ts'
import { checkOwnPage, isSecure, type Sender } from './own-page.ts'

const hostNames = new Set(['berth.example.org'])
const host = 'berth.example.org'
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

/** The result of the check: 'own', or the refusal's message. */
function resultOf(headers: IncomingHttpHeaders, rest: Partial<Sender> = {}): string {
  try {
    checkOwnPage(hostNames, { method: 'POST', isEncrypted: false, headers: { host, ...headers }, ...rest })
    return 'own'
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'FORBIDDEN', String(error))
    return error.message
  }
}

const get = { method: 'GET' }
const tls = { isEncrypted: true }

test('a change needs the own origin', () => {
  const own: [IncomingHttpHeaders, Partial<Sender>?][] = [
    [{ origin: 'http://berth.example.org' }],
    [{ origin: 'http://berth.example.org', ...sameOrigin }],
    [{ origin: 'https://berth.example.org', ...sameOrigin }],
    [{ origin: 'https://berth.example.org' }, tls],
    [{ origin: 'https://berth.example.org' }],
    [{ origin: 'https://berth.example.org', host: 'berth.example.org:443' }],
    [{ origin: 'http://berth.example.org', host: 'Berth.example.org:80' }],
    [{ origin: 'https://berth.example.org:8443', host: 'berth.example.org:8443' }],
    [{ origin: 'https://berth.example.org.', host: 'berth.example.org.' }],
    [{ origin: 'http://[::1]:3000', host: '[0:0:0:0:0:0:0:1]:3000' }],
    [{ origin: 'http://192.0.2.7:3000', host: '192.0.2.7:3000' }],
  ]
  for (const [headers, rest] of own) assert.equal(resultOf(headers, rest), 'own', JSON.stringify(headers))
})

test('a change of another page is refused', () => {
  const foreign: [IncomingHttpHeaders, Partial<Sender>?][] = [
    [{}],
    [sameOrigin],
    [{ 'berth-session': 'cookie' }],
    [{ origin: '' }],
    [{ origin: 'null' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'https://shop.example.org', 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://berth.example.org', 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://berth.example.org', 'sec-fetch-site': 'cross-site' }],
    [{ origin: 'https://berth.example.org', 'sec-fetch-site': 'none' }],
    [{ origin: 'https://berth.example.org', 'sec-fetch-site': '' }],
    [{ origin: 'https://berth.example.org:8443' }],
    [{ origin: 'http://berth.example.org:8080', host: 'berth.example.org:3000' }],
    [{ origin: 'http://berth.example.org' }, tls],
    [{ origin: 'ftp://berth.example.org' }],
    [{ origin: 'http://berth.example.org/path' }],
    [{ origin: 'http://evil.example@berth.example.org' }],
    [{ origin: 'http:\\\\berth.example.org' }],
    [{ origin: 'http://berth.example.org, http://evil.example' }],
    [{ origin: 'berth.example.org' }],
    [{ origin: 'https://berth.example.org.evil.example' }],
    [{ origin: 'http://evil.example', host: 'evil.example' }],
    [{ origin: 'http://berth.example.org', host: undefined }],
  ]
  for (const [headers, rest] of foreign) assert.notEqual(resultOf(headers, rest), 'own', JSON.stringify(headers))
})

test('a read needs the own origin, Sec-Fetch-Site or, where browsers send neither, a header of the client', () => {
  const own: IncomingHttpHeaders[] = [
    sameOrigin,
    { origin: 'http://berth.example.org' },
    { 'berth-session': 'cookie' },
    { 'berth-session': 'cookie', ...sameOrigin },
  ]
  for (const headers of own) assert.equal(resultOf(headers, get), 'own', JSON.stringify(headers))
  const foreign: IncomingHttpHeaders[] = [
    {},
    { 'berth-session': 'yes' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'none', 'berth-session': 'cookie' },
    { 'sec-fetch-site': 'same-site', 'berth-session': 'cookie' },
    { 'sec-fetch-site': 'cross-site' },
    { ...sameOrigin, origin: 'http://evil.example' },
    { ...sameOrigin, host: 'evil.example' },
  ]
  for (const headers of foreign) assert.notEqual(resultOf(headers, get), 'own', JSON.stringify(headers))
})

test('a refusal says which header is wrong', () => {
  assert.match(resultOf({ origin: 'https://evil.example' }), /page is of https:\/\/evil\.example, .* as berth\.example/)
  assert.match(resultOf({}), /Origin is missing/)
  assert.match(resultOf({ 'sec-fetch-site': 'same-site' }), /Sec-Fetch-Site is same-site/)
  assert.match(resultOf({}, get), /neither Origin nor Sec-Fetch-Site/)
  assert.match(resultOf({ host: 'evil.example' }), /BERTH_HOSTS/)
})

test('a page is secure if it came over TLS or says so', () => {
  const secureOf = (headers: IncomingHttpHeaders, isEncrypted = false) =>
    isSecure({ method: 'POST', headers, isEncrypted })
  assert.deepEqual(
    [
      secureOf({}),
      secureOf({ origin: 'http://berth.example.org' }),
      secureOf({ origin: 'https://berth.example.org' }),
      secureOf({ 'x-forwarded-proto': 'https' }),
      secureOf({}, true),
    ],
    [false, false, true, false, true],
  )
})
