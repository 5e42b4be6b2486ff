/** The conditions of certificates and of connections of databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ServerTlsFact, serverTlsFindings } from './databases.ts'
import { conditionMessage } from './reason-message.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const inDays = (days: number) => new Date(now.getTime() + days * 24 * 3600_000).toISOString()
const server: ServerTlsFact = {
  id: 'd1',
  appName: 'orders',
  projectId: 'p1',
  notAfter: inDays(30),
  waitsForDeploy: false,
  reason: null,
  hasPlainConnections: false,
}

const table: [title: string, changes: Partial<ServerTlsFact>, expected: string[]][] = [
  ['with a good certificate has no condition', {}, []],
  ['whose certificate ends in 15 days has no condition', { notAfter: inDays(15) }, []],
  ['whose certificate ends in 14 days needs attention', { notAfter: inDays(14) }, ['warning CertificateEnding']],
  ['whose certificate has ended is critical', { notAfter: inDays(0) }, ['critical CertificateEnding']],
  ['with connections without TLS says so', { hasPlainConnections: true }, ['info PlainConnections']],
  [
    'can have both',
    { notAfter: inDays(1), hasPlainConnections: true },
    ['warning CertificateEnding', 'info PlainConnections'],
  ],
]
for (const [title, changes, expected] of table) {
  test(`a server ${title}`, () => {
    const findings = serverTlsFindings([{ ...server, ...changes }], now)
    assert.deepEqual(
      findings.map(({ severity, name }) => `${severity} ${name}`),
      expected,
    )
    for (const { subject, projectId } of findings) {
      assert.deepEqual([subject, projectId], [{ kind: 'database', id: 'd1', name: 'orders' }, 'p1'])
    }
  })
}

test('the condition begins 14 days before the end of the certificate', () => {
  const [finding] = serverTlsFindings([{ ...server, notAfter: inDays(4) }], now)
  assert.equal(finding!.since, inDays(-10))
})

test('the messages say why the certificate was not replaced, and what to do', () => {
  const message = (changes: Partial<ServerTlsFact>) =>
    conditionMessage(serverTlsFindings([{ ...server, notAfter: inDays(3), ...changes }], now)[0]!.reason)
  const cause = { reason: 'CertificateRefused', detail: 'bad end of file' } as const
  assert.match(message({ reason: cause }), /ends at 2030-01-04.*refused a new certificate.*bad end of file$/)
  assert.match(message({ waitsForDeploy: true }), /ends at 2030-01-04.* only at a deploy$/)
  assert.match(message({ notAfter: inDays(-1) }), /ended at 2029-12-31.*are refused$/)
  assert.match(message({ notAfter: inDays(40), hasPlainConnections: true }), /without TLS.*tls to require$/)
})
