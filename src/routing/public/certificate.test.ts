import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateSource } from '../../config.ts'
import { removalFault } from './certificate.ts'

const host = 'berth.example.org'
const publicUrl = (certificate: CertificateSource) => ({
  publicUrl: { origin: `https://${host}`, host, port: 443, certificate },
})
const now = new Date('2030-06-01T00:00:00.000Z')

const certificate = (name: string, notBefore: string, notAfter: string) => ({
  described: JSON.stringify([{ names: [name], notBefore, notAfter }]),
})
const valid = certificate(host, '2030-01-01', '2031-01-01')
const wildcard = certificate('*.example.org', '2030-01-01', '2031-01-01')
const expired = certificate(host, '2029-01-01', '2030-01-01')
const other = certificate('shop.example.org', '2030-01-01', '2031-01-01')

type Certificate = typeof valid
const cases: [name: string, removed: Certificate, remaining: Certificate[], isRefused: boolean][] = [
  ['the only one', valid, [], true],
  ['the only one for the host', valid, [other], true],
  ['the only wildcard', wildcard, [other], true],
  ['the only valid one', valid, [expired], true],
  ['one that hides a wildcard', valid, [wildcard], false],
  ['a wildcard beside one for the host', wildcard, [valid], false],
  ['one of two', valid, [valid], false],
  ['an expired one', expired, [], false],
  ['one for another host', other, [], false],
]
for (const [name, removed, remaining, isRefused] of cases) {
  test(`the removal of ${name} is ${isRefused ? 'refused' : 'accepted'}`, () => {
    const fault = (source: CertificateSource) =>
      removalFault(publicUrl(source), [...remaining, removed], remaining, now)
    assert.equal(fault('uploaded') !== null, isRefused)
    assert.deepEqual([fault('acme'), fault('internal')], [null, null])
  })
}

test('without a public URL every removal is accepted, and an expired certificate for the host hides a wildcard', () => {
  assert.equal(removalFault({ publicUrl: null }, [valid], [], now), null)
  assert.match(removalFault(publicUrl('uploaded'), [wildcard, valid], [expired, wildcard], now)!, /only valid/)
})
