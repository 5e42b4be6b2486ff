/** The classification of failed connections to the engine port of a node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContactFault, type ContactProgress, contactFaultOf } from './node-contact.ts'

const cases: [code: string, progress: ContactProgress, fault: ContactFault][] = [
  ['ECONNREFUSED', 'connecting', 'refused'],
  ['ETIMEDOUT', 'connecting', 'timeout'],
  ['EHOSTUNREACH', 'connecting', 'timeout'],
  ['ECONNRESET', 'handshake', 'closed'],
  ['ECONNRESET', 'open', 'refusedCertificate'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'open', 'refusedCertificate'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'open', 'refusedCertificate'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'open', 'refusedCertificate'],
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED', 'open', 'refusedCertificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'handshake', 'untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'handshake', 'untrusted'],
  ['HPE_INVALID_CONSTANT', 'open', 'failed'],
]
for (const [code, progress, fault] of cases) {
  test(`classifies ${code} while ${progress} as ${fault}`, () => assert.equal(contactFaultOf(code, progress), fault))
}
