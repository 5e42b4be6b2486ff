/** Whether Berth can do its work: whether its store can be read and written, and whether the engine answers. */
import type { Engine } from './engine/engine.ts'
import { tryToWrite } from './store/meta.ts'
import type { Store } from './store/sqlite/open.ts'

/** What is wrong with each; '' where it answers. */
export interface Readiness {
  store: string
  engine: string
}

export async function readinessOf({ db, transact, fault }: Store, engine: Engine): Promise<Readiness> {
  const [read, engineFault] = await Promise.all([
    faultOf(db.selectFrom('meta').select('key').limit(1).execute()),
    faultOf(engine.ping()),
  ])
  if (read !== '' || fault() === null) return { store: read, engine: engineFault }
  // Perhaps nobody else writes: whether it can be again is found out by writing what is there already.
  const written = await faultOf(transact(tryToWrite))
  return { store: written || (fault()?.message ?? ''), engine: engineFault }
}

const faultOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => '',
    (error: Error) => error.message,
  )
