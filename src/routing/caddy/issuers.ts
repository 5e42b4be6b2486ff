/** Whether the issuers of a certificate are complete: browsers fetch missing ones, other clients refuse the certificate. */
import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'

export const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean => {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    // The key of the issuer is of a kind that cannot have made the signature.
    return false
  }
}

/**
 * The issuer of the last certificate of a chain, if it is neither the certificate itself (a root) nor a root that clients
 * know. Null: the chain is complete.
 */
export function missingIssuerOf(chain: readonly X509Certificate[]): string | null {
  const last = chain.at(-1)
  if (last === undefined || isIssuedBy(last, last)) return null
  // The roots of the browsers. To read them takes 20 ms, and is only done for an upload.
  const isKnown = rootCertificates.some((pem) => isIssuedBy(last, new X509Certificate(pem)))
  return isKnown ? null : last.issuer
}
