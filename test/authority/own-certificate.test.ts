/** The certificate of Berth itself from the authority `installation`. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { ensureOwnCertificate, readOwnCertificate, sealedOwnCertificate } from '../../src/authority/own-certificate.ts'
import { generationsOf, removeRetiring, switchSigning } from '../../src/authority/queries.ts'
import { olderCertificates, retireAuthority } from '../../src/authority/retire.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

const host = 'berth.example.org'
const dayMs = 24 * 3600_000

test('is issued once, verifies against the authority, and is stored sealed', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  await ensureOwnCertificate(app, host)
  const first = (await readOwnCertificate(app))!
  await ensureOwnCertificate(app, host)
  assert.deepEqual(await readOwnCertificate(app), first)
  const [leaf, authority] = first.chain.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem))
  const { pem } = await testBerth.ok<{ pem: string }>('installation.ca')
  assert.equal(authority!.fingerprint256, new X509Certificate(pem).fingerprint256)
  assert.ok(leaf!.verify(authority!.publicKey) && leaf!.checkHost(host) === host)
  assert.match((await sealedOwnCertificate(app.db))!, /^v1\./)
})

async function ensured({ app }: TestBerth, name = host) {
  await ensureOwnCertificate(app, name)
  return (await readOwnCertificate(app))!
}

test('is replaced after two thirds of its time, and for another host', async () => {
  await using testBerth = await startTestBerth()
  const first = await ensured(testBerth)
  testBerth.pass(59 * dayMs)
  assert.equal((await ensured(testBerth)).chain, first.chain)
  testBerth.pass(2 * dayMs)
  const second = await ensured(testBerth)
  assert.ok(second.notAfter > first.notAfter)
  assert.equal((await ensured(testBerth, 'b.example')).host, 'b.example')
})

test('is replaced when another generation of the authority signs', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  assert.equal((await ensured(testBerth)).generation, 1)
  await testBerth.ok('installation.rotateAuthority', { authority: 'installation' })
  assert.equal((await ensured(testBerth)).generation, 1, 'the old generation still signs')
  await app.transact((tx) => switchSigning(tx, 'installation'))
  assert.equal((await ensured(testBerth)).generation, 2)
  await app.transact((tx) => removeRetiring(tx, 'installation'))
  assert.equal((await ensured(testBerth)).generation, 2)
})

test('keeps the rotation of its authority under way until it is replaced', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  await ensured(testBerth)
  await testBerth.ok('installation.rotateAuthority', { authority: 'installation' })
  const finish = { authority: 'installation', finish: true }
  const { rotation } = await testBerth.ok<{ rotation: { reasonCode: string } }>('installation.rotateAuthority', finish)
  assert.equal(rotation.reasonCode, 'OldCertificatesInUse')
  assert.deepEqual(await olderCertificates(app.db, app.vault, 'installation'), { databases: [], isOwn: true })
  await testBerth.refused('PRECONDITION_FAILED', 'installation.rotateAuthority', finish)
  await app.transact((tx) => retireAuthority(tx, app.vault, 'installation'))
  assert.equal((await generationsOf(app.db, 'installation')).length, 2)
  assert.equal((await ensured(testBerth)).generation, 2)
  await app.transact((tx) => retireAuthority(tx, app.vault, 'installation'))
  assert.equal((await generationsOf(app.db, 'installation')).length, 1)
})

test('is removed when Berth does not use it', async () => {
  await using testBerth = await startTestBerth()
  await ensureOwnCertificate(testBerth.app, host)
  await ensureOwnCertificate(testBerth.app, null)
  assert.equal(await readOwnCertificate(testBerth.app), null)
})
