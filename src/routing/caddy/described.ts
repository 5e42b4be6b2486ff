/** Parses stored descriptions of certificates: JSON, with times as text. */
import type { CertificateDescription } from './certificate.ts'

type StoredDescription = Omit<CertificateDescription, 'notBefore' | 'notAfter' | 'missingIssuer'> & {
  /** Left out by older versions of Berth, which did not look for it. */
  missingIssuer?: string | null
  notBefore: string
  notAfter: string
}

export function describedFrom(text: string): CertificateDescription[] {
  return (JSON.parse(text) as StoredDescription[]).map((stored) => ({
    ...stored,
    missingIssuer: stored.missingIssuer ?? null,
    notBefore: new Date(stored.notBefore),
    notAfter: new Date(stored.notAfter),
  }))
}
