/** The temporary servers of a move. Data is copied from a server on the old volume to a server on the new volume. */
import { EngineFailure, type NamedService } from '../../engine/engine.ts'
import { roleLabel } from '../../engine/labels.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { ensureService } from '../../gateways/ensure-service.ts'
import { kindNamed } from '../../kinds/index.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { secretsOf } from '../secrets.ts'
import { settingsOfVolume } from '../targets.ts'
import type { Server } from '../tool-server.ts'
import type { Runtime } from '../../runtime.ts'
import { remainingContainers } from '../reconcile/remaining-containers.ts'
import { databaseSpec } from '../reconcile/specs.ts'
import type { MoveContext } from './progress.ts'
import { throwFailure } from './retries.ts'
import type { MoveTable } from './table.ts'

export type Side = 'source' | 'target'

/** The service name of a temporary server. Clients do not know this name, so they do not connect during the copy. */
export const temporaryServerName = (move: Pick<MoveTable, 'deploymentId'>, side: Side) =>
  `berth-${side}-${move.deploymentId}`

/**
 * The database's specification under a temporary name, with the server's scheduled jobs and expiry of data disabled.
 */
export function temporaryServerSpec({ config }: Runtime, moveContext: MoveContext, side: Side): ServiceSpec {
  const {
    job: { row },
    target,
    from,
    to,
  } = moveContext
  const kind = kindNamed(row.kind)
  const command = [target.command ?? '', ...(kind.backup?.temporaryServerArgs ?? [])].join(' ')
  const spec = databaseSpec(row, { ...target, command }, side === 'source' ? from : to, kind, config.imageAliases, 1)
  return { ...spec, name: temporaryServerName(moveContext.move, side), labels: { ...spec.labels, [roleLabel]: 'move' } }
}

/**
 * A server that a move copies from or to, as tools reach it.
 * @param volume the volume that the server runs on
 */
export function moveServer(
  { runtime, moveContext }: { runtime: Runtime; moveContext: MoveContext },
  host: string,
  { nodeId }: VolumeTable,
): Server {
  const {
    job: { row },
    from,
  } = moveContext
  const kind = kindNamed(row.kind)
  return {
    kind,
    host,
    nodeId,
    image: temporaryServerSpec(runtime, moveContext, 'source').image,
    version: from.serverVersion,
    settings: settingsOfVolume(runtime.vault, from),
    mask: maskerOf(secretsOf(runtime.vault, row, from, kind.secrets)),
  }
}

/**
 * Removes temporary servers of a move, and jobs that its copy has left, for example in a crash of Berth. Does not wait
 * for a node that does not answer: `removeLeftoverJobs` removes its jobs later. Returns whether these servers and their
 * containers are gone.
 * @throws EngineFailure if a server cannot be removed now
 */
export async function endServers(
  runtime: Runtime,
  move: MoveTable,
  sides: Side[],
  existing: NamedService[],
): Promise<boolean> {
  const names = sides.map((side) => temporaryServerName(move, side))
  const jobs = (await runtime.engine.listJobs()).filter(({ recordId }) => recordId === move.deploymentId)
  await Promise.all(jobs.map(({ name, nodeId }) => runtime.engine.removeJob(name, nodeId).catch(ignoreUnreachable)))
  const results = await Promise.all(names.map((name) => ensureService(runtime, name, null, existing)))
  throwFailure(results)
  return results.every((result) => result === null) && (await remainingContainers(runtime, names, null)).length === 0
}

function ignoreUnreachable(error: unknown): void {
  if (!(error instanceof EngineFailure) || error.reason !== 'nodeUnreachable') throw error
}
