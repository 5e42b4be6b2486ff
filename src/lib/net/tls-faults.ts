/** What went wrong with TLS, by the codes and words of node:tls and OpenSSL. */

export type TlsTrouble = 'authority' | 'expired' | 'early' | 'name' | 'plain' | 'other'

const unknownAuthority: readonly string[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

/** `plain`: the other side does not speak TLS at all. Null: it was not TLS that failed. */
export function tlsTroubleOf(code: string, message: string): TlsTrouble | null {
  if (unknownAuthority.includes(code)) return 'authority'
  if (code === 'CERT_HAS_EXPIRED') return 'expired'
  if (code === 'CERT_NOT_YET_VALID') return 'early'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'name'
  if (/wrong version number|packet length too long|http request/i.test(message)) return 'plain'
  return /^(?:EPROTO|CERT_|ERR_SSL_|ERR_TLS_|HOSTNAME_MISMATCH)/.test(code) ? 'other' : null
}
