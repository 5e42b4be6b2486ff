/** Addresses, fingerprints and folders of SFTP servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressText, fingerprintOf, isAbsoluteFolder, isFingerprint, isPrivateKey, sftpAddress } from './address.ts'

test('reads the host and the port', () => {
  const cases: [text: string, expected: ReturnType<typeof sftpAddress>][] = [
    ['backup.example.org', { host: 'backup.example.org', port: 22 }],
    ['NAS:2222', { host: 'nas', port: 2222 }],
    ['sftp://10.0.0.7:22/', { host: '10.0.0.7', port: 22 }],
    ['[::1]:2222', { host: '::1', port: 2222 }],
    ['2001:db8::1', { host: '2001:db8::1', port: 22 }],
  ]
  for (const [text, expected] of cases) assert.deepEqual(sftpAddress(text), expected, text)
  const wrong = [
    '',
    'https://host',
    'user@host',
    'host/folder',
    'host:0',
    'host:70000',
    'a b',
    'host?x',
    'host#x',
    'a\\b',
  ]
  for (const text of wrong) assert.equal(sftpAddress(text), null, text)
})

test('writes an address as a person does', () => {
  assert.equal(addressText({ host: 'nas', port: 22 }), 'nas')
  assert.equal(addressText({ host: '::1', port: 2222 }), '[::1]:2222')
})

test('makes the fingerprint that ssh-keygen prints', () => {
  // From the tests of OpenSSH: regress/unittests/sshkey/testdata/ed25519_1.fp.
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIFOG6kY7Rf4UtCFvPwKgo/BztXck2xC4a2WyA34XtIwZ'
  const fingerprint = fingerprintOf(Buffer.from(key, 'base64'))
  assert.equal(fingerprint, 'SHA256:L3k/oJubblSY0lB9Ulsl7emDMnRPKm/8udf2ccwk560')
  assert.ok(isFingerprint(fingerprint))
  for (const text of ['', 'SHA256:', fingerprint.slice(0, -1), `${fingerprint}=`, fingerprint.slice(7)]) {
    assert.equal(isFingerprint(text), false, text)
  }
})

test('accepts absolute folders only', () => {
  for (const text of ['/', '/srv', '/srv/a b/.c/..d']) assert.ok(isAbsoluteFolder(text), text)
  for (const text of ['', 'srv', '/srv/', '//srv', '/srv/../etc', '/.', '/..', '/a\0b']) {
    assert.equal(isAbsoluteFolder(text), false, text)
  }
})

test('tells a private key from a password', () => {
  assert.deepEqual(['-----BEGIN OPENSSH PRIVATE KEY-----\n', '\n-----BEGIN RSA'].map(isPrivateKey), [true, true])
  assert.equal(isPrivateKey('----BEGIN'), false)
})
