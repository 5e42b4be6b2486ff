/** Conditions of SQL that leave out records that a caller does not reach. */
import { type RawBuilder, sql } from 'kysely'
import type { Reach } from './reach.ts'

/** A column, such as `database.projectId`. */
type Column = string

/** As one parameter, because the number of parameters of a statement is limited. */
const projectsOf = (reach: Exclude<Reach, 'all'>) =>
  sql`(select "value" from json_each(${JSON.stringify([...reach.keys()])}))`

/** Whether the project in the column is in reach. A call that reaches all projects should leave the condition out. */
export function projectInReach(reach: Reach, column: Column): RawBuilder<boolean> {
  return reach === 'all' ? sql`true` : sql`${sql.ref(column)} in ${projectsOf(reach)}`
}

/** Whether the database with the id in the column is in reach, or was when it was removed. */
export function databaseInReach(reach: Reach, column: Column): RawBuilder<boolean> {
  if (reach === 'all') return sql`true`
  return sql`${sql.ref(column)} in (select "databaseId" from "projectOfDatabase" where "projectId" in ${projectsOf(reach)})`
}
