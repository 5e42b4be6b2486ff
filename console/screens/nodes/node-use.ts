/** How much of a node the databases on it use. Pure. */
import type { Node, Project } from '../../../client/client.ts'

export interface NodeUse {
  databases: number
  /** MiB of memory and cores that Swarm keeps free for the databases. */
  reservedMemory: number
  reservedCores: number
  /** MiB of memory that the databases with a limit can use at most, together. */
  maxMemory: number
  /** Databases without a limit can use all memory of the node. */
  unlimited: number
}

type Resources = Pick<Project['postgres'][number], 'memoryReservation' | 'memoryLimit' | 'cpuReservation'>
export type ResourcesById = ReadonlyMap<string, Resources>

const none: Resources = { memoryReservation: null, memoryLimit: null, cpuReservation: null }

export function resourcesById(projects: readonly Project[]): ResourcesById {
  const all = new Map<string, Resources>()
  for (const { postgres, mysql, mariadb, mongo, redis } of projects) {
    for (const each of postgres) all.set(each.postgresId, each)
    for (const each of mysql) all.set(each.mysqlId, each)
    for (const each of mariadb) all.set(each.mariadbId, each)
    for (const each of mongo) all.set(each.mongoId, each)
    for (const each of redis) all.set(each.redisId, each)
  }
  return all
}

/** What the databases use whose data is on the node. */
export function useOfNode(pinned: Node['pinned'], resources: ResourcesById): NodeUse {
  const databases = pinned.filter(({ type }) => type === 'database').map(({ id }) => resources.get(id) ?? none)
  const sum = (part: (each: Resources) => number | null) =>
    databases.reduce((total, each) => total + (part(each) ?? 0), 0)
  return {
    databases: databases.length,
    reservedMemory: sum(({ memoryReservation }) => memoryReservation),
    reservedCores: sum(({ cpuReservation }) => cpuReservation),
    maxMemory: sum(({ memoryLimit }) => memoryLimit),
    unlimited: databases.filter(({ memoryLimit }) => memoryLimit === null).length,
  }
}
