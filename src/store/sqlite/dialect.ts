/**
 * Kysely's dialect on one connection of node:sqlite. Statements are kept, and nothing waits for the connection: each
 * query runs to its end at once, and who needs it for longer is alone on it (batch.ts).
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

/** The number of texts is bounded by the code, except for lists of parameters of varying length. */
const maxStatements = 500

type Run = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/** `before` is called before each query. */
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

  /** So that a migration happens whole or not at all. */
  override get supportsTransactionalDdl() {
    return true
  }

  /** Otherwise Kysely would queue the queries for the one that there is. */
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
    const found = statement.all(...values) as unknown as unknown[][]
    return { rows: found.map((row) => rowOf(names, row)) }
  }

  function prepare(sql: string): Prepared {
    if (statements.size >= maxStatements) statements.clear()
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
