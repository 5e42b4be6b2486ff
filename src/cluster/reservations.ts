/** Reads how much of each node the databases on it reserve. */
import type { Reader } from '../store/schema.ts'

export interface Reservation {
  databases: number
  memoryBytes: number
  cpuCores: number
}

const mebibyte = 1024 ** 2

/** Returns the reservations by the id of the node. A node without a database that should run has no entry. */
export async function readReservations(db: Reader): Promise<Map<string, Reservation>> {
  const rows = await db
    .selectFrom('database')
    .innerJoin('volume', 'volume.id', 'database.volumeId')
    .where('database.goal', '=', 'up')
    .groupBy('volume.nodeId')
    .select(({ fn }) => [
      'volume.nodeId',
      fn.countAll<number>().as('databases'),
      fn.sum<number | null>('database.memoryReservation').as('memoryMiB'),
      fn.sum<number | null>('database.cpuReservation').as('cpuCores'),
    ])
    .execute()
  return new Map(
    rows.map(({ nodeId, databases, memoryMiB, cpuCores }) => [
      nodeId,
      { databases, memoryBytes: (memoryMiB ?? 0) * mebibyte, cpuCores: cpuCores ?? 0 },
    ]),
  )
}

export const noReservation: Reservation = { databases: 0, memoryBytes: 0, cpuCores: 0 }
