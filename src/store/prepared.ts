/**
 * Queries whose SQL is built only once for each connection, because building SQL takes several times as long as running
 * it. A call only fills in the parameters. Use this for queries that many requests run. Build other queries in place.
 */
import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from 'kysely'
import type { Reader, Schema, Writer } from './schema.ts'

type Plain = string | number | null

/** Runs compiled queries without Kysely, which is faster. The adapter of a dialect can implement this. */
export interface Direct {
  run(sql: string, parameters: readonly unknown[]): unknown[]
}

/**
 * Returns a function that runs the query.
 * @param build is called once for each connection, with placeholders as arguments. Each argument must become a
 * parameter of the query. The text of the query must not depend on an argument
 * @throws at the first call if an argument does not become a parameter
 */
export function prepared<A extends Plain[], R>(
  build: (db: Reader, ...args: A) => Compilable<R>,
): (db: Reader, ...args: A) => Promise<R[]> {
  return templated(build)
}

/** Returns a function that inserts a complete row. */
export function preparedInsert<T extends keyof Schema>(table: T): (tx: Writer, row: Schema[T]) => Promise<void> {
  let columns: string[] | undefined
  const insert = templated((tx: Writer, ...values: Plain[]) =>
    tx.insertInto(table).values(Object.fromEntries(columns!.map((name, at) => [name, values[at]])) as never),
  )
  return async (tx, row) => {
    columns ??= Object.keys(row)
    const values = row as object as Record<string, Plain>
    await insert(tx, ...columns.map((name) => values[name]!))
  }
}

function templated<D extends Reader, A extends Plain[], R>(build: (db: D, ...args: A) => Compilable<R>) {
  const templates = new WeakMap<DialectAdapter, Template<R>>()
  return async (db: D, ...args: A): Promise<R[]> => {
    const kysely = db as Reader as Kysely<Schema>
    const adapter: DialectAdapter & Partial<Direct> = kysely.getExecutor().adapter
    let template = templates.get(adapter)
    if (template === undefined) {
      template = templateOf(build, db, args.length)
      templates.set(adapter, template)
    }
    const { compiled, argumentOf } = template
    const parameters = argumentOf.map((index, at) => (index === -1 ? compiled.parameters[at] : args[index]))
    if (adapter.run !== undefined) return adapter.run(compiled.sql, parameters) as R[]
    const query: CompiledQuery<R> = { ...compiled, parameters }
    return (await kysely.executeQuery(query)).rows
  }
}

interface Template<R> {
  compiled: CompiledQuery<R>
  /** For each parameter, the index of its argument. -1 for a constant. */
  argumentOf: number[]
}

function templateOf<D, A extends Plain[], R>(
  build: (db: D, ...args: A) => Compilable<R>,
  db: D,
  length: number,
): Template<R> {
  const placeholders = Array.from({ length }, () => ({}))
  const compiled = build(db, ...(placeholders as unknown as A)).compile()
  const argumentOf = compiled.parameters.map((parameter) => placeholders.indexOf(parameter as object))
  if (placeholders.some((_, at) => !argumentOf.includes(at))) {
    throw new Error(`An argument is not a parameter of: ${compiled.sql}`)
  }
  return { compiled, argumentOf }
}
