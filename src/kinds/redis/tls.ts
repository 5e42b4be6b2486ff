/**
 * How Redis and Valkey use a certificate. Connections with TLS have a port of their own, so that clients with and without
 * TLS can use a server at the same time. With `require` the other port is closed. The configuration file names both
 * ports. Source: redis.io/docs/latest/operate/oss_and_stack/management/security/encryption.
 */
import { textFile } from '../../lib/text-file.ts'
import { type Address, type KindTls, type TlsMode, tlsPaths } from '../kind.ts'
import { authorityOf, encoded } from '../url.ts'

/** The port without TLS. */
export const port = 6379
/** The port with TLS, in both modes: a client that uses it does not notice when the other port is closed. */
export const tlsPort = 6380

export interface Login {
  databasePassword: string
}

/** Returns the values of the configuration file. Without TLS the file is the same as before Berth knew TLS. */
export function portsOf(tls: TlsMode): { port: string; tls: string } {
  if (tls === 'off') return { port: String(port), tls: '' }
  const lines = [
    `tls-port ${tlsPort}`,
    `tls-cert-file ${tlsPaths.certificate}`,
    `tls-key-file ${tlsPaths.key}`,
    'tls-auth-clients no',
  ]
  return { port: tls === 'require' ? '0' : String(port), tls: lines.map((line) => `${line}\n`).join('') }
}

/** Returns the variables that choose the server and the protection of the connection. */
export const connectionEnv = ({ host, port, tls = null }: Address): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  BERTH_TLS_NAME: tls?.serverName ?? '',
})

export const loginEnv = ({ databasePassword }: Login, address: Address): Record<string, string> => ({
  ...connectionEnv(address),
  REDISCLI_AUTH: databasePassword,
  VALKEYCLI_AUTH: databasePassword,
})

const { ca, certificate } = tlsPaths
const reloadScript = textFile('kinds/redis/programs/reload.sh', { certificate })
const plainScript = textFile('kinds/redis/programs/plain-connections.sh', { ca, plainPort: String(port) })

export const redisTls: KindTls<Login> = {
  user: 'valkey redis',
  port: () => tlsPort,
  handshake: 'direct',
  canReload: () => true,
  reload: (login, { host }) => ({ argv: ['sh', '-c', reloadScript], env: loginEnv(login, { host, port: tlsPort }) }),
  plainConnections: (login, address) => ({ argv: ['sh', '-c', plainScript], env: loginEnv(login, address) }),
  /** Names no file, because clients refuse parameters that they do not know, and each has another one. */
  verifiedUrl: ({ databasePassword }, address) =>
    `rediss://default:${encoded(databasePassword)}@${authorityOf(address)}`,
}
