/**
 * Lists all sealed columns, and reseals their values with another master key. If a sealed column is missing from the
 * list, the key rotation fails, because nobody could open the values of the column afterwards.
 */
import { type Kysely, sql } from 'kysely'
import type { Schema, Writer } from './schema.ts'
import type { Cell, Sealer } from './vault.ts'

interface SealedColumn {
  table: keyof Schema
  column: string
  /** The columns of the primary key. Their value is the `row` of a Cell, or a JSON array if there are several. */
  key: readonly string[]
}

/** All sealed columns. In `meta` only some rows are sealed. The prefix shows whether a value is sealed. */
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
  { table: 'volume', column: 'startSecrets', key: ['id'] },
  { table: 'volume', column: 'ownAccount', key: ['id'] },
  { table: 'destination', column: 'secrets', key: ['id'] },
  { table: 'backupRun', column: 'identity', key: ['id'] },
  { table: 'backupRun', column: 'privateProfile', key: ['id'] },
  { table: 'backupIdentity', column: 'identity', key: ['id'] },
  { table: 'security', column: 'passwordHash', key: ['id'] },
  { table: 'certificate', column: 'pairs', key: ['id'] },
  { table: 'registry', column: 'secrets', key: ['id'] },
  { table: 'registryServer', column: 'htpasswd', key: ['id'] },
]

type Row = Record<string, string>

/**
 * Reseals all sealed values with the key of `to`.
 * @returns the number of resealed values
 * @throws if a value does not open, or if a column that is not in the list contains a value sealed with the old key
 */
export async function reseal(tx: Writer, from: Sealer, to: Sealer): Promise<number> {
  const db = tx as Writer as Kysely<Schema>
  let count = 0
  for (const sealed of sealedColumns) {
    const rows = await rowsOf(db, sealed, from.prefix)
    for (const row of rows) await resealRow(db, sealed, row, from, to)
    count += rows.length
  }
  const remaining = await columnsWithPrefix(db, from.prefix)
  if (remaining.length > 0) {
    throw new Error(
      `The key was not changed, because Berth cannot reseal ${remaining.join(', ')}. This is a defect of Berth: ` +
        'add the columns to sealedColumns',
    )
  }
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

/** Returns the columns, as `table.column`, that contain a value with this prefix. Reads each table once. */
export async function columnsWithPrefix(db: Kysely<Schema>, prefix: string): Promise<string[]> {
  const names: string[] = []
  for (const { name: table, columns } of await db.introspection.getTables()) {
    const matches = columns.map(({ name }) => sql`max(${sql.ref(name)} like ${`${prefix}%`}) as ${sql.ref(name)}`)
    const {
      rows: [result],
    } = await sql<Record<string, number | null>>`
      select ${sql.join(matches)} from ${sql.table(table)}`.execute(db)
    names.push(...columns.filter(({ name }) => result?.[name] === 1).map(({ name }) => `${table}.${name}`))
  }
  return names
}
