/** The kinds of databases: their names, and calls of the operations that each kind has. */
import type { Backup, Database, Mariadb, Mongo, Mysql, Postgres, Redis } from '../../client/client.ts'
import { api } from './api.ts'

export type Kind = Database['databaseType']

export const kindLabels: Record<Kind, string> = {
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MariaDB',
  mongo: 'MongoDB',
  redis: 'Redis',
}
export const kinds = Object.keys(kindLabels) as Kind[]

/** A database with the fields that all kinds have, and those of its kind as optional ones. */
export type DatabaseRecord = Postgres & Partial<Mysql & Mariadb & Mongo & Redis>

/** The id of the database that a backup dumps; null if the backup is not of a database. */
export const dumpedDatabase = ({ postgresId, mysqlId, mariadbId, mongoId, redisId }: Backup): string | null =>
  postgresId ?? mysqlId ?? mariadbId ?? mongoId ?? redisId

/** The input that names a database: `{ postgresId }`. */
export const idInput = (kind: Kind, databaseId: string): Record<string, string> => ({ [`${kind}Id`]: databaseId })

/**
 * Calls `<kind>.<verb>` for a database. The call answers as soon as its work is recorded: its progress arrives as events.
 */
export const callDatabase = (
  kind: Kind,
  verb: string,
  databaseId: string,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<unknown> => api.call(`${kind}.${verb}` as string, { ...idInput(kind, databaseId), ...input }, { headers })
