/**
 * The SQL that changes credentials on a running server. Texts arrive in session variables, and the server quotes them.
 */
import { sqlFile } from './sql.ts'

/** The differences between the two products. */
export interface RotationDialect {
  /** Statements that follow the shared statements at the start of each session. */
  session: string
  /** Statements that follow the shared statements that evaluate the variables. */
  variables: string
  /** Statements that create the database and the user. */
  prepare: string
  /** Queries that print statements that give @account what the old user has in addition to ordinary privileges. */
  grants: string
  /** Statements that keep passwords out of the binary log, run before every change of an account. */
  unlogged: string
  /** Statements that change all passwords. */
  change: string
}

/** Returns the arguments of programs/rotate.sh. */
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
