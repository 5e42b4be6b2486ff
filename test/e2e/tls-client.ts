/** TLS clients of the proxy: which certificate the proxy serves for a name, or why the handshake fails. */
import { once } from 'node:events'
import { connect, type ConnectionOptions } from 'node:tls'

/** Returns the fingerprint of the certificate for this name, or '' if the handshake fails. Accepts any certificate. */
export function servedFingerprint(port: number, servername: string): Promise<string> {
  return handshake(port, servername, { rejectUnauthorized: false }).catch(() => '')
}

/** Like `servedFingerprint`, but checks the certificate according to `options`, and throws if it is not valid. */
export async function handshake(port: number, servername: string, options: ConnectionOptions): Promise<string> {
  const connection = connect({ host: '127.0.0.1', port, servername, ...options })
  try {
    await once(connection, 'secureConnect')
    return connection.getPeerCertificate().fingerprint256
  } finally {
    connection.destroy()
  }
}
