/** The environment with which PostgreSQL's programs log in from a separate container. */
import type { ServerDatabase } from '../backup.ts'
import type { ServerLogin } from '../kind.ts'

export interface Settings {
  databaseName: string
  databaseUser: string
  databasePassword: string
}
export type Login = ServerLogin<Settings>

/** The role that logs in, and its password. */
export const roleOf = ({ own, settings }: Login) =>
  own ?? { user: settings.databaseUser, password: settings.databasePassword }

/**
 * The settings of each session. No setting of the server, of the database or of the role may refuse, end or change a
 * session of Berth.
 */
const session = [
  'role=none',
  'search_path=pg_catalog',
  'default_transaction_read_only=off',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
]

/**
 * Returns the environment of a login. The database name is not in argv, because the programs would read a name that
 * looks like a connection string as a connection string.
 */
export const envOf = (login: Login, { host, port, database }: ServerDatabase): Record<string, string> => ({
  PGHOST: host,
  PGPORT: String(port),
  PGUSER: roleOf(login).user,
  PGDATABASE: database,
  PGPASSFILE: '/dev/null',
  PGSSLMODE: 'prefer',
  PGCONNECT_TIMEOUT: '10',
  PGAPPNAME: 'berth',
  PGOPTIONS: session.map((setting) => `-c ${setting}`).join(' '),
  PGCLIENTENCODING: 'UTF8',
})
