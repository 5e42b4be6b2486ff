/** How PostgreSQL's programs connect and log in from a separate container, and the client for people. */
import { isAddress } from '../../lib/net/address.ts'
import { textFile } from '../../lib/text-file.ts'
import { type Program, secretFile, secretPath, type ServerDatabase } from '../backup.ts'
import { type Address, tlsPaths } from '../kind.ts'

export interface Login {
  databaseName: string
  databaseUser: string
  databasePassword: string
}

/**
 * Returns the variables that choose the server and the protection of the connection. With TLS, libpq compares PGHOST
 * with the names in the certificate, and connects to PGHOSTADDR. It ignores PGHOSTADDR if this is empty. Source:
 * postgresql.org/docs/current/libpq-connect.html.
 */
export function connectionEnv({ host, port, tls = null }: Address): Record<string, string> {
  if (tls === null) return { PGHOST: host, PGHOSTADDR: '', PGPORT: String(port), PGSSLMODE: 'prefer' }
  const names = isAddress(host) ? { PGHOST: tls.serverName, PGHOSTADDR: host } : { PGHOST: host, PGHOSTADDR: '' }
  return { ...names, PGPORT: String(port), PGSSLMODE: 'verify-full', PGSSLROOTCERT: tlsPaths.ca }
}

/**
 * Returns the environment of a login. The database name is not in argv, because the programs would read a name that
 * looks like a connection string as a connection string.
 */
export const envOf = ({ databaseUser }: Login, server: ServerDatabase): Record<string, string> => ({
  ...connectionEnv(server),
  PGUSER: databaseUser,
  PGDATABASE: server.database,
  PGPASSFILE: '/dev/null',
  PGCONNECT_TIMEOUT: '10',
  PGAPPNAME: 'berth',
  PGCLIENTENCODING: 'UTF8',
})

/**
 * The psql command inside the container of the server. It unsets variables of the image that can name another server.
 * With `-X` psql reads no psqlrc, and with `-w` it never prompts for a password.
 */
export const psql = ['env', '-u', 'PGSERVICE', '-u', 'PGCLIENTENCODING', 'psql', '-X', '-q', '-A', '-t', '-w']

/**
 * Returns the environment of a login inside the container of the server. The search path excludes functions that users
 * created. Source: postgresql.org/docs/current/libpq-envars.html.
 */
export const ownLoginEnv = (login: Login, address: Address): Record<string, string> => ({
  ...connectionEnv(address),
  PGUSER: login.databaseUser,
  PGDATABASE: login.databaseName,
  PGPASSWORD: login.databasePassword,
  PGPASSFILE: '/dev/null',
  PGCONNECT_TIMEOUT: '3',
  PGAPPNAME: 'berth',
  PGOPTIONS: '-c search_path=pg_catalog -c client_min_messages=warning -c default_transaction_read_only=off',
})

const session = textFile('kinds/postgres/programs/session.sh', { secretPath })

/** Returns psql for a person. Like all programs, it has a session with the application name `berth`. */
export function client(login: Login, address: Address, args: readonly string[]): Program {
  return {
    argv: ['sh', '-c', session, 'berth', ...args],
    env: envOf(login, { ...address, database: login.databaseName }),
    files: secretFile(login.databasePassword),
  }
}
