/**
 * A database whose node is away is held: its service is to have no container. Without that the swarm starts one as soon
 * as the node is back, while the one before, which a cut in the network did not end, may still write to the same files.
 */
import type { FoundService } from '../../engine/engine.ts'
import { unchangedRow, type Watched } from './queries.ts'
import type { Place } from '../../cluster/availability.ts'
import { type Mounted, wantedSpecs } from '../reconcile/wanted-digests.ts'
import type { Runtime } from '../../runtime.ts'

/** Let go again by a repair, which waits until the last container has ended: see drift.ts and decide.ts. */
export async function hold(runtime: Runtime, row: Watched, volume: Mounted & Place, service: FoundService | undefined) {
  if (service === undefined || service.replicas === 0 || service.labels['berth.database'] !== row.id) return
  // It may have moved meanwhile.
  const whole = await unchangedRow(runtime.db, row)
  const specs = whole === undefined ? null : wantedSpecs(runtime, whole, volume)
  if (specs === null) return
  await runtime.engine.updateService({ ...specs.database, replicas: 0 })
  runtime.log.warn('a database is held while its node is away', { databaseId: row.id, nodeName: volume.nodeName })
}
