import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matcherOf, networksOf } from '../../lib/net/egress.ts'
import { clientOf, type Connection } from './client.ts'

const isTrusted = matcherOf(networksOf('192.0.2.0/24,2001:db8:1::/48')!)
const proxy: Connection = { peer: '192.0.2.1', isEncrypted: false }
const own: Connection = { peer: null, isEncrypted: false }
type Case = [title: string, connection: Connection, headers: Record<string, string>, address: string]
const forged = { 'x-forwarded-for': '198.51.100.66', forwarded: 'for=198.51.100.66' }

const cases: Case[] = [
  ['believes no header of a stranger', { ...proxy, peer: '203.0.113.5' }, forged, '203.0.113.5'],
  ['believes no header of this machine by default', { ...proxy, peer: '127.0.0.1' }, forged, '127.0.0.1'],
  ['believes X-Forwarded-For of a trusted proxy', proxy, { 'x-forwarded-for': '203.0.113.5' }, '203.0.113.5'],
  [
    'ignores what the client itself has sent before',
    proxy,
    { 'x-forwarded-for': '10.0.0.1, 203.0.113.5' },
    '203.0.113.5',
  ],
  [
    'passes over further trusted proxies',
    proxy,
    { 'x-forwarded-for': '10.0.0.1, 203.0.113.5, 192.0.2.9' },
    '203.0.113.5',
  ],
  ['takes the first proxy if all are trusted', proxy, { 'x-forwarded-for': '192.0.2.8, 192.0.2.9' }, '192.0.2.8'],
  [
    'stops before an entry that is no address',
    proxy,
    { 'x-forwarded-for': '203.0.113.5, unknown, 192.0.2.9' },
    '192.0.2.9',
  ],
  ['takes the proxy if its only entry is no address', proxy, { 'x-forwarded-for': '<script>' }, '192.0.2.1'],
  ['takes the proxy if it sends no header', proxy, {}, '192.0.2.1'],
  ['removes the port of an address', proxy, { 'x-forwarded-for': '203.0.113.5:4711' }, '203.0.113.5'],
  ['removes brackets and the port', proxy, { 'x-forwarded-for': '[2001:db8::7]:4711' }, '2001:db8::7'],
  ['accepts IPv6 without brackets', proxy, { 'x-forwarded-for': '2001:db8:1::7, 2001:db8::7' }, '2001:db8::7'],
  [
    'knows a proxy by its mapped address',
    { ...proxy, peer: '::ffff:192.0.2.1' },
    { 'x-forwarded-for': '203.0.113.5' },
    '203.0.113.5',
  ],
  ['believes Forwarded', proxy, { forwarded: 'for=10.0.0.1, for=203.0.113.5;proto=https;by=x' }, '203.0.113.5'],
  ['reads quoted parameters', proxy, { forwarded: 'Proto=https; For="[2001:db8::7]:4711"' }, '2001:db8::7'],
  ['stops before a hidden name', proxy, { forwarded: 'for=203.0.113.5, for=_hidden' }, '192.0.2.1'],
  ['stops before an element without for', proxy, { forwarded: 'for=203.0.113.5, proto=https' }, '192.0.2.1'],
  [
    'reads no parameter inside a quoted value',
    proxy,
    { forwarded: 'by="a, for=10.0.0.1";for=203.0.113.5' },
    '203.0.113.5',
  ],
  [
    'believes no malformed Forwarded, in which a quotation mark hides the entry of the proxy',
    proxy,
    { forwarded: 'for=10.0.0.1;x=", for="[2001:db8::7]"' },
    '192.0.2.1',
  ],
  ['stops before an empty element', proxy, { forwarded: 'for=203.0.113.5, ' }, '192.0.2.1'],
  ['reads a long header', proxy, { forwarded: `${'x="\\"";'.repeat(2000)}for=203.0.113.5` }, '203.0.113.5'],
  [
    'believes both headers if they agree',
    proxy,
    { 'x-forwarded-for': '203.0.113.5', forwarded: 'for=203.0.113.5' },
    '203.0.113.5',
  ],
  [
    'believes neither header if they differ',
    proxy,
    { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=203.0.113.5' },
    '192.0.2.1',
  ],
  ["believes X-Forwarded-For of Berth's own proxy", own, { 'x-forwarded-for': '203.0.113.5' }, '203.0.113.5'],
  [
    "believes no Forwarded of its own proxy, which passes on a client's",
    own,
    { ...forged, 'x-forwarded-for': '203.0.113.5' },
    '203.0.113.5',
  ],
  [
    'passes over a trusted proxy in front of its own',
    own,
    { 'x-forwarded-for': '203.0.113.5, 192.0.2.9' },
    '203.0.113.5',
  ],
]
for (const [title, connection, headers, address] of cases) {
  test(title, () => assert.equal(clientOf(connection, headers, isTrusted).address, address))
}

test('only trusted proxies can report TLS', () => {
  const reported: [Connection, Record<string, string>, boolean][] = [
    [{ peer: '203.0.113.5', isEncrypted: false }, { 'x-forwarded-proto': 'https' }, false],
    [{ peer: '203.0.113.5', isEncrypted: true }, {}, true],
    [proxy, { 'x-forwarded-proto': 'https' }, true],
    [proxy, { 'x-forwarded-proto': 'https, http' }, false],
    [proxy, { forwarded: 'for=203.0.113.5;proto=HTTPS' }, true],
    [proxy, { forwarded: 'for=203.0.113.5;proto=http' }, false],
    [proxy, {}, false],
    [own, {}, true],
  ]
  for (const [connection, headers, expected] of reported) {
    assert.equal(clientOf(connection, headers, isTrusted).isEncrypted, expected, JSON.stringify([connection, headers]))
  }
})
