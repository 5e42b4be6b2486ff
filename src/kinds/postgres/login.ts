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
 * The settings of each session of Berth. No setting of the server, of the database or of the role may refuse, end or change
 * such a session. All supported versions have these settings, and each role may set them.
 */
const withoutSearchPath = [
  'role=none',
  'client_min_messages=warning',
  'default_transaction_read_only=off',
  'default_transaction_deferrable=off',
  'default_transaction_isolation=read committed',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  // An unquoted NULL in an array is a null, and `x = NULL` in a definition stays what it is.
  'array_nulls=on',
  'transform_null_equals=off',
  'quote_all_identifiers=off',
]
const session = ['search_path=pg_catalog', ...withoutSearchPath]

/**
 * Further settings of dumps and restores, which only some versions have, or which only superusers may set. The programs ask
 * the server which of them apply. The time zone is a setting of dumps only: constraints and materialized views of a restore
 * can need the time zone of their database.
 */
export const furtherSession: Readonly<Record<'both' | 'dump' | 'restore', readonly string[]>> = {
  both: [
    'idle_session_timeout=0',
    'transaction_timeout=0',
    'session_replication_role=origin',
    'restrict_nonsystem_relation_kind=',
    'lc_messages=C',
  ],
  dump: ['event_triggers=off', 'TimeZone=UTC'],
  restore: ['event_triggers=on', 'synchronous_commit=off'],
}

/** The value of PGOPTIONS, in which a backslash escapes a space. */
const optionsOf = (settings: readonly string[]) =>
  settings.map((setting) => `-c ${setting.replaceAll(' ', '\\ ')}`).join(' ')

export const sessionOptions = optionsOf(session)

/**
 * The options of the session that loads an archive. Scripts of extensions can need the search path of their database. The
 * archive itself begins with an empty search path.
 */
export const loadOptions = optionsOf(withoutSearchPath)

/** The environment variable with the further settings for `session.sh`. */
export const furtherSessionOf = (work: 'dump' | 'restore') => ({
  BERTH_SESSION: JSON.stringify([...furtherSession.both, ...furtherSession[work]]),
})

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
  PGOPTIONS: sessionOptions,
  PGCLIENTENCODING: 'UTF8',
})
