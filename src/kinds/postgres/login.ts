/** The environment with which PostgreSQL's programs log in from a container of their own. */
import type { ServerDatabase } from '../backup.ts'

export interface Login {
  databaseName: string
  databaseUser: string
  databasePassword: string
}

/** Uses the environment, because in argv a database name that looks like a connection string is read as one. */
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
