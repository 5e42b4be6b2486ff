/** Seals the environment variables of databases, because they can contain passwords. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Sealer } from '../vault.ts'
import { vacuumDue } from '../vacuum-due.ts'

export const sealing = ({ seal }: Pick<Sealer, 'seal'>): Migration => ({
  async up(db: Kysely<unknown>) {
    const select = sql<{ id: string; env: string }>`select "id", "env" from "database" where "env" is not null`
    const { rows } = await select.execute(db)
    for (const { id, env } of rows) {
      const sealed = seal({ table: 'database', column: 'env', row: id }, env)
      await sql`update "database" set "env" = ${sealed} where "id" = ${id}`.execute(db)
    }
    if (rows.length > 0) await sql.raw(`insert into "meta" values ('${vacuumDue}', 'sealing')`).execute(db)
  },
})
