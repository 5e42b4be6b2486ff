/**
 * The loop over everything that should be up and that nobody is working on: four calls to the engine, however
 * many databases there are; more only for those that changed.
 */
import type { NodeReason } from '../../deployments/reason.ts'
import type { FoundService, FoundTask } from '../../engine/engine.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import { attachedVolumes, databasesUp, type Watched } from './queries.ts'
import { applicationNoter } from '../../routing/record-applications.ts'
import { awayReason, type Place } from '../../cluster/availability.ts'
import { driftOf, type Sighted } from './drift.ts'
import { hold } from './fence.ts'
import { orphanReporter } from './orphans.ts'
import { isAsKnown, noteAway, writeSeen } from './record-observation.ts'
import { gatewayName } from '../reconcile/specs.ts'
import { loginTries, type Tries } from './login-backoff.ts'
import { type Mounted, wantedDigests } from '../reconcile/wanted-digests.ts'
import type { Runtime } from '../../runtime.ts'

/** Databases that are looked at closer at the same moment: one that does not answer holds up no other. */
const maxConcurrentQueries = 16

export function watchLoop(runtime: Runtime): Loop<'watch'> {
  const reportOrphans = orphanReporter(runtime)
  const wantedOf = wantedDigests(runtime)
  const noteApplications = applicationNoter(runtime)
  const findAll = finderOn(runtime)
  const tries = loginTries(runtime)
  return { name: 'watch', periodMs: 5000, minGapMs: 1000, turn }

  async function turn(): Promise<Turn> {
    await runtime.ensureEngine()
    // Before the services: what is up by then has one.
    const rows = await databasesUp(runtime.db)
    const services = await runtime.engine.services()
    if (await noteApplications(services)) {
      runtime.wake('ports')
      runtime.wake('proxy')
    }
    await reportOrphans(services, new Set(rows.map(({ id }) => id)))
    if (rows.length > 0) await lookAtAll(runtime, tries, rows, await findAll(services), wantedOf)
    return 'idle'
  }
}

async function lookAtAll(
  runtime: Runtime,
  tries: Tries,
  rows: Watched[],
  found: Find,
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
    const seen = { wanted, ...found(row) }
    const away = awayReason(nodes, volume)
    if (away !== null) return [() => holdAway(runtime, row, volume, seen.database, away)]
    const drift = driftOf(seen)
    if (isAsKnown(row, seen.databaseTasks, drift, now)) return []
    return [
      async () => {
        if ((await writeSeen(runtime, tries, row, seen.databaseTasks, drift)) === 'begun') runtime.wake('services')
      },
    ]
  })
  await forEachConcurrent(steps, maxConcurrentQueries, (step) => step())
}

async function holdAway(
  runtime: Runtime,
  row: Watched,
  volume: Mounted & Place,
  service: FoundService | undefined,
  reason: NodeReason,
) {
  await hold(runtime, row, volume, service)
  await noteAway(runtime, row, reason)
}

type Find = (row: Watched) => Omit<Sighted, 'wanted'>

/**
 * All that is to be seen on the swarm, by database. A container that ends leaves the network before the swarm says that
 * it ended: it counts as taken off once it was seen so twice.
 */
function finderOn({ engine }: Runtime): (services: FoundService[]) => Promise<Find> {
  let before = new Set<string>()
  return async (services) => {
    const [found, detached] = await Promise.all([engine.tasks(), engine.detached()])
    const off = found.filter(({ containerId }) => detached.has(containerId ?? '')).map(({ id }) => id)
    const twice = new Set(off.filter((id) => before.has(id)))
    before = new Set(off)
    const tasks = Map.groupBy(found, (task) => task.serviceName)
    const byName = new Map(services.map((service) => [service.name, service]))
    const isDetached = (task: FoundTask) => twice.has(task.id)
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
