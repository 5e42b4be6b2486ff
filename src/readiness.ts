/** Readiness: whether the store can be read and written, the engine answers, and Berth accepts changes. */
import type { Engine } from './engine/engine.ts'
import type { Gate } from './gate/gate.ts'
import { gateMessage } from './gate/reason-message.ts'
import { tryToWrite } from './store/meta.ts'
import type { Store } from './store/sqlite/open.ts'

/** An error message for each dependency; '' if the dependency works. */
export interface Readiness {
  store: string
  engine: string
  /** Why changes are held back. */
  changes: string
}

export async function readinessOf(store: Store, engine: Engine, gate: Gate): Promise<Readiness> {
  const [storeFault, engineFault] = await Promise.all([faultOfStore(store), faultOf(engine.ping())])
  const reason = gate.reason()
  return { store: storeFault, engine: engineFault, changes: reason === null ? '' : gateMessage(reason) }
}

async function faultOfStore({ db, transact, fault }: Store): Promise<string> {
  const readFault = await faultOf(db.selectFrom('meta').select('key').limit(1).execute())
  if (readFault !== '' || fault() === null) return readFault
  // The last write failed. There may be no other writes, so this write checks whether the store is writable again.
  const writeFault = await faultOf(transact(tryToWrite))
  return writeFault || (fault()?.message ?? '')
}

/** The error message of an attempt; '' if the attempt succeeds. */
const faultOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => '',
    (error: Error) => error.message,
  )
