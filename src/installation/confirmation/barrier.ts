/** Holds changes back while a restored state is unconfirmed. */
import type { Barrier } from '../../gate/gate.ts'
import type { GateReason } from '../../gate/reason.ts'
import type { Reader } from '../../store/schema.ts'
import { unconfirmedSince } from '../../store/unconfirmed.ts'

const isUnconfirmedIn = async (db: Reader) => (await unconfirmedSince(db)) !== null

/** Reads the store. Only a restore makes a state unconfirmed, and Berth is stopped then. */
export async function confirmationBarrier(db: Reader): Promise<Barrier> {
  let isUnconfirmed = await isUnconfirmedIn(db)
  const reason = (): GateReason | null => (isUnconfirmed ? { reason: 'StateUnconfirmed' } : null)
  return {
    reason,
    async check() {
      // If the store cannot be read, changes stay held back.
      if (isUnconfirmed) isUnconfirmed = await isUnconfirmedIn(db).catch(() => true)
      return reason()
    },
  }
}
