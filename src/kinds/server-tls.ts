/** How Berth's own programs connect to a server: its port, and the protection of the connection. Pure. */
import type { Program } from './backup.ts'
import { type Address, type Kind, type TlsMode, tlsPaths } from './kind.ts'

/** The TLS of a server that accepts it. */
export interface ServerTls {
  mode: Exclude<TlsMode, 'off'>
  /** The name in the certificate that programs compare. */
  serverName: string
  /** The certificates of the authority, as PEM. */
  ca: string
}

/** The mode in which a server runs, if its target has this mode. A product without TLS runs with `off`. */
export const tlsModeOf = ({ tls }: Pick<Kind, 'tls'>, mode: TlsMode): TlsMode => (tls === undefined ? 'off' : mode)

/** Returns the TLS of a server whose target has this mode; null if it accepts none. */
export function serverTlsOf(kind: Kind, mode: TlsMode, serverName: string, ca: string): ServerTls | null {
  const actual = tlsModeOf(kind, mode)
  return actual === 'off' ? null : { mode: actual, serverName, ca }
}

/** The address at which programs connect to a server. They use TLS if the server accepts it. */
export function serverAddress(kind: Kind, host: string, tls: Pick<ServerTls, 'mode' | 'serverName'> | null): Address {
  if (tls === null) return { host, port: kind.port }
  return { host, port: kind.tls!.port(tls.mode), tls: { serverName: tls.serverName } }
}

/** Adds the certificates of the authority to a program that connects to the server from a container of its own. */
export function withAuthority(program: Program, tls: Pick<ServerTls, 'ca'> | null): Program {
  if (tls === null) return program
  return { ...program, files: [...(program.files ?? []), { path: tlsPaths.ca, content: tls.ca, mode: 0o644 }] }
}
