import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CertificateSituation, type CertificateStep, certificateStep } from './certificate-step.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const tls: CertificateSituation['tls'] = { servedFingerprint: 'f', waitsForDeploy: 0, nextTryAt: null }
const good: CertificateSituation = { tls, current: 'f', hasNext: false, cause: null, isWritten: true, canReload: true }

const cases: [name: string, change: Partial<CertificateSituation>, step: CertificateStep][] = [
  ['a served certificate stays', {}, 'none'],
  ['a due certificate is replaced', { cause: 'Ending' }, 'replace'],
  ['a replacement goes on after a crash', { hasNext: true }, 'replace'],
  ['a server that cannot reload waits for a deploy', { cause: 'NamesChanged', canReload: false }, 'wait'],
  [
    'the wait is recorded once',
    { cause: 'NamesChanged', canReload: false, tls: { ...tls, waitsForDeploy: 1 } },
    'none',
  ],
  ['a wait whose cause has gone is checked', { canReload: false, tls: { ...tls, waitsForDeploy: 1 } }, 'compare'],
  [
    'a wait for the current certificate goes on',
    { canReload: false, tls: { ...tls, servedFingerprint: 'g', waitsForDeploy: 1 } },
    'none',
  ],
  ['changed authorities are written', { isWritten: false }, 'write'],
  ['a new server is compared', { tls: { ...tls, servedFingerprint: null } }, 'compare'],
  ['another certificate is compared', { tls: { ...tls, servedFingerprint: 'g' } }, 'compare'],
  [
    'a failure is not repeated early',
    { cause: 'Ending', tls: { ...tls, nextTryAt: '2030-01-01T00:00:01.000Z' } },
    'none',
  ],
  [
    'a failure is not repeated within the longest wait',
    { cause: 'Ending', tls: { ...tls, nextTryAt: '2030-01-01T01:00:00.000Z' } },
    'none',
  ],
  [
    'a failure that was recorded while the clock was ahead is repeated now',
    { cause: 'NotYetValid', tls: { ...tls, nextTryAt: '2030-01-01T01:00:01.000Z' } },
    'replace',
  ],
  [
    'a failure is repeated later',
    { cause: 'Ending', tls: { ...tls, nextTryAt: '2030-01-01T00:00:00.000Z' } },
    'replace',
  ],
]
for (const [name, change, step] of cases) {
  test(name, () => assert.equal(certificateStep({ ...good, ...change }, now), step))
}
