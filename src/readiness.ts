/** Readiness: whether the store can be read and written, and whether the engine answers. */
import type { Engine } from './engine/engine.ts'
import { tryToWrite } from './store/meta.ts'
import type { Store } from './store/sqlite/open.ts'

/** An error message for each dependency; '' if the dependency works. */
export interface Readiness {
  store: string
  engine: string
}

export async function readinessOf({ db, transact, fault }: Store, engine: Engine): Promise<Readiness> {
  const [readFault, engineFault] = await Promise.all([
    faultOf(db.selectFrom('meta').select('key').limit(1).execute()),
    faultOf(engine.ping()),
  ])
  if (readFault !== '' || fault() === null) return { store: readFault, engine: engineFault }
  // The last write failed. There may be no other writes, so this write checks whether the store is writable again.
  const writeFault = await faultOf(transact(tryToWrite))
  return { store: writeFault || (fault()?.message ?? ''), engine: engineFault }
}

/** The error message of an attempt; '' if the attempt succeeds. */
const faultOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => '',
    (error: Error) => error.message,
  )
