/**
 * Selects the runs to start next, in the order of their due times. The number of concurrent runs is limited per node
 * and per destination, so a node or a destination that hangs does not block the runs on others.
 */
import type { Reader } from '../../store/schema.ts'
import type { RunAction } from '../table.ts'

/** The node and the destination that a run uses. Concurrent runs are limited for each of them. */
export interface RunResources {
  /** The node of the database's volume; null if the run has no database, or the database has no volume. */
  nodeId: string | null
  destinationId: string
}

export interface Candidate extends RunResources {
  id: string
  cancelled: 0 | 1
}

/** Maximum number of candidates per turn. The others are considered in the next turn. */
const batchSize = 100

/**
 * The due runs that can start now. A cancelled run can always start: it uses no resource, because it only ends.
 * @param inUse the resources of the runs under way, by run id
 * @param maxPerResource the maximum number of concurrent runs per node and per destination
 * @param actions the actions of runs that may start
 */
export async function nextRuns(
  db: Reader,
  inUse: ReadonlyMap<string, RunResources>,
  maxPerResource: number,
  actions: readonly RunAction[],
  now: Date,
): Promise<Candidate[]> {
  const full = fullResources([...inUse.values()], maxPerResource)
  const due = await db
    .selectFrom('backupRun as run')
    .leftJoin('database', 'database.id', 'run.databaseId')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select(['run.id', 'run.cancelled', 'run.destinationId', 'volume.nodeId'])
    .where('run.finishedAt', 'is', null)
    .where('run.trigger', '!=', 'safety')
    .where('run.dueAt', '<=', now.toISOString())
    .where('run.id', 'not in', [...inUse.keys()])
    .where((eb) =>
      eb.or([
        eb('run.cancelled', '=', 1),
        eb.and([
          eb('run.action', 'in', actions),
          eb('run.destinationId', 'not in', full.destinations),
          eb.or([eb('volume.nodeId', 'is', null), eb('volume.nodeId', 'not in', full.nodes)]),
        ]),
      ]),
    )
    .orderBy('run.dueAt')
    .orderBy('run.id')
    .limit(batchSize)
    .execute()
  return selectRuns(due, [...inUse.values()], maxPerResource)
}

/** The due runs that are cancelled or whose node and destination have capacity, in the same order. Pure. */
export function selectRuns<C extends Candidate>(
  due: readonly C[],
  inUse: readonly RunResources[],
  maxPerResource: number,
): C[] {
  const resources = [...inUse]
  return due.filter((candidate) => {
    const { destinationId, nodeId, cancelled } = candidate
    const full = fullResources(resources, maxPerResource)
    const hasCapacity = !full.destinations.includes(destinationId) && (nodeId === null || !full.nodes.includes(nodeId))
    if (hasCapacity && cancelled === 0) resources.push(candidate)
    return hasCapacity || cancelled === 1
  })
}

function fullResources(
  inUse: readonly RunResources[],
  maxPerResource: number,
): { nodes: string[]; destinations: string[] } {
  return {
    nodes: fullIn(
      inUse.flatMap(({ nodeId }) => nodeId ?? []),
      maxPerResource,
    ),
    destinations: fullIn(
      inUse.map(({ destinationId }) => destinationId),
      maxPerResource,
    ),
  }
}

function fullIn(ids: string[], maxPerResource: number): string[] {
  return [...Map.groupBy(ids, (id) => id)].filter(([, all]) => all.length >= maxPerResource).map(([id]) => id)
}
