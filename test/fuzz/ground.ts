/**
 * The records that a fuzz run stands on, one of each sort, and the administrator who calls. Before each request those
 * that a call took away are put back: a run in which the first `remove` or `logout` succeeds would find nothing after.
 */
import type { App } from '../../src/api/services.ts'
import type { Schema, Writer } from '../../src/store/schema.ts'

/** In the order in which one needs the other; each has an `id`. */
const tables = [
  'account',
  'token',
  'project',
  'volume',
  'database',
  'destination',
  'backup',
  'redirect',
  'security',
  'port',
  'certificate',
  'registry',
  'invitation',
] as const satisfies (keyof Schema)[]

type Row = { id: string }

/** Takes note of all that is there now; what it gives puts it back. */
export async function groundOf({ db, transact }: Pick<App, 'db' | 'transact'>) {
  const ground: { table: (typeof tables)[number]; rows: Row[] }[] = []
  for (const table of tables) ground.push({ table, rows: await db.selectFrom(table).selectAll().execute() })
  const ids = new Set(ground.flatMap(({ rows }) => rows.map(({ id }) => id)))
  return { ids, putBack }

  async function putBack() {
    const missing: typeof ground = []
    for (const { table, rows } of ground.filter((it) => it.rows.length > 0)) {
      const found = await db
        .selectFrom(table)
        .select('id')
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .execute()
      const left = new Set(found.map(({ id }) => id))
      if (left.size < rows.length) missing.push({ table, rows: rows.filter(({ id }) => !left.has(id)) })
    }
    const changed = await db
      .selectFrom('account')
      .select('id')
      .where('id', 'in', [...ids])
      .where((eb) => eb.or([eb('rol', '!=', 'admin'), eb('is2FAEnabled', '=', 1)]))
      .execute()
    if (missing.length === 0 && changed.length === 0) return
    await transact((tx) =>
      insertAgain(
        tx,
        missing,
        changed.map(({ id }) => id),
      ),
    )
  }
}

/** What took the name of one in between stays in its place. */
async function insertAgain(tx: Writer, missing: { table: (typeof tables)[number]; rows: Row[] }[], changed: string[]) {
  for (const { table, rows } of missing) {
    await tx
      .insertInto(table)
      .values(rows as never)
      .onConflict((it) => it.doNothing())
      .execute()
  }
  if (changed.length === 0) return
  await tx
    .updateTable('account')
    .set({ rol: 'admin', is2FAEnabled: 0, secret: null })
    .where('id', 'in', changed)
    .execute()
}
