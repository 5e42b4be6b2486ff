/** The temporary servers of a move. Data is copied from a server on the old volume to a server on the new volume. */
import type { NamedService } from '../../engine/engine.ts'
import { roleLabel } from '../../engine/labels.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { ensureService } from '../../gateways/ensure-service.ts'
import { kindNamed } from '../../kinds/index.ts'
import { type Kind, withoutLasting } from '../../kinds/kind.ts'
import type { Runtime } from '../../runtime.ts'
import { remainingContainers } from '../reconcile/drain.ts'
import { openSpec } from '../reconcile/specs.ts'
import { startTarget } from '../login/start-secrets.ts'
import type { Settings } from '../targets.ts'
import type { MoveContext } from './progress.ts'
import type { MoveTable } from './table.ts'

export type Side = 'source' | 'target'

/** The service name of a temporary server. Clients do not know this name, so they do not connect during the copy. */
export const temporaryServerName = (move: Pick<MoveTable, 'deploymentId'>, side: Side) =>
  `berth-${side}-${move.deploymentId}`

/**
 * The database's specification under a temporary name, open to the tools of the move, with the server's scheduled jobs
 * and expiry of data disabled. The new data is not prepared for lasting settings: the first server under the database's
 * own name does that.
 */
export function temporaryServerSpec({ config, vault }: Runtime, moveContext: MoveContext, side: Side): ServiceSpec {
  const {
    job: { row },
    from,
    to,
  } = moveContext
  const kind = kindNamed(row.kind)
  const added = kind.backup?.temporaryServerArgs
  const volume = side === 'source' ? from : to
  const settings = settingsOnSide(kind, moveContext.target.settings, side)
  const target = startTarget(vault, volume, { ...moveContext.target, settings })
  const spec = openSpec(row, target, volume, kind, config.imageAliases, 1, added)
  return {
    ...spec,
    isIsolated: true,
    // In a restore, the target runs beside the database on its node, which may not have room for a second reservation.
    ...(moveContext.move.restoreRunId === null ? {} : { memoryReservationBytes: null, cpuReservationNano: null }),
    name: temporaryServerName(moveContext.move, side),
    labels: { ...spec.labels, [roleLabel]: 'move' },
  }
}

/** The settings of the temporary server on this side. */
export const settingsOnSide = (kind: Kind, settings: Settings, side: Side) =>
  side === 'source' ? settings : withoutLasting(kind, settings)

/**
 * Removes temporary servers of a move, and jobs that its copy has left, for example in a crash of Berth. Returns
 * whether these servers and their containers are gone.
 */
export async function endServers(
  runtime: Runtime,
  move: MoveTable,
  sides: Side[],
  existing: NamedService[],
): Promise<boolean> {
  const names = sides.map((side) => temporaryServerName(move, side))
  const jobs = (await runtime.engine.listJobs()).filter(({ recordId }) => recordId === move.deploymentId)
  await Promise.all(jobs.map(({ name }) => runtime.engine.removeJob(name)))
  const results = await Promise.all(names.map((name) => ensureService(runtime, name, move.databaseId, null, existing)))
  return results.every((result) => result === null) && (await remainingContainers(runtime, names, null)).length === 0
}
