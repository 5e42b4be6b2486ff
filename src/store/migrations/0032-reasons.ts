/** Replaces stored sentences by data: `{ reason, ...parameters }`. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const columns = [
  ['database', 'statusReason'],
  ['deployment', 'reason'],
  ['port', 'reason'],
  ['registryServer', 'reason'],
] as const

/** Keeps an old sentence as the message of the reason Legacy. No logic depends on the sentence. */
const legacy = (message: string) => ({ reason: 'Legacy', message })

export const reasons: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [table, column] of columns) await change(db, table, column, (text) => JSON.stringify(legacy(text)))
    const toDrift = (text: string) => JSON.stringify((JSON.parse(text) as string[]).map(legacy))
    await change(db, 'database', 'drift', toDrift)
  },
}

/** Replaces every value of a column that is not null. */
async function change(
  db: Kysely<unknown>,
  table: string,
  column: string,
  convert: (text: string) => string,
): Promise<void> {
  const { rows } = await sql<{ id: string; text: string }>`
    select "id", ${sql.ref(column)} as "text" from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(db)
  for (const { id, text } of rows) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${convert(text)} where "id" = ${id}`.execute(db)
  }
}
