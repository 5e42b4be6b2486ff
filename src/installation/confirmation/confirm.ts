/** Confirms a restored state. */
import { placementOf } from '../../databases/service-placement.ts'
import { markConfirmed } from '../../store/unconfirmed.ts'
import type { Writer } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Facts } from './differences.ts'

/**
 * Marks the state as confirmed. Since the backup, the volume of a server that runs can have got other data with a
 * person's word, or the first start of the server can have ended. What the state says about the data would then halt a
 * healthy database.
 */
export async function confirmState(tx: Writer, { servers }: Pick<Facts, 'servers'>): Promise<void> {
  for (const server of servers) {
    const volume = server.replicas > 0 ? placementOf(server)?.volume : undefined
    if (volume !== undefined) await volumes.acceptPresentData(tx, volume)
  }
  await markConfirmed(tx)
}
