/**
 * Lists all sealed columns, and reseals them with another master key. A sealed column that is missing from the list
 * stops a key rotation, because its text could not be opened afterwards.
 */
import { type Kysely, sql } from 'kysely'
import type { Schema, Writer } from './schema.ts'
import type { Cell, Sealer } from './vault.ts'

interface SealedColumn {
  table: keyof Schema
  column: string
  /** The columns of the primary key. Their values are the `row` of a Place: as a JSON array if there are several. */
  key: readonly string[]
}

/** In `meta` only some rows are sealed. Sealed texts are recognized by their prefix. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'meta', column: 'value', key: ['key'] },
  { table: 'account', column: 'secret', key: ['id'] },
  { table: 'idempotency', column: 'answer', key: ['key', 'accountId', 'operation'] },
  { table: 'database', column: 'secrets', key: ['id'] },
  { table: 'database', column: 'target', key: ['id'] },
  { table: 'database', column: 'lastGood', key: ['id'] },
  { table: 'database', column: 'env', key: ['id'] },
  { table: 'volume', column: 'secrets', key: ['id'] },
  { table: 'volume', column: 'tried', key: ['id'] },
  { table: 'destination', column: 'secrets', key: ['id'] },
  { table: 'backupRun', column: 'identity', key: ['id'] },
  { table: 'backupIdentity', column: 'identity', key: ['id'] },
  { table: 'security', column: 'passwordHash', key: ['id'] },
  { table: 'certificate', column: 'pairs', key: ['id'] },
  { table: 'registry', column: 'secrets', key: ['id'] },
  { table: 'registryServer', column: 'htpasswd', key: ['id'] },
]

type Row = Record<string, string>

/**
 * Reseals all sealed texts with the key of `to`. Returns their number.
 * @throws if a text does not open, or if a column that is not in the list holds a text sealed with the old key
 */
export async function reseal(tx: Writer, from: Sealer, to: Sealer): Promise<number> {
  const db = tx as Writer as Kysely<Schema>
  let count = 0
  for (const sealed of sealedColumns) {
    const rows = await rowsOf(db, sealed, from.prefix)
    for (const row of rows) await resealRow(db, sealed, row, from, to)
    count += rows.length
  }
  const remaining = await placesOf(db, from.prefix)
  if (remaining.length > 0)
    throw new Error(`The key was not changed: nothing says how to seal ${remaining.join(', ')} anew`)
  return count
}

async function rowsOf(db: Kysely<Schema>, { table, column, key }: SealedColumn, prefix: string): Promise<Row[]> {
  const columns = sql.join([...key, column].map((name) => sql.ref(name)))
  const { rows } = await sql<Row>`
    select ${columns} from ${sql.table(table)} where ${sql.ref(column)} like ${`${prefix}%`}`.execute(db)
  return rows
}

async function resealRow(
  db: Kysely<Schema>,
  { table, column, key }: SealedColumn,
  row: Row,
  from: Sealer,
  to: Sealer,
): Promise<void> {
  const values = key.map((name) => row[name]!)
  const cell: Cell = { table, column, row: values.length === 1 ? values[0]! : JSON.stringify(values) }
  const sealed = to.seal(cell, from.open(cell, row[column]!))
  const hasKey = sql.join(
    key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where ${hasKey}`.execute(db)
}

/** Returns the columns, as `table.column`, that hold a text with this prefix. Reads each table once. */
export async function placesOf(db: Kysely<Schema>, prefix: string): Promise<string[]> {
  const names: string[] = []
  for (const { name: table, columns } of await db.introspection.getTables()) {
    const matches = columns.map(({ name }) => sql`max(${sql.ref(name)} like ${`${prefix}%`}) as ${sql.ref(name)}`)
    const {
      rows: [answer],
    } = await sql<Record<string, number | null>>`
      select ${sql.join(matches)} from ${sql.table(table)}`.execute(db)
    names.push(...columns.filter(({ name }) => answer?.[name] === 1).map(({ name }) => `${table}.${name}`))
  }
  return names
}
