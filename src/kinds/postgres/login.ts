/** How PostgreSQL's programs log in from a container of their own. */
import { type Place, secretPath } from '../backup.ts'

export interface Login {
  databaseName: string
  databaseUser: string
  databasePassword: string
}

/** Without what an image may have set, which would lead elsewhere. */
export const login = `
unset PGSERVICE PGHOSTADDR PGOPTIONS
PGPASSWORD=$(cat ${secretPath}) || exit 1
export PGPASSWORD
`

/** By the environment: a name in argv that looks like a connection string would be taken for one. */
export const envOf = ({ databaseUser }: Login, { host, port, database }: Place): Record<string, string> => ({
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
