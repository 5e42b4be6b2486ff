/** Parsing and describing certificates with their keys, the messages of refusals, renewal, and relative paths. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import * as samples from '../../../test/fixtures/certificate-samples.ts'
import { daysLeft, describeChain, readPair, relativePathFault, renewalFault, renewFrom } from './certificate.ts'

const { leaf, intermediate, root, leafKey } = samples
const now = new Date('2026-03-01T12:00:00Z')

const oneOf = (pem: string) => new X509Certificate(pem)

const faultOf = (chain: string, key: string, at = now): string => {
  const pair = readPair(chain, key, at)
  return 'message' in pair ? `${pair.path}: ${pair.message}` : 'none'
}

test('names the issuer that is missing in a chain', () => {
  const missingIn = (chain: string) => describeChain(chain)?.missingIssuer
  assert.equal(missingIn(leaf), 'CN=middle.example')
  assert.equal(missingIn(leaf + intermediate), oneOf(intermediate).issuer)
  assert.equal(missingIn(leaf + intermediate + root), null)
  assert.equal(missingIn(rootCertificates[0]!), null)
})

test('describes a pair, and serializes it again', () => {
  const comment = 'subject=CN = a.example\n{file./etc/passwd}\n'
  const pair = readPair(`${comment}${leaf}\r\n${comment}${intermediate}`, samples.leafKeySec1, now)
  assert.ok(!('message' in pair), JSON.stringify(pair))
  assert.deepEqual([pair.subject, pair.issuer, pair.keyType], ['CN=a.example', 'CN=middle.example', 'ec prime256v1'])
  assert.deepEqual(pair.names, ['a.example', '*.a.example', '192.0.2.1', '2001:db8:0:0:0:0:0:1'])
  assert.deepEqual(
    [pair.notBefore, pair.notAfter].map((time) => time.toISOString()),
    ['2026-01-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
  )
  assert.match(pair.fingerprint256, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  assert.match(pair.serialNumber, /^[0-9A-F]+$/)
  assert.equal(pair.chain, leaf + intermediate, 'only the PEM blocks, without the text between them')
  assert.equal(pair.key, leafKey)
  const { chain, key: _, ...described } = pair
  assert.deepEqual(describeChain(chain), described)
  assert.equal(describeChain('x'), null)
})

test('reads a PEM text that editors, chats and YAML files have changed', () => {
  const changes: ((pem: string) => string)[] = [
    (pem) => `\ufeff${pem.replaceAll('\n', '\r\n')}`,
    (pem) => pem.replaceAll('\n', '\r'),
    (pem) => pem.replaceAll('\n', '\n\t  '),
    (pem) => pem.replaceAll('\n', '\n\n'),
    (pem) => pem.replaceAll('\n', ' '),
  ]
  for (const change of changes) {
    const pair = readPair(change(leaf + intermediate), change(leafKey), now)
    assert.ok(!('message' in pair), JSON.stringify(pair))
    assert.deepEqual([pair.chain, pair.key], [leaf + intermediate, leafKey])
  }
})

test('refuses a PEM text without certificates, with a damaged one, or with anything else', () => {
  const broken = leaf.replace(/[A-Za-z0-9]{20}/, 'AAAAAAAAAAAAAAAAAAAA')
  const cases: [string, RegExp][] = [
    ['', /must contain a certificate/],
    ['hello', /must contain a certificate/],
    [leafKey, /must contain only certificates, but contains a PRIVATE KEY/],
    [leaf + leafKey, /must contain only certificates, but contains a PRIVATE KEY/],
    [broken, /Certificate 1 cannot be parsed/],
    [leaf + broken, /Certificate 2 cannot be parsed/],
    [`${leaf}and more`, /text after the last certificate: "and/],
    [leaf.replace('-----END', '----END'), /must contain a certificate/],
    [leaf.repeat(200), /longer than 64 KiB/],
  ]
  for (const [chain, expected] of cases) assert.match(faultOf(chain, leafKey), expected)
  for (const [chain] of cases) assert.match(faultOf(chain, leafKey), /^certificateData: /)
})

test('refuses a PEM text without a key, with an encrypted or damaged one, or with anything else', () => {
  const cases: [string, RegExp][] = [
    ['', /must contain a private key/],
    [leaf, /must contain a private key/],
    [samples.leafKeyEncrypted, /encrypted/],
    [leafKey.replace('\n', '\nProc-Type: 4,ENCRYPTED\n'), /encrypted/],
    [leafKey + leafKey, /only one PEM block/],
    [leafKey + leaf, /only one PEM block/],
    [`${leafKey}x`, /no text after the key/],
    ['x'.repeat(65_537), /64 KiB/],
    [leafKey.replace(/\n.{30}/, `\n${'A'.repeat(30)}`), /cannot be parsed/],
  ]
  for (const [key, expected] of cases) assert.match(faultOf(leaf, key), expected)
  for (const [key] of cases) assert.match(faultOf(leaf, key), /^privateKey: /)
})

test('refuses chains out of order, keys of other certificates, and a certificate without host names', () => {
  assert.match(faultOf(leaf, samples.otherKey), /^privateKey: The key does not belong to the certificate/)
  assert.match(
    faultOf(leaf + intermediate, samples.intermediateKey),
    /^privateKey: The key belongs to certificate 2 of the chain/,
  )
  assert.match(
    faultOf(intermediate + leaf, leafKey),
    /certificate 1 was not issued by certificate 2; its issuer is CN=root\.example/,
  )
  assert.match(
    faultOf(leaf + root + intermediate, leafKey),
    /certificate 1 was not issued by certificate 2; its issuer is certificate 3/,
  )
  assert.match(faultOf(leaf + leaf, leafKey), /out of order/)
  assert.equal(faultOf(leaf + intermediate + root, leafKey), 'none')
  assert.match(faultOf(samples.nameless, samples.namelessKey), /^certificateData: The certificate has no host names/)
})

test('refuses an expired certificate and a certificate that is not valid yet, and names the date', () => {
  assert.match(
    faultOf(leaf, leafKey, new Date('2026-07-01T00:00:00Z')),
    /^certificateData: .*expired on 2026-07-01T00:00:00/,
  )
  assert.match(faultOf(leaf, leafKey, new Date('2025-12-31T00:00:00Z')), /not valid before 2026-01-01T00:00:00/)
  assert.match(
    faultOf(leaf + intermediate, leafKey, new Date('2025-12-31T00:00:00Z')),
    /^certificateData: The certificate is not/,
  )
})

test('returns the days left, when to renew, and why ACME cannot renew a certificate', () => {
  const [from, to] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')]
  assert.deepEqual(
    [daysLeft(to, new Date('2026-03-30T12:00:00Z')), daysLeft(to, new Date('2026-04-01T00:00:01Z'))],
    [1, -1],
  )
  assert.equal(renewFrom(from, to).toISOString(), '2026-03-02T00:00:00.000Z')
  assert.match(renewalFault(['a.example', '*.a.example'])!, /^\*\.a\.example is a wildcard/)
  assert.match(renewalFault(['192.0.2.1'])!, /is an IP address/)
  assert.match(renewalFault(['2001:db8:0:0:0:0:0:1'])!, /is an IP address/)
  assert.equal(renewalFault(['a.example']), null)
})

test('accepts only relative paths', () => {
  for (const good of ['a', 'certs/a.example.pem', 'a b/c']) assert.equal(relativePathFault(good), null)
  for (const bad of ['', '/a', 'a//b', '../a', 'a/./b', 'a/', 'C:\\a', 'a\0', 'a*', 'x'.repeat(256)])
    assert.notEqual(relativePathFault(bad), null, bad)
})
