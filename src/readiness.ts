/** Readiness: whether the store can be read and written, the engine answers, and the public URL is served. */
import type { Engine } from './engine/engine.ts'
import { tryToWrite } from './store/meta.ts'
import type { Store } from './store/sqlite/open.ts'

/** An error message for each dependency; '' if the dependency works. */
export interface Readiness {
  store: string
  engine: string
  /** Whether clients reach Berth at BERTH_PUBLIC_URL; '' also without this setting. Berth works all the same. */
  publicUrl: string
}

/** @param publicUrlFault returns an error message, or '' */
export async function readinessOf(
  { db, transact, fault }: Store,
  engine: Engine,
  publicUrlFault: () => Promise<string>,
): Promise<Readiness> {
  const [readFault, engineFault, publicUrl] = await Promise.all([
    faultOf(db.selectFrom('meta').select('key').limit(1).execute()),
    faultOf(engine.ping()),
    // If the store cannot be read, `store` says why.
    publicUrlFault().catch(() => ''),
  ])
  if (readFault !== '' || fault() === null) return { store: readFault, engine: engineFault, publicUrl }
  // The last write failed. There may be no other writes, so this write checks whether the store is writable again.
  const writeFault = await faultOf(transact(tryToWrite))
  return { store: writeFault || (fault()?.message ?? ''), engine: engineFault, publicUrl }
}

/** The error message of an attempt; '' if the attempt succeeds. */
const faultOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => '',
    (error: Error) => error.message,
  )
