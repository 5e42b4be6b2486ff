/**
 * Opens the store in one SQLite file. The only importer of node:sqlite.
 * Two connections: one that writes, in batches, and one that reads and so never waits for a batch.
 */
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { batchWriter } from './batch.ts'
import { migrate } from './migrations.ts'
import type { Reader, Schema, Transact } from './schema.ts'

export interface Store {
  db: Reader
  transact: Transact
  /** Waits for writes under way. */
  close(): Promise<void>
}

/** `folder` exists and is writable. Throws when another process has this store open. */
export async function openStore(folder: string): Promise<Store> {
  const lock = holdLock(join(folder, 'berth.lock'))
  const writer = open(join(folder, 'berth.db'), false)
  await migrate(writer)
  const reader = open(join(folder, 'berth.db'), true)
  const batches = batchWriter(writer)
  return { db: reader, transact: batches.transact, close }

  async function close() {
    await batches.idle()
    await Promise.all([reader.destroy(), writer.destroy()])
    lock.close()
  }
}

/** A lock that ends with the process, however that ends. */
function holdLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    throw new Error(`Another Berth is running on this data folder (${path} is locked)`, { cause })
  }
  return lock
}

function open(path: string, readOnly: boolean): Kysely<Schema> {
  const file = new DatabaseSync(path, { readOnly })
  file.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = full')
  if (!readOnly) file.exec('pragma journal_mode = wal')
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapt(file) }) })
}

/** Kysely expects better-sqlite3, which takes parameters as one array and tells readers from writers. */
function adapt(file: DatabaseSync) {
  const statements = new Map<string, ReturnType<typeof wrap>>()
  return {
    close: () => file.close(),
    prepare(sql: string) {
      const known = statements.get(sql)
      if (known !== undefined) return known
      // The number of texts is bounded by the code, except for lists of parameters of varying length.
      if (statements.size > 500) statements.clear()
      const made = wrap(file.prepare(sql))
      statements.set(sql, made)
      return made
    },
  }
}

function wrap(statement: StatementSync) {
  const spread = (values: readonly unknown[]) => values as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (values: readonly unknown[]) => statement.all(...spread(values)),
    run: (values: readonly unknown[]) => statement.run(...spread(values)),
    iterate: (values: readonly unknown[]) => statement.iterate(...spread(values)),
  }
}
