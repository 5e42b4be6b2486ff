/** What TLS does for the connections of a database, in words. Pure. */
import type { DatabaseRecord, Kind } from '../../../data/kinds.ts'

type Facts = Pick<DatabaseRecord, 'tls' | 'pendingChanges' | 'connection'>

/**
 * How the server treats TLS at present:
 * - `off`: the server has no certificate
 * - `waiting`: the server has no certificate, but gets one with the next deploy
 * - `allow`, `require`: as in the field `tls` of the record
 * - `changing`: the server has a certificate, and the saved setting may differ from the deployed one
 */
export type TlsState = 'off' | 'waiting' | 'allow' | 'require' | 'changing'

export function tlsState({ tls, pendingChanges, connection }: Facts): TlsState {
  if (connection.verifiedInternalUrl === null) return tls === 'off' ? 'off' : 'waiting'
  return pendingChanges || tls === 'off' ? 'changing' : tls
}

/** Clients of these kinds never turn on TLS by themselves, so a server that requires TLS refuses their plain URL. */
const plainUrlIsRefused: readonly Kind[] = ['mongo', 'redis']

/** Whether the URL without verification is of any use. */
export const isPlainUrlUsable = (kind: Kind, state: TlsState): boolean =>
  state !== 'require' || !plainUrlIsRefused.includes(kind)

/** What a client that uses the URL without verification risks. */
export function unverifiedText(state: TlsState): string {
  switch (state) {
    case 'off':
      return 'Nothing is encrypted, and the client cannot verify the server.'
    case 'waiting':
      return 'Nothing is encrypted until the next deploy.'
    case 'require':
      return 'The client must turn on TLS. It does not verify which server answers.'
    default:
      return 'The client decides whether it uses TLS, and does not verify which server answers.'
  }
}

/** The notice above the URLs; null if the server has TLS. */
export function missingTlsText(state: TlsState): string | null {
  if (state === 'off') return 'TLS is off: passwords and data travel without encryption.'
  if (state === 'waiting') {
    return 'This server was started before it had a certificate. TLS begins with the next deploy, which restarts the server.'
  }
  return null
}
