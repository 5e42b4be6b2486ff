/**
 * A dialect of Kysely for one connection of node:sqlite. Prepared statements are cached. The connection needs no lock,
 * because each query runs synchronously, and the transactions of a connection do not overlap.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { faultOf } from '../faults.ts'
import type { Direct } from '../prepared.ts'

/**
 * The maximum number of cached statements. The code has fewer, but a statement with a list of parameters has one text
 * for each length of the list.
 */
const maxStatements = 500

type Run = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/**
 * Returns the dialect for a connection.
 * @param before is called before each query
 */
export function sqliteDialect(file: DatabaseSync, before: () => void): Dialect {
  const run = runnerOf(file, before)
  return {
    createAdapter: () => new Adapter(run),
    createDriver: () => driverOf(file, run),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class Adapter extends SqliteAdapter implements Direct {
  readonly #run: Run

  constructor(run: Run) {
    super()
    this.#run = run
  }

  run(sql: string, parameters: readonly unknown[]) {
    return this.#run(sql, parameters).rows
  }

  /** True, because Kysely then runs the migrations in a transaction. */
  override get supportsTransactionalDdl() {
    return true
  }

  /** True, because Kysely would otherwise queue the queries of the connection. */
  override get supportsMultipleConnections() {
    return true
  }
}

function driverOf(file: DatabaseSync, run: Run): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery) => run(sql, parameters) as QueryResult<R>,
    streamQuery: () => {
      throw new Error('The store does not stream results')
    },
  }
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => {
      run('begin', [])
    },
    commitTransaction: async () => {
      run('commit', [])
    },
    rollbackTransaction: async () => {
      run('rollback', [])
    },
    releaseConnection: async () => undefined,
    destroy: async () => file.close(),
  }
}

interface Prepared {
  statement: StatementSync
  names: string[]
}

function runnerOf(file: DatabaseSync, before: () => void): Run {
  const statements = new Map<string, Prepared>()
  return run

  function run(sql: string, parameters: readonly unknown[]) {
    try {
      before()
      return runNow(sql, parameters as SQLInputValue[])
    } catch (error) {
      throw faultOf(error)
    }
  }

  function runNow(sql: string, values: SQLInputValue[]) {
    const { statement, names } = statements.get(sql) ?? prepare(sql)
    if (names.length === 0) return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
    const rows = statement.all(...values) as unknown as unknown[][]
    return { rows: rows.map((row) => rowOf(names, row)) }
  }

  function prepare(sql: string): Prepared {
    if (statements.size >= maxStatements) statements.clear()
    const statement = file.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, names: statement.columns().map(({ name }) => name) }
    statements.set(sql, prepared)
    return prepared
  }
}

/** Returns a plain object, which is three times faster to read than a row object of node:sqlite. */
function rowOf(names: string[], values: unknown[]) {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]
  return row
}
