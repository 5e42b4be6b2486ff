/**
 * Every column that is sealed, and how its rows are named where they are bound; sealing all of them anew. A column
 * that is missing here stops a rotation, for its text could never be opened again.
 */
import { type Kysely, sql } from 'kysely'
import type { Schema, Writer } from './schema.ts'
import type { Place, Sealer } from './vault.ts'

interface SealedColumn {
  table: keyof Schema
  column: string
  /** The columns of the primary key: what a row is bound by, as JSON where they are several. */
  key: readonly string[]
}

/** Of `meta` only some rows are sealed: those that begin as sealed texts do. */
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
 * Seals everything anew; gives how many texts that were. Throws where something does not open, or something sealed with
 * the old key is left.
 */
export async function reseal(tx: Writer, from: Sealer, to: Sealer): Promise<number> {
  const db = tx as Writer as Kysely<Schema>
  let count = 0
  for (const sealed of sealedColumns) {
    const rows = await rowsOf(db, sealed, from.prefix)
    for (const row of rows) await resealRow(db, sealed, row, from, to)
    count += rows.length
  }
  const left = await placesOf(db, from.prefix)
  if (left.length > 0) throw new Error(`The key was not changed: nothing says how to seal ${left.join(', ')} anew`)
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
  const place: Place = { table, column, row: values.length === 1 ? values[0]! : JSON.stringify(values) }
  const sealed = to.seal(place, from.open(place, row[column]!))
  const isRow = sql.join(
    key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where ${isRow}`.execute(db)
}

/** The columns of all tables that hold a text with this beginning. Each table is read once. */
export async function placesOf(db: Kysely<Schema>, prefix: string): Promise<string[]> {
  const found: string[] = []
  for (const { name: table, columns } of await db.introspection.getTables()) {
    const has = columns.map(({ name }) => sql`max(${sql.ref(name)} like ${`${prefix}%`}) as ${sql.ref(name)}`)
    const {
      rows: [answer],
    } = await sql<Record<string, number | null>>`
      select ${sql.join(has)} from ${sql.table(table)}`.execute(db)
    found.push(...columns.filter(({ name }) => answer?.[name] === 1).map(({ name }) => `${table}.${name}`))
  }
  return found
}
