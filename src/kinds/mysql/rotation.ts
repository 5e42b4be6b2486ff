/**
 * The SQL that changes credentials on a running server. Session variables contain the credentials, and the server
 * quotes them.
 */
import { sqlFile } from './sql.ts'

/** The differences between the two products. */
export interface RotationDialect {
  /** Statements at the start of each session, after the shared statements. */
  session: string
  /** Statements that set variables, after the shared statements. */
  variables: string
  /** Statements that create the database and the user. */
  prepare: string
  /** Queries that print statements. They give the new user (@account) the roles and partial revokes of the old user. */
  grants: string
  /** Statements that keep passwords out of the binary log. They run before the grants. */
  unlogged: string
  /** Statements that change all passwords. */
  change: string
}

/** Returns the arguments of programs/rotate.sh, in their order. */
export const rotationTexts = (dialect: RotationDialect): string[] => [
  sqlFile('kinds/mysql/programs/rotate-session.sql') + dialect.session,
  sqlFile('kinds/mysql/programs/rotate-variables.sql') + dialect.variables,
  dialect.prepare,
  sqlFile('kinds/mysql/programs/rotate-grants.sql') +
    dialect.grants +
    sqlFile('kinds/mysql/programs/rotate-grant-database.sql'),
  dialect.unlogged,
  dialect.change,
]
