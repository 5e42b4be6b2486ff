/** Copies the kind and the appName of a database or volume to its deployments, which remain when it is removed. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const namedDeployments: Migration = {
  async up(db: Kysely<unknown>) {
    const ofRow = (column: string, table: string) =>
      `(select "${column}" from "${table}" where "${table}"."id" = "deployment"."databaseId")`
    for (const column of ['kind', 'appName']) {
      const value = `coalesce(${ofRow(column, 'database')}, ${ofRow(column, 'volume')})`
      await sql.raw(`alter table "deployment" add column "${column}" text`).execute(db)
      await sql.raw(`update "deployment" set "${column}" = ${value}`).execute(db)
    }
  },
}
