/**
 * Queries whose SQL is made once: making it takes several times as long as running it. A call then only fills in the
 * parameters. For what every request asks; all else builds its queries in place. Knows no table.
 */
import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from 'kysely'
import type { Reader, Schema } from './schema.ts'

type Plain = string | number | null

/** A way past Kysely, for queries that are compiled already: a dialect's adapter may have it. */
export interface Direct { run(sql: string, parameters: readonly unknown[]): unknown[] }

/**
 * `build` is called once for each dialect, with stand-ins: what it is given may become parameters of the query and
 * nothing else, so the query's text must not depend on it.
 */
export function prepared<A extends Plain[], R>(build: (db: Reader, ...args: A) => Compilable<R>) {
  const known = new WeakMap<DialectAdapter, Template<R>>()
  return async (db: Reader, ...args: A): Promise<R[]> => {
    const kysely = db as Kysely<Schema>
    const adapter: DialectAdapter & Partial<Direct> = kysely.getExecutor().adapter
    let template = known.get(adapter)
    if (template === undefined) known.set(adapter, template = templateOf(build, db))
    const { compiled, places } = template
    const parameters = places.map((place, at) => (place === -1 ? compiled.parameters[at] : args[place]))
    if (adapter.run !== undefined) return adapter.run(compiled.sql, parameters) as R[]
    const query: CompiledQuery<R> = { ...compiled, parameters }
    return (await kysely.executeQuery(query)).rows
  }
}

/** `places`: for each parameter which of the arguments it is; -1 where it is always the same. */
interface Template<R> { compiled: CompiledQuery<R>; places: number[] }

function templateOf<A extends Plain[], R>(build: (db: Reader, ...args: A) => Compilable<R>, db: Reader): Template<R> {
  const standIns = Array.from({ length: build.length - 1 }, () => ({}))
  const compiled = build(db, ...standIns as unknown as A).compile()
  const places = compiled.parameters.map((parameter) => standIns.indexOf(parameter as object))
  if (standIns.some((_, at) => !places.includes(at))) throw new Error(`A value is no parameter of: ${compiled.sql}`)
  return { compiled, places }
}
