/**
 * Kysely's dialect on one connection of node:sqlite. Statements are kept, and nothing waits for the connection: each
 * query runs to its end at once, and who needs it for longer is alone on it (batch.ts).
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery, type DatabaseConnection, type Dialect, type Driver, SqliteAdapter, SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** The number of texts is bounded by the code, except for lists of parameters of varying length. */
const mostStatements = 500

/** `before` is called before each query. */
export function sqliteDialect(file: DatabaseSync, before: () => void): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => driverOf(file, before),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class Adapter extends SqliteAdapter {
  /** Otherwise Kysely would queue the queries for the one that there is. */
  override get supportsMultipleConnections() {
    return true
  }
}

function driverOf(file: DatabaseSync, before: () => void): Driver {
  const connection = connectionOf(file, before)
  const run = async (sql: string) => { await connection.executeQuery(CompiledQuery.raw(sql)) }
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: () => run('begin'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    releaseConnection: async () => undefined,
    destroy: async () => file.close(),
  }
}

interface Prepared { statement: StatementSync; names: string[] }

function connectionOf(file: DatabaseSync, before: () => void): DatabaseConnection {
  const statements = new Map<string, Prepared>()
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      before()
      const { statement, names } = statements.get(sql) ?? prepare(sql)
      const values = parameters as SQLInputValue[]
      if (names.length === 0) return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
      const found = statement.all(...values) as unknown as unknown[][]
      return { rows: found.map((row) => rowOf(names, row)) as R[] }
    },
    streamQuery() {
      throw new Error('Answers are read whole')
    },
  }

  function prepare(sql: string): Prepared {
    if (statements.size >= mostStatements) statements.clear()
    const statement = file.prepare(sql)
    statement.setReturnArrays(true)
    const made = { statement, names: statement.columns().map(({ name }) => name) }
    statements.set(sql, made)
    return made
  }
}

/** An object like any other: those that the driver would make itself are three times as slow to read. */
function rowOf(names: string[], values: unknown[]) {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]
  return row
}
