import assert from 'node:assert/strict'
import test from 'node:test'
import type { DatabaseRecord } from '../../../data/kinds.ts'
import { certificateState, plainConnectionsState } from './certificate-text.ts'

const certificate = {
  ...{ names: ['orders'], notBefore: '', notAfter: '', fingerprint256: '', servedSince: '2030-01-01T00:00:00Z' },
  ...{ waitsForDeploy: false, reason: null, reasonCode: null, plainConnections: 0 },
} as NonNullable<DatabaseRecord['certificate']>

const served = {
  ...{ tls: 'allow', pendingChanges: false, applicationStatus: 'done', lastDeployedAt: '2030-01-01T00:00:00Z' },
  ...{ certificate, connection: { verifiedInternalUrl: 'x' } },
} as unknown as DatabaseRecord

const without = { ...served.connection, verifiedInternalUrl: null }
const having = (change: Partial<typeof certificate>): Partial<DatabaseRecord> => ({
  certificate: { ...certificate, ...change },
})

const cases: [what: string, change: Partial<DatabaseRecord>, tone: string, word: string][] = [
  ['a certificate that the server presents', {}, 'good', 'served'],
  ['a server without TLS', { tls: 'off', connection: without }, 'neutral', 'off'],
  ['a database before its first deploy', { lastDeployedAt: null }, 'neutral', 'not yet'],
  ['a server from before TLS', { connection: without, pendingChanges: true }, 'warning', 'waits for a deploy'],
  ['a server that cannot reload', having({ waitsForDeploy: true }), 'warning', 'waits for a deploy'],
  ['a refused certificate', having({ reasonCode: 'CertificateRefused' }), 'critical', 'not replaced'],
  ['a certificate before its first handshake', having({ servedSince: null }), 'working', 'in progress'],
  [
    'a stopped server with a new certificate',
    { ...having({ servedSince: null }), applicationStatus: 'idle' },
    'neutral',
    'stopped',
  ],
  ['a stopped server that has presented its certificate', { applicationStatus: 'idle' }, 'neutral', 'stopped'],
  ['a server that is down', { applicationStatus: 'error' }, 'neutral', 'down'],
]
for (const [what, change, tone, word] of cases) {
  test(`${what} is shown as ${word}`, () => {
    const state = certificateState({ ...served, ...change })
    assert.deepEqual([state.tone, state.word], [tone, word])
  })
}

test('counts the clients without TLS', () => {
  const stateOf = (plainConnections: number | null, tls: DatabaseRecord['tls'] = 'allow') =>
    plainConnectionsState({ ...served, tls, certificate: { ...certificate, plainConnections } })
  assert.equal(stateOf(null), null)
  assert.deepEqual(stateOf(1), { tone: 'warning', text: '1 client' })
  assert.deepEqual(stateOf(3), { tone: 'warning', text: '3 clients' })
  assert.equal(stateOf(0)?.tone, 'good')
  assert.match(stateOf(0, 'require')?.text ?? '', /refuses/)
})
