/** The SQL that changes the credentials of a live server: texts come in as session variables and are quoted by the server. */
import { sqlFile } from './sql.ts'

/** What differs between the two products. */
export interface RotationDialect {
  /** Statements after those that open every session of both products. */
  session: string
  /** Statements after those of both that look at the variables. */
  variables: string
  /** Statements that create the database and the user. */
  prepare: string
  /** Queries, each of which prints statements that give @account what the old user has beyond ordinary privileges. */
  grants: string
  /** Statements before every change of an account. */
  unlogged: string
  /** Statements that change all passwords. */
  change: string
}

/** The parts in the order of the arguments of rotate.sh. */
export const rotationTexts = (it: RotationDialect): string[] => [
  sqlFile('kinds/mysql/programs/rotate-session.sql') + it.session,
  sqlFile('kinds/mysql/programs/rotate-variables.sql') + it.variables,
  it.prepare,
  sqlFile('kinds/mysql/programs/rotate-grants.sql') +
    it.grants +
    sqlFile('kinds/mysql/programs/rotate-grant-database.sql'),
  it.unlogged,
  it.change,
]
