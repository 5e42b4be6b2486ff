/**
 * The loop of a restored state: a state that does not differ from what runs confirms itself. After the confirmation the
 * loop removes what a move has left.
 */
import { appendMachineEntry } from '../../api/audit-log.ts'
import { viewOf } from '../../engine/view.ts'
import type { Loop } from '../../lib/async/loop.ts'
import type { Runtime } from '../../runtime.ts'
import { confirmState } from './confirm.ts'
import { differencesOf, hasDifferences } from './differences.ts'
import { removeLeftovers } from './leftovers.ts'
import { readFacts } from './read-facts.ts'
import { unconfirmedSince } from '../../store/unconfirmed.ts'

export function confirmationLoop(runtime: Runtime): Loop<'confirmation'> {
  return {
    name: 'confirmation',
    periodMs: 60_000,
    againMs: 5000,
    async turn() {
      if ((await unconfirmedSince(runtime.db)) === null) return (await removeLeftovers(runtime)) ? 'idle' : 'again'
      return (await confirmIfEqual(runtime)) ? 'idle' : 'again'
    },
  }
}

async function confirmIfEqual(runtime: Runtime): Promise<boolean> {
  const { db, engine, installationId, transact, vault, now, log, gate } = runtime
  // Another Berth in charge can change what runs at any time, and an upgrade can replace the store.
  if ((await gate.check('read')) !== null) return false
  const facts = await readFacts(db, viewOf(engine), installationId)
  if (hasDifferences(differencesOf(facts))) return false
  await transact(async (tx) => {
    if ((await unconfirmedSince(tx)) === null) return
    await confirmState(tx, facts)
    await appendMachineEntry(tx, vault, 'machine.confirmState', null, now())
  })
  await gate.check()
  log.info('the restored state equals what runs; it is confirmed')
  return true
}
