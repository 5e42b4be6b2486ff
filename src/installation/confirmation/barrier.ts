/** Holds changes back while a restored state is unconfirmed. */
import type { Barrier } from '../../gate/gate.ts'
import type { Reader } from '../../store/schema.ts'
import { unconfirmedSince } from '../../store/unconfirmed.ts'

/** Reads the store. Only a restore makes a state unconfirmed, and Berth is stopped then. */
export async function confirmationBarrier(db: Reader): Promise<Barrier> {
  let isUnconfirmed = (await unconfirmedSince(db)) !== null
  return {
    reason: () => (isUnconfirmed ? { reason: 'StateUnconfirmed' } : null),
    async refresh() {
      if (!isUnconfirmed) return
      // If the store cannot be read, changes stay held back.
      isUnconfirmed = await unconfirmedSince(db).then(
        (since) => since !== null,
        () => true,
      )
    },
  }
}
