/** The conditions of certificates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IssuanceTable } from '../routing/table.ts'
import { authorityFindings, certificateFindings, publicUrlFindings } from './certificates.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const inDays = (days: number) => new Date(now.getTime() + days * 24 * 3600_000).toISOString()

function certificate(notBefore: number, notAfter: number, autoRenew: 0 | 1 = 0) {
  const described = JSON.stringify([{ names: ['a.example'], notBefore: inDays(notBefore), notAfter: inDays(notAfter) }])
  return { id: 'c1', name: 'shop', autoRenew, described }
}

const issuance = (change: Partial<IssuanceTable>): IssuanceTable => ({
  name: 'a.example',
  error: null,
  nextTryAt: null,
  notAfter: null,
  ...change,
})

const expiring = 'CertificateExpiring warning CertificateExpires certificate'
const failed = 'CertificateNotRenewable warning RenewalFailed certificate'
type Row = ReturnType<typeof certificate>
const cases: [title: string, certificates: Row[], issuances: IssuanceTable[], expected: string[]][] = [
  ['nothing 15 days before the end', [certificate(-75, 15)], [], []],
  ['a certificate 14 days before the end', [certificate(-76, 14)], [], [expiring]],
  [
    'a certificate after its end',
    [certificate(-91, -1)],
    [],
    ['CertificateExpiring critical CertificateExpired certificate'],
  ],
  ['a renewed certificate 14 days before the end', [certificate(-76, 14, 1)], [], [expiring]],
  ['nothing for a short certificate that is renewed in time', [certificate(-4, 3, 1)], [], []],
  ['a short certificate that was not renewed in time', [certificate(-6, 1, 1)], [], [expiring]],
  ['nothing on the first day of a renewal', [certificate(-60.5, 29.5, 1)], [issuance({ error: 'no' })], []],
  ['a failing renewal after a day', [certificate(-61.5, 28.5, 1)], [issuance({ error: 'no' })], [failed]],
  ['nothing if the renewal does not fail', [certificate(-61.5, 28.5, 1)], [issuance({})], []],
  ['nothing for an automatic name with a certificate', [], [issuance({ notAfter: inDays(30) })], []],
  [
    'an automatic name without a certificate',
    [],
    [issuance({ error: 'no' })],
    ['CertificateNotRenewable critical RenewalFailed hostName'],
  ],
  [
    'an automatic name whose certificate ends',
    [],
    [issuance({ error: 'no', notAfter: inDays(3) })],
    [
      'CertificateExpiring warning CertificateExpires hostName',
      'CertificateNotRenewable warning RenewalFailed hostName',
    ],
  ],
]
for (const [title, certificates, issuances, expected] of cases) {
  test(`reports ${title}`, () => {
    const findings = certificateFindings(certificates, issuances, now)
    assert.deepEqual(
      findings.map(({ name, severity, reason, subject }) => `${name} ${severity} ${reason.reason} ${subject.kind}`),
      expected,
    )
  })
}

test('begins when the last 14 days begin', () => {
  const [found] = certificateFindings([certificate(-80, 10)], [], now)
  assert.deepEqual([found?.since, found?.subject], [inDays(-4), { kind: 'certificate', id: 'c1', name: 'shop' }])
})

test('finds the certificate of the public URL that ends or is missing', () => {
  type Fact = Parameters<typeof publicUrlFindings>[0]
  const fact = (source: 'acme' | 'uploaded' | 'internal', days: number | null, error: string | null = null): Fact => ({
    host: 'b.example',
    source,
    notAfter: days === null ? null : new Date(inDays(days)),
    error,
  })
  const cases: [title: string, fact: Fact, expected: string[]][] = [
    ['no public URL', null, []],
    ['an internal one with 15 days', fact('internal', 15), []],
    ['an internal one with 14 days', fact('internal', 14), ['CertificateExpiring warning']],
    ['an expired internal one', fact('internal', -1), ['CertificateExpiring critical']],
    ['an uploaded one, which is a certificate of its own', fact('uploaded', 1), []],
    ['no uploaded one', fact('uploaded', null), ['PublicUrlDown critical']],
    ['none by ACME yet', fact('acme', null), ['PublicUrlDown critical']],
    ['none by ACME after a failure, which is a condition of its own', fact('acme', null, 'no'), []],
    ['one by ACME', fact('acme', 80), []],
  ]
  for (const [title, each, expected] of cases) {
    const found = publicUrlFindings(each, now)
    assert.deepEqual(
      found.map(({ name, severity }) => `${name} ${severity}`),
      expected,
      title,
    )
  }
})

test('finds an authority 90 days before its end', () => {
  const cases: [days: number, expected: string[]][] = [
    [91, []],
    [90, [`warning AuthorityExpires ${inDays(0)}`]],
    [1, [`warning AuthorityExpires ${inDays(-89)}`]],
    [0, [`critical AuthorityExpired ${inDays(-90)}`]],
  ]
  for (const [days, expected] of cases) {
    const found = authorityFindings([{ name: 'engines', notAfter: inDays(days) }], now)
    assert.deepEqual(
      found.map(({ severity, reason, since }) => `${severity} ${reason.reason} ${since}`),
      expected,
      `${days} days`,
    )
  }
})
