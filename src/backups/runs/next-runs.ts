/**
 * Which runs begin next: in the order of their times, and so many at once as each node and each destination takes. A
 * node or a destination that hangs keeps nobody else waiting.
 */
import type { Reader } from '../../store/schema.ts'

/** What a run takes a place of. `nodeId`: of the database; null where that has no volume. */
export interface Places {
  nodeId: string | null
  destinationId: string
}

export interface Candidate extends Places {
  id: string
  cancelled: 0 | 1
}

/** More are looked for in the next turn. */
const atOnce = 100

/** `taken`: places of the runs under way, by their ids. One that was called off needs no place, for it only ends. */
export async function nextRuns(
  db: Reader,
  taken: ReadonlyMap<string, Places>,
  most: number,
  now: Date,
): Promise<Candidate[]> {
  const full = fullPlaces([...taken.values()], most)
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
    .limit(atOnce)
    .execute()
  return chosen(due, [...taken.values()], most)
}

/** Of those that are due, in their order, those that there is a place for. Pure. */
export function chosen<C extends Candidate>(due: readonly C[], taken: readonly Places[], most: number): C[] {
  const places = [...taken]
  return due.filter((it) => {
    const full = fullPlaces(places, most)
    const hasPlace =
      !full.destinations.includes(it.destinationId) && (it.nodeId === null || !full.nodes.includes(it.nodeId))
    if (hasPlace && it.cancelled === 0) places.push(it)
    return hasPlace || it.cancelled === 1
  })
}

function fullPlaces(taken: readonly Places[], most: number): { nodes: string[]; destinations: string[] } {
  return {
    nodes: fullIn(
      taken.flatMap(({ nodeId }) => nodeId ?? []),
      most,
    ),
    destinations: fullIn(
      taken.map(({ destinationId }) => destinationId),
      most,
    ),
  }
}

function fullIn(ids: string[], most: number): string[] {
  return [...Map.groupBy(ids, (id) => id)].filter(([, all]) => all.length >= most).map(([id]) => id)
}
