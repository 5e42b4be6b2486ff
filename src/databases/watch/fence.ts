/**
 * Fences a database while its node is unavailable: scales the service to zero. A network partition does not end the old
 * container. Without the fence, Swarm would start a new container when the node returns, while the old one may still
 * write to the same files.
 */
import type { FoundService } from '../../engine/engine.ts'
import { ownershipOf } from '../../engine/plan.ts'
import { unchangedRow, type Watched, type WatchedVolume } from './queries.ts'
import { wantedSpecs } from '../reconcile/wanted-digests.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Runtime } from '../../runtime.ts'

/**
 * Scales the service to zero. A repair restores the replica after the last container has ended; see drift.ts and
 * databases/reconcile/decide.ts.
 */
export async function fence(
  runtime: Runtime,
  row: Watched,
  volume: Pick<WatchedVolume, 'id' | 'nodeName'>,
  service: FoundService | undefined,
) {
  if (service === undefined || service.replicas === 0) return
  if (ownershipOf(service, { installationId: runtime.installationId, databaseId: row.id }) !== 'own') return
  // A call may have begun a move in the meantime.
  const current = await unchangedRow(runtime.db, row)
  const mounted = await volumes.find(runtime.db, volume.id)
  const specs = current === undefined || mounted === null ? null : wantedSpecs(runtime, current, mounted)
  if (specs === null) return
  await runtime.engine.updateService({ ...specs.database, replicas: 0 })
  runtime.log.warn('a database was fenced because its node is unavailable', {
    databaseId: row.id,
    nodeName: volume.nodeName,
  })
}
