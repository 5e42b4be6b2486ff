/** The environment with which PostgreSQL's programs log in from a separate container. */
import type { ServerDatabase } from '../backup.ts'

export interface Login {
  databaseName: string
  databaseUser: string
  databasePassword: string
}

/**
 * Returns the environment of a login. The database name is not in argv, because the programs would read a name that
 * looks like a connection string as a connection string.
 */
export const envOf = ({ databaseUser }: Login, { host, port, database }: ServerDatabase): Record<string, string> => ({
  PGHOST: host,
  PGPORT: String(port),
  PGUSER: databaseUser,
  PGDATABASE: database,
  PGPASSFILE: '/dev/null',
  PGSSLMODE: 'prefer',
  PGCONNECT_TIMEOUT: '10',
  PGAPPNAME: 'berth',
  PGCLIENTENCODING: 'UTF8',
})
