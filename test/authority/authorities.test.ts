/** The authorities of an installation: their creation, their certificates and their rotation. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { ensureAuthorities, issueCertificate, trustBundle } from '../../src/authority/issue.ts'
import { generationsOf, removeRetiring, switchSigning } from '../../src/authority/queries.ts'
import { type AuthorityName, authorityNames } from '../../src/authority/table.ts'
import type { CertificateRequest } from '../../src/authority/x509.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

interface Generation {
  generation: number
  state: string
  fingerprint256: string
  notBefore: string
  notAfter: string
}

interface Authority {
  authority: AuthorityName
  generations: Generation[]
  rotation: { reason: string; reasonCode: string } | null
}

const request: CertificateRequest = { commonName: 'berth', use: 'client', validDays: 30 }
const rotate = (testBerth: TestBerth, authority: AuthorityName, finish = false) =>
  testBerth.ok<Authority>('installation.rotateAuthority', { authority, finish })
const statesOf = ({ generations }: Authority) => generations.map(({ generation, state }) => `${generation} ${state}`)
const rowsOf = async ({ app }: TestBerth) =>
  (await Promise.all(authorityNames.map((name) => generationsOf(app.db, name)))).flat()
const certificatesIn = (pem: string) =>
  [...pem.matchAll(/-----BEGIN [\s\S]*?-----END CERTIFICATE-----/g)].map(([each]) => new X509Certificate(each))

test('the first start creates two authorities, and every user reads one certificate', async () => {
  await using testBerth = await startTestBerth()
  const authorities = await testBerth.ok<Authority[]>('installation.authorities')
  assert.deepEqual(
    authorities.map(({ authority, rotation, ...rest }) => [
      authority,
      rotation,
      ...statesOf({ authority, rotation, ...rest }),
    ]),
    [
      ['engines', null, '1 current'],
      ['installation', null, '1 current'],
    ],
  )
  const ca = await testBerth.ok<{ pem: string; certificates: Generation[] }>('installation.ca', {}, {}, testBerth.user)
  const [certificate, ...others] = certificatesIn(ca.pem)
  assert.deepEqual(others, [])
  assert.match(certificate!.subject, /^CN=Berth installation authority 1\nO=Berth installation [\w-]+$/)
  assert.equal(ca.certificates[0]!.fingerprint256, certificate!.fingerprint256)
  assert.equal(authorities[1]!.generations[0]!.fingerprint256, certificate!.fingerprint256)
  assert.equal(ca.certificates[0]!.notAfter, certificate!.validToDate.toISOString())
  const refused = await testBerth.call('installation.authorities', {}, {}, testBerth.user)
  assert.equal(refused.status, 403)
  assert.ok(!JSON.stringify([authorities, ca]).includes('PRIVATE KEY'))
})

test('a later start creates only the authority that a crash has prevented', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  const runtime = { ...app, installationId: 'x' }
  const before = await rowsOf(testBerth)
  await ensureAuthorities(runtime)
  assert.deepEqual(await rowsOf(testBerth), before)
  await app.transact((tx) => tx.deleteFrom('authority').where('name', '=', 'installation').execute())
  await ensureAuthorities(runtime)
  const [engines, installation] = await rowsOf(testBerth)
  assert.deepEqual(engines, before[0])
  assert.deepEqual([installation!.generation, installation!.state], [1, 'current'])
  assert.notEqual(installation!.certificatePem, before[1]!.certificatePem)
})

test('two starts at once create one generation of each authority', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  await app.transact((tx) => tx.deleteFrom('authority').execute())
  const runtime = { ...app, installationId: 'x' }
  await Promise.all([ensureAuthorities(runtime), ensureAuthorities(runtime)])
  assert.equal((await rowsOf(testBerth)).length, 2)
  // The stored key belongs to the stored certificate.
  for (const name of authorityNames) {
    const { certificatePem } = await issueCertificate(app, name, request)
    const [authority] = certificatesIn(await trustBundle(app.db, name))
    assert.ok(new X509Certificate(certificatePem).verify(authority!.publicKey))
  }
})

test('a rotation of the installation authority ends when it is finished', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  const signer = async () => (await issueCertificate(app, 'installation', request)).generation
  await testBerth.refused('PRECONDITION_FAILED', 'installation.rotateAuthority', {
    authority: 'installation',
    finish: true,
  })
  const begun = await rotate(testBerth, 'installation')
  assert.deepEqual(statesOf(begun), ['1 current', '2 next'])
  assert.equal(begun.rotation?.reasonCode, 'ClientsLackTrust')
  assert.match(begun.rotation.reason, /Generation 1 signs until you finish/)
  assert.equal(certificatesIn(await trustBundle(app.db, 'installation')).length, 2)
  assert.equal(await signer(), 1)
  await testBerth.refused('CONFLICT', 'installation.rotateAuthority', { authority: 'installation' })
  const subjects = certificatesIn((await testBerth.ok<{ pem: string }>('installation.ca')).pem).map(
    (each) => each.subject,
  )
  assert.deepEqual(
    subjects.map((each) => each.replace(/ [\w-]+$/, '')),
    [1, 2].map((generation) => `CN=Berth installation authority ${generation}\nO=Berth installation`),
  )
  assert.equal(subjects[0]!.split('\n')[1], subjects[1]!.split('\n')[1])

  const finished = await rotate(testBerth, 'installation', true)
  assert.deepEqual([statesOf(finished), finished.rotation], [['2 current'], null])
  assert.equal(await signer(), 2)
  assert.deepEqual(statesOf(await rotate(testBerth, 'installation')), ['2 current', '3 next'])
  const entries = await testBerth.ok<{ operation: string; record: string; result: string }[]>('audit.all')
  assert.deepEqual(
    entries
      .filter(({ operation }) => operation === 'installation.rotateAuthority')
      .map(({ record, result }) => `${record} ${result}`)
      .toSorted(),
    [
      'installation CONFLICT',
      'installation OK',
      'installation OK',
      'installation OK',
      'installation PRECONDITION_FAILED',
    ],
  )
})

test('a rotation of the engines ends in two steps, which a crash can repeat', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  // The loop of the engine ports takes no step while the engine is down.
  testBerth.engine.setDown(true)
  const apply = (step: typeof switchSigning) => app.transact((tx) => step(tx, 'engines'))
  const present = async () => (await testBerth.ok<Authority[]>('installation.authorities'))[0]!
  await apply(switchSigning)
  await apply(removeRetiring)
  assert.deepEqual(statesOf(await present()), ['1 current'])

  assert.equal((await rotate(testBerth, 'engines')).rotation?.reasonCode, 'EnginesLackTrust')
  await testBerth.refused(
    'BAD_REQUEST',
    'installation.rotateAuthority',
    { authority: 'engines', finish: true },
    'finish',
  )
  await apply(removeRetiring)
  assert.deepEqual(statesOf(await present()), ['1 current', '2 next'])
  for (const _ of [1, 2]) await apply(switchSigning)
  assert.deepEqual(statesOf(await present()), ['1 retiring', '2 current'])
  assert.equal((await present()).rotation?.reasonCode, 'OldCertificatesInUse')
  assert.deepEqual(
    (await generationsOf(app.db, 'engines')).map(({ key }) => key === null),
    [true, false],
    'a retiring generation has no key',
  )
  assert.equal((await issueCertificate(app, 'engines', request)).generation, 2)
  assert.equal(certificatesIn(await trustBundle(app.db, 'engines')).length, 2)
  await testBerth.refused('CONFLICT', 'installation.rotateAuthority', { authority: 'engines' })
  for (const _ of [1, 2]) await apply(removeRetiring)
  assert.deepEqual(statesOf(await present()), ['2 current'])
  assert.equal((await present()).rotation, null)
})

test('of two rotations at once, one is refused', async () => {
  await using testBerth = await startTestBerth()
  testBerth.engine.setDown(true)
  const calls = [1, 2].map(() => testBerth.call('installation.rotateAuthority', { authority: 'engines' }))
  assert.deepEqual((await Promise.all(calls)).map(({ status }) => status).sort(), [200, 409])
  assert.deepEqual(
    (await generationsOf(testBerth.app.db, 'engines')).map(({ state }) => state),
    ['current', 'next'],
  )
})

test('refuses another authority, and other values of finish', async () => {
  await using testBerth = await startTestBerth()
  const refused = (input: Record<string, unknown>, path: string) =>
    testBerth.refused('BAD_REQUEST', 'installation.rotateAuthority', input, path)
  await refused({}, 'authority')
  await refused({ authority: 'database' }, 'authority')
  await refused({ authority: 'engines', finish: 'yes' }, 'finish')
})
