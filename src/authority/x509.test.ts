import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { type CertificateRequest, createAuthority, signCertificate } from './x509.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const newAuthority = () => createAuthority('Berth engines authority 1', 'Berth installation x', now)
const serverRequest: CertificateRequest = {
  commonName: 'node',
  use: 'server',
  dnsNames: ['a.example', 'b.example'],
  ipAddresses: ['10.0.0.1', 'fd00::1'],
  validDays: 30,
}

test('an authority is valid for ten years', async () => {
  const { certificatePem, keyPem, notAfter } = await newAuthority()
  const certificate = new X509Certificate(certificatePem)
  assert.equal(certificate.subject, 'CN=Berth engines authority 1\nO=Berth installation x')
  assert.equal(certificate.issuer, certificate.subject)
  assert.equal(certificate.ca, true)
  assert.ok(certificate.verify(certificate.publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(keyPem)))
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.equal(certificate.validFromDate.toISOString(), '2029-12-31T23:50:00.000Z')
  assert.equal(certificate.validToDate.toISOString(), '2040-01-01T00:00:00.000Z')
  assert.deepEqual(notAfter, certificate.validToDate)
})

test('a certificate names its subject, its use and its end', async () => {
  const authority = await newAuthority()
  const issued = await signCertificate(authority, serverRequest, now)
  const certificate = new X509Certificate(issued.certificatePem)
  assert.equal(certificate.subject, 'CN=node')
  assert.equal(
    certificate.subjectAltName,
    'DNS:a.example, DNS:b.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1',
  )
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.equal(certificate.ca, false)
  assert.ok(certificate.checkIssued(new X509Certificate(authority.certificatePem)))
  assert.ok(certificate.verify(new X509Certificate(authority.certificatePem).publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(issued.keyPem)))
  assert.equal(certificate.fingerprint256.replaceAll(':', '').toLowerCase(), issued.fingerprint)
  assert.equal(issued.notAfter.toISOString(), '2030-01-31T00:00:00.000Z')
  assert.deepEqual(certificate.validToDate, issued.notAfter)
  assert.equal(certificate.validFromDate.toISOString(), '2029-12-31T23:50:00.000Z')
})

test('a certificate ends with its authority at the latest', async () => {
  const authority = await newAuthority()
  const issued = await signCertificate(authority, { ...serverRequest, validDays: 36_500 }, now)
  assert.deepEqual(issued.notAfter, authority.notAfter)
})

test('a certificate for a client has no names', async () => {
  const authority = await newAuthority()
  const issued = await signCertificate(authority, { commonName: 'berth', use: 'client', validDays: 30 }, now)
  const certificate = new X509Certificate(issued.certificatePem)
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2'])
  assert.equal(certificate.subjectAltName, undefined)
})

test('serial numbers are positive, and each has 128 random bits', async () => {
  const authority = await newAuthority()
  const serials = new Set<string>()
  // Half of the random numbers begin with a bit that would make the number negative.
  for (let count = 0; count < 16; count += 1) {
    const { certificatePem } = await signCertificate(authority, serverRequest, now)
    const { serialNumber } = new X509Certificate(certificatePem)
    assert.match(serialNumber, /^[0-9A-F]{28,32}$/)
    serials.add(serialNumber)
  }
  assert.equal(serials.size, 16)
})

test('refuses names that the notation of the library could change', async () => {
  const authority = await newAuthority()
  for (const commonName of ['', 'a"b"c', '#04', 'a,O=b', 'a\nb', ' a', 'ü', 'x'.repeat(65)]) {
    await assert.rejects(signCertificate(authority, { ...serverRequest, commonName }, now), /cannot contain the name/)
  }
})
