/**
 * Queries whose SQL is made once: making it takes several times as long as running it. A call then only fills in the
 * parameters. For what every request asks; all else builds its queries in place. Knows no table.
 */
import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from 'kysely'
import type { Reader, Schema } from './schema.ts'

type Plain = string | number | null

/**
 * `build` is called once for each dialect, with stand-ins: what it is given may become parameters of the query and
 * nothing else, so the query's text must not depend on it.
 */
export function prepared<A extends Plain[], R>(build: (db: Reader, ...args: A) => Compilable<R>) {
  const fillers = new WeakMap<DialectAdapter, (args: A) => CompiledQuery<R>>()
  return async (db: Reader, ...args: A): Promise<R[]> => {
    const kysely = db as Kysely<Schema>
    const { adapter } = kysely.getExecutor()
    let fill = fillers.get(adapter)
    if (fill === undefined) fillers.set(adapter, fill = fillerOf(build, db))
    return (await kysely.executeQuery(fill(args))).rows
  }
}

function fillerOf<A extends Plain[], R>(build: (db: Reader, ...args: A) => Compilable<R>, db: Reader) {
  const standIns = Array.from({ length: build.length - 1 }, () => ({}))
  const compiled = build(db, ...standIns as unknown as A).compile()
  const places = compiled.parameters.map((parameter) => standIns.indexOf(parameter as object))
  if (standIns.some((_, at) => !places.includes(at))) throw new Error(`A value is no parameter of: ${compiled.sql}`)
  return (args: A): CompiledQuery<R> =>
    ({ ...compiled, parameters: places.map((place, at) => (place === -1 ? compiled.parameters[at] : args[place])) })
}
