/** Classifies TLS failures by the codes and messages of node:tls and OpenSSL. */

export type TlsFaultKind = 'authority' | 'expired' | 'early' | 'name' | 'plain' | 'other'

const unknownAuthority: readonly string[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

/**
 * Returns null if the failure is not a TLS failure. `authority`: an unknown authority signed the certificate. `early`:
 * the certificate is not valid yet. `name`: the certificate is for another host. `plain`: the other side does not speak
 * TLS. `other`: any other TLS failure.
 */
export function tlsFaultKind(code: string, message: string): TlsFaultKind | null {
  if (unknownAuthority.includes(code)) return 'authority'
  if (code === 'CERT_HAS_EXPIRED') return 'expired'
  if (code === 'CERT_NOT_YET_VALID') return 'early'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'name'
  if (/wrong version number|packet length too long|http request/i.test(message)) return 'plain'
  return /^(?:EPROTO|CERT_|ERR_SSL_|ERR_TLS_|HOSTNAME_MISMATCH)/.test(code) ? 'other' : null
}
