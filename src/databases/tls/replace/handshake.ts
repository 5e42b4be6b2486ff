/** One question about the certificate of a server. The worker uses this file, too, so it imports little. */
import { awaitCertificate, type CertificateRequest } from '../../../lib/net/await-certificate.ts'
import { HandshakeFailure } from '../../../lib/net/tls-handshake.ts'

/** The certificate that the server presents, or why it is unknown. */
export type Served = { fingerprint: string } | { failure: string }

/** Makes the handshake from this process. */
export async function directly(request: CertificateRequest): Promise<Served> {
  try {
    return { fingerprint: (await awaitCertificate(request)).fingerprint }
  } catch (error) {
    if (!(error instanceof HandshakeFailure)) throw error
    return { failure: error.message }
  }
}
