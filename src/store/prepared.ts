/**
 * Queries whose SQL is made once: making it takes several times as long as running it. A call then only fills in the
 * parameters. For what every request asks; all else builds its queries in place. Knows no table.
 */
import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from 'kysely'
import type { Reader, Schema, Writer } from './schema.ts'

type Plain = string | number | null

/** A way past Kysely, for queries that are compiled already: a dialect's adapter may have it. */
export interface Direct {
  run(sql: string, parameters: readonly unknown[]): unknown[]
}

/**
 * `build` is called once for each dialect, with stand-ins: what it is given may become parameters of the query and
 * nothing else, so the query's text must not depend on it.
 */
export function prepared<A extends Plain[], R>(
  build: (db: Reader, ...args: A) => Compilable<R>,
): (db: Reader, ...args: A) => Promise<R[]> {
  return templated(build)
}

/** Inserts whole rows. */
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
  const known = new WeakMap<DialectAdapter, Template<R>>()
  return async (db: D, ...args: A): Promise<R[]> => {
    const kysely = db as Reader as Kysely<Schema>
    const adapter: DialectAdapter & Partial<Direct> = kysely.getExecutor().adapter
    let template = known.get(adapter)
    if (template === undefined) {
      template = templateOf(build, db, args.length)
      known.set(adapter, template)
    }
    const { compiled, places } = template
    const parameters = places.map((place, at) => (place === -1 ? compiled.parameters[at] : args[place]))
    if (adapter.run !== undefined) return adapter.run(compiled.sql, parameters) as R[]
    const query: CompiledQuery<R> = { ...compiled, parameters }
    return (await kysely.executeQuery(query)).rows
  }
}

/** `places`: for each parameter which of the arguments it is; -1 where it is always the same. */
interface Template<R> {
  compiled: CompiledQuery<R>
  places: number[]
}

function templateOf<D, A extends Plain[], R>(
  build: (db: D, ...args: A) => Compilable<R>,
  db: D,
  length: number,
): Template<R> {
  const standIns = Array.from({ length }, () => ({}))
  const compiled = build(db, ...(standIns as unknown as A)).compile()
  const places = compiled.parameters.map((parameter) => standIns.indexOf(parameter as object))
  if (standIns.some((_, at) => !places.includes(at))) throw new Error(`A value is no parameter of: ${compiled.sql}`)
  return { compiled, places }
}
