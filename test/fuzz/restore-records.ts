/**
 * Restores the records that a fuzz run needs: one of each type, and the calling administrator. Before each request it
 * restores records that a call removed. Otherwise, all calls after the first `remove` or `logout` would fail.
 */
import type { App } from '../../src/api/services.ts'
import type { Schema, Writer } from '../../src/store/schema.ts'

/** Tables with a column `id`, in the order of their references. */
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

/** Reads all present records. `putBack` of the result restores them. */
export async function recordRestorer({ db, transact }: Pick<App, 'db' | 'transact'>) {
  const records: { table: (typeof tables)[number]; rows: Row[] }[] = []
  for (const table of tables) records.push({ table, rows: await db.selectFrom(table).selectAll().execute() })
  const ids = new Set(records.flatMap(({ rows }) => rows.map(({ id }) => id)))
  return { ids, putBack }

  async function putBack() {
    const missing: typeof records = []
    for (const { table, rows } of records.filter((it) => it.rows.length > 0)) {
      const present = await db
        .selectFrom(table)
        .select('id')
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .execute()
      const left = new Set(present.map(({ id }) => id))
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

/** A record that uses the name of a removed one meanwhile stays. The removed one is then not restored. */
async function insertAgain(tx: Writer, missing: { table: (typeof tables)[number]; rows: Row[] }[], changed: string[]) {
  for (const { table, rows } of missing) {
    const values = table === 'database' ? await withFreeVolumes(tx, rows) : rows
    await tx
      .insertInto(table)
      .values(values as never)
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

/** A removed database has lost its volume, which may be in removal or belong to another database. It gets a new one. */
async function withFreeVolumes(tx: Writer, rows: Row[]): Promise<Row[]> {
  const attached = await tx.selectFrom('volume').select(['id', 'ownerId']).where('state', '=', 'attached').execute()
  const owners = new Map(attached.map(({ id, ownerId }) => [id, ownerId]))
  return rows.map((row) => {
    const { volumeId } = row as Row & { volumeId: string | null }
    return volumeId === null || owners.get(volumeId) === row.id ? row : { ...row, volumeId: null }
  })
}
