/** Decides the next step for the certificate of a running server. Pure. */
import type { RenewalCause } from '../renewal.ts'
import type { DatabaseTlsTable } from '../table.ts'

export interface CertificateSituation {
  tls: Pick<DatabaseTlsTable, 'servedFingerprint' | 'waitsForDeploy' | 'nextTryAt'>
  /** The fingerprint of the current certificate. */
  current: string
  /** Whether a replacement is under way: a next certificate is stored. */
  hasNext: boolean
  /** Why the current certificate has to be replaced; null if it can stay. */
  cause: RenewalCause | null
  /** Whether the volume has the files of the current certificate, with the authorities that are trusted now. */
  isWritten: boolean
  /** Whether the server takes a new certificate while it runs. */
  canReload: boolean
}

/**
 * `replace`: issue a certificate, if there is no next one, and make the server take it. `wait`: record that the server
 * needs the next deploy. `write`: write the files of the current certificate again. `compare`: find out which certificate
 * the server presents.
 */
export type CertificateStep = 'none' | 'replace' | 'wait' | 'write' | 'compare'

/** The longest wait before a failed step is repeated. A later time was recorded while the clock was ahead. */
export const maxRetryMs = 3600_000

export function certificateStep(situation: CertificateSituation, now: Date): CertificateStep {
  const { tls, current, hasNext, cause, isWritten, canReload } = situation
  const waitMs = tls.nextTryAt === null ? 0 : Date.parse(tls.nextTryAt) - now.getTime()
  if (waitMs > 0 && waitMs <= maxRetryMs) return 'none'
  if (canReload && (hasNext || cause !== null)) return 'replace'
  if (cause !== null && tls.waitsForDeploy === 0) return 'wait'
  if (!isWritten) return 'write'
  const isWaiting = tls.waitsForDeploy === 1
  // A server that waits and presents the current certificate waited for names that were taken back, for example.
  if (tls.servedFingerprint === current) return isWaiting && cause === null ? 'compare' : 'none'
  return isWaiting ? 'none' : 'compare'
}
