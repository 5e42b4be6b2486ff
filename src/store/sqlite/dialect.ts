/**
 * A dialect of Kysely for one connection of node:sqlite. Prepared statements are cached. The connection is not locked:
 * each query runs synchronously, and batch.ts is the only user of transactions on its connection.
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

/** The number of different statements is bounded by the code, except for lists of parameters of varying length. */
const maxStatements = 500

type Run = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/** @param before called before each query */
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

  /** Makes Kysely run each migration in a transaction. */
  override get supportsTransactionalDdl() {
    return true
  }

  /** Otherwise Kysely would queue queries for the single connection. */
  override get supportsMultipleConnections() {
    return true
  }
}

function driverOf(file: DatabaseSync, run: Run): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery) => run(sql, parameters) as QueryResult<R>,
    streamQuery: () => {
      throw new Error('Answers are read whole')
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

/** The row objects of node:sqlite are three times slower to read than plain objects. */
function rowOf(names: string[], values: unknown[]) {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]
  return row
}
