/**
 * Selects the runs to start next, in the order of their due times. The number of concurrent runs is limited per node
 * and per destination, so a node or a destination that hangs does not block the runs on others.
 */
import type { Reader } from '../../store/schema.ts'

/** What the limits on concurrent runs are counted by. */
export interface Places {
  /** The node of the database's volume; null if the database has none. */
  nodeId: string | null
  destinationId: string
}

export interface Candidate extends Places {
  id: string
  cancelled: 0 | 1
}

/** Candidates per turn. The others are considered in the next turn. */
const batchSize = 100

/**
 * The due runs that can start now. A cancelled run is always included: it needs no place, because it only ends.
 * @param taken the places of the runs under way, by run id
 * @param maxPerPlace the number of concurrent runs per node and per destination
 */
export async function nextRuns(
  db: Reader,
  taken: ReadonlyMap<string, Places>,
  maxPerPlace: number,
  now: Date,
): Promise<Candidate[]> {
  const full = fullPlaces([...taken.values()], maxPerPlace)
  const due = await db
    .selectFrom('backupRun as run')
    .leftJoin('database', 'database.id', 'run.databaseId')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select(['run.id', 'run.cancelled', 'run.destinationId', 'volume.nodeId'])
    .where('run.finishedAt', 'is', null)
    .where('run.trigger', '!=', 'safety')
    .where('run.dueAt', '<=', now.toISOString())
    .where('run.id', 'not in', [...taken.keys()])
    .where((is) =>
      is.or([
        is('run.cancelled', '=', 1),
        is.and([
          is('run.destinationId', 'not in', full.destinations),
          is.or([is('volume.nodeId', 'is', null), is('volume.nodeId', 'not in', full.nodes)]),
        ]),
      ]),
    )
    .orderBy('run.dueAt')
    .orderBy('run.id')
    .limit(batchSize)
    .execute()
  return selectRuns(due, [...taken.values()], maxPerPlace)
}

/** The due runs that there is a place for, in the same order. Pure. */
export function selectRuns<C extends Candidate>(due: readonly C[], taken: readonly Places[], maxPerPlace: number): C[] {
  const places = [...taken]
  return due.filter((candidate) => {
    const { destinationId, nodeId, cancelled } = candidate
    const full = fullPlaces(places, maxPerPlace)
    const hasPlace = !full.destinations.includes(destinationId) && (nodeId === null || !full.nodes.includes(nodeId))
    if (hasPlace && cancelled === 0) places.push(candidate)
    return hasPlace || cancelled === 1
  })
}

function fullPlaces(taken: readonly Places[], maxPerPlace: number): { nodes: string[]; destinations: string[] } {
  return {
    nodes: fullIn(
      taken.flatMap(({ nodeId }) => nodeId ?? []),
      maxPerPlace,
    ),
    destinations: fullIn(
      taken.map(({ destinationId }) => destinationId),
      maxPerPlace,
    ),
  }
}

function fullIn(ids: string[], maxPerPlace: number): string[] {
  return [...Map.groupBy(ids, (id) => id)].filter(([, all]) => all.length >= maxPerPlace).map(([id]) => id)
}
