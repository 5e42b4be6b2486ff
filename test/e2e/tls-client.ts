/** Clients that shake hands with the proxy: which certificate they are shown, and why they are shown none. */
import { once } from 'node:events'
import { connect, type ConnectionOptions } from 'node:tls'

/** The fingerprint of the certificate for this name; '' where the handshake fails. Anybody's certificate is taken. */
export function shown(port: number, servername: string): Promise<string> {
  return handshake(port, servername, { rejectUnauthorized: false }).catch(() => '')
}

/** As `shown`, for a client that trusts these authorities alone: throws what is wrong with the certificate. */
export async function handshake(port: number, servername: string, options: ConnectionOptions): Promise<string> {
  const connection = connect({ host: '127.0.0.1', port, servername, ...options })
  try {
    await once(connection, 'secureConnect')
    return connection.getPeerCertificate().fingerprint256
  } finally {
    connection.destroy()
  }
}
