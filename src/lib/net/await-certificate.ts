/** Waits until a server presents a certificate. */
import { setTimeout as pause } from 'node:timers/promises'
import { fetchCertificate, type HandshakeRequest, type ServedCertificate } from './tls-handshake.ts'

export interface CertificateRequest extends HandshakeRequest {
  /** The fingerprint of the certificate to wait for; null: take the first. */
  expected: string | null
  /** How long to wait for it, in milliseconds. */
  waitMs: number
}

const retryMs = 100

/**
 * Returns the certificate that the server presents: the expected one as soon as it does, and another one if it presents
 * that one after `waitMs`.
 * @throws HandshakeFailure if the server presents no certificate
 */
export async function awaitCertificate({
  expected,
  waitMs,
  ...request
}: CertificateRequest): Promise<ServedCertificate> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const isLast = performance.now() >= deadline
    const served = await fetchCertificate(request).catch((error: unknown) => {
      if (isLast) throw error
      return null
    })
    if (served !== null && (isLast || expected === null || served.fingerprint === expected)) return served
    await pause(retryMs)
  }
}
