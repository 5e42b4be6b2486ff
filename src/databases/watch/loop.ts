/**
 * The loop that watches all databases that should be up and have no deployment in progress. A turn lists services,
 * tasks, disconnected containers and nodes once for all databases. It makes further calls to the engine only for
 * databases that changed or do not run.
 */
import type { ElsewhereReason, NameReason, NodeReason } from '../../deployments/reason.ts'
import type { FoundNode, FoundService, FoundTask } from '../../engine/engine.ts'
import { ownershipOf } from '../../engine/plan.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import { elsewhereReason, newerPlacement } from '../service-placement.ts'
import { attachedVolumes, databasesUp, type Watched, type WatchedVolume } from './queries.ts'
import { nodeUnavailableReason } from '../../cluster/availability.ts'
import { driftOf, type DriftInput } from './drift.ts'
import { fence } from './fence.ts'
import { orphanReporter } from './orphans.ts'
import { isAsKnown, recordLeftAlone, recordNodeUnavailable, recordObservation } from './record-observation.ts'
import { gatewayName } from '../reconcile/specs.ts'
import { newLoginBackoff, type LoginBackoff } from './login-backoff.ts'
import { wantedDigests } from '../reconcile/wanted-digests.ts'
import type { Runtime } from '../../runtime.ts'

/** The maximum number of databases inspected at the same time. One database that does not answer delays no other. */
const maxConcurrentQueries = 16

/** Records the applications among all services of the swarm. Returns whether the proxy or a gateway must change. */
export type RecordApplications = (services: readonly FoundService[]) => Promise<boolean>

export function watchLoop(runtime: Runtime, recordApplications: RecordApplications): Loop<'watch'> {
  const reportOrphans = orphanReporter(runtime)
  const wantedOf = wantedDigests(runtime)
  const readSwarm = swarmReader(runtime)
  const loginBackoff = newLoginBackoff(runtime)
  return { name: 'watch', periodMs: 5000, minGapMs: 1000, turn }

  async function turn(): Promise<Turn> {
    if (runtime.gate.reason('read') !== null) return 'idle'
    await runtime.ensureEngine()
    // The rows must be read before the services. Otherwise a database that is deployed in between would seem to have no
    // service.
    const rows = await databasesUp(runtime.db)
    const services = await runtime.engine.services()
    if (await recordApplications(services)) {
      runtime.wake('ports')
      runtime.wake('proxy')
    }
    await reportOrphans(services, new Set(rows.map(({ id }) => id)))
    if (rows.length > 0) await observeAll(runtime, loginBackoff, rows, await readSwarm(services), wantedOf)
    return 'idle'
  }
}

async function observeAll(
  runtime: Runtime,
  loginBackoff: LoginBackoff,
  rows: Watched[],
  servicesOf: ServicesOf,
  wantedOf: ReturnType<typeof wantedDigests>,
) {
  const [nodes, volumes] = await Promise.all([runtime.engine.nodes(), attachedVolumes(runtime.db)])
  const volumeOf = new Map(volumes.map((volume) => [volume.id, volume]))
  const all = rows.flatMap((row) => {
    const volume = volumeOf.get(row.volumeId ?? '')
    return volume === undefined ? [] : [{ row, volume }]
  })
  const wantedBy = await wantedOf(all)
  const now = runtime.now().getTime()
  const steps = all.flatMap(({ row, volume }) => {
    const wanted = wantedBy(row.id)
    if (wanted === null) return []
    const input = { wanted, ...servicesOf(row) }
    const obstacle = obstacleTo(runtime, row, volume, input.database, nodes)
    if (obstacle !== null) return [() => recordLeftAlone(runtime, row, obstacle)]
    const unavailable = nodeUnavailableReason(nodes, volume)
    if (unavailable !== null) return [() => fenceUnavailable(runtime, row, volume, input.database, unavailable)]
    const drift = driftOf(input)
    if (isAsKnown(row, input.databaseTasks, drift, now)) return []
    return [
      async () => {
        const hasBegun = await recordObservation(runtime, loginBackoff, row, input.databaseTasks, drift)
        if (hasBegun) runtime.wake('services')
      },
    ]
  })
  await forEachConcurrent(steps, maxConcurrentQueries, (step) => step())
}

/**
 * Why the service must not be compared, repaired or fenced: it does not belong to the database, or the record is older
 * than the service.
 */
function obstacleTo(
  { installationId }: Runtime,
  { id }: Watched,
  volume: WatchedVolume,
  service: FoundService | undefined,
  nodes: readonly FoundNode[],
): NameReason | ElsewhereReason | null {
  if (service === undefined) return null
  const { name } = service
  if (ownershipOf(service, { installationId, databaseId: id }) !== 'own')
    return { reason: 'AppNameTaken', service: name }
  const difference = newerPlacement(volume, service)
  return difference === null ? null : elsewhereReason(name, difference, nodes)
}

async function fenceUnavailable(
  runtime: Runtime,
  row: Watched,
  volume: WatchedVolume,
  service: FoundService | undefined,
  reason: NodeReason,
) {
  if (runtime.gate.reason() === null) await fence(runtime, row, volume, service)
  await recordNodeUnavailable(runtime, row, reason)
}

type ServicesOf = (row: Watched) => Omit<DriftInput, 'wanted'>

/**
 * Returns a function that groups the services and tasks on the swarm by database. A stopping container leaves the
 * network before Swarm reports its end. Therefore a container counts as disconnected only if two consecutive turns find
 * it outside the network.
 */
function swarmReader({ engine }: Runtime): (services: FoundService[]) => Promise<ServicesOf> {
  let previous = new Set<string>()
  return async (services) => {
    const [allTasks, detached] = await Promise.all([engine.tasks(), engine.detached()])
    const disconnected = allTasks.filter(({ containerId }) => detached.has(containerId ?? '')).map(({ id }) => id)
    const confirmed = new Set(disconnected.filter((id) => previous.has(id)))
    previous = new Set(disconnected)
    const tasks = Map.groupBy(allTasks, (task) => task.serviceName)
    const byName = new Map(services.map((service) => [service.name, service]))
    const isDetached = (task: FoundTask) => confirmed.has(task.id)
    return ({ id, appName }) => {
      const nameOfGateway = gatewayName(id)
      return {
        database: byName.get(appName),
        databaseTasks: tasks.get(appName) ?? [],
        gateway: byName.get(nameOfGateway),
        gatewayTasks: tasks.get(nameOfGateway) ?? [],
        isDetached,
      }
    }
  }
}
