/** The field `tls` of a database in words. Pure. */
import type { DatabaseRecord } from '../kinds.ts'

export type TlsMode = DatabaseRecord['tls']

/** The short text of each value. */
export const tlsModes: Record<TlsMode, string> = { allow: 'allowed', require: 'required', off: 'off' }

/** What each value means for clients. */
export const tlsExplanations: Record<TlsMode, string> = {
  allow:
    'Clients connect with TLS or without. What a client sends without TLS can be read on the way, also its password.',
  require: 'The server refuses connections without TLS, from outside and from services on the same network.',
  off: 'The server has no certificate. All connections are without encryption.',
}

export const tlsNamesHint =
  'Names and addresses by which clients reach the database, such as db.example.org, one in a line. The certificate has ' +
  'them besides the host name of the database and the names and addresses of its node.'

/** The names of a list, which people separate by lines, spaces or commas. */
export const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')
