/** Chooses the node for the scratch server of a drill, and the server's limit of memory. */
import type { FoundNode } from '../../engine/node.ts'
import { noReservation, readReservations, type Reservation } from '../../cluster/reservations.ts'
import type { Runtime } from '../../runtime.ts'

/** A node that can run the scratch server, and the memory that no database on it reserves. */
export interface DrillNode {
  nodeId: string
  freeBytes: number
}

const mebibyte = 1024 ** 2
/** A scratch server of a database without a memory limit gets at least this much. */
const minMemoryMib = 512

/**
 * The nodes that accept containers and have room, the one with the most free memory first. Pure.
 * @param neededBytes the memory limit of the database; null: none
 * @param leaving the ids of the nodes that are being removed
 */
export function drillNodes(
  nodes: readonly FoundNode[],
  reservations: ReadonlyMap<string, Reservation>,
  neededBytes: number | null,
  leaving: ReadonlySet<string>,
): DrillNode[] {
  return nodes
    .filter(({ id, ready, active }) => ready && active && !leaving.has(id))
    .map(({ id, memoryBytes }) => ({
      nodeId: id,
      freeBytes: memoryBytes - (reservations.get(id) ?? noReservation).memoryBytes,
    }))
    .filter(({ freeBytes }) => freeBytes >= (neededBytes ?? minMemoryMib * mebibyte))
    .sort((a, b) => b.freeBytes - a.freeBytes)
}

export interface DrillPlan {
  /** The chosen nodes, the best first. The last one is Berth's own. */
  nodeIds: string[]
  /** The limit of the scratch server. */
  memoryMib: number
}

/** @param databaseId the database whose dump is verified */
export async function planDrill({ db, engine }: Runtime, databaseId: string | null): Promise<DrillPlan> {
  const database = await db
    .selectFrom('database')
    .select('memoryLimit')
    .where('id', '=', databaseId ?? '')
    .executeTakeFirst()
  const leaving = await db.selectFrom('node').select('id').where('deploymentId', 'is not', null).execute()
  const limitMib = database?.memoryLimit ?? null
  const nodes = await engine.nodes()
  const neededBytes = limitMib === null ? null : limitMib * mebibyte
  const leavingIds = new Set(leaving.map(({ id }) => id))
  const [best] = drillNodes(nodes, await readReservations(db), neededBytes, leavingIds)
  const own = nodes.find(({ local }) => local)
  const freeMib = Math.floor((best?.freeBytes ?? own?.memoryBytes ?? 0) / mebibyte)
  return {
    nodeIds: [...new Set([best?.nodeId ?? [], own?.id ?? []].flat())],
    memoryMib: limitMib ?? Math.max(minMemoryMib, freeMib),
  }
}
