/** What Berth measures of databases and nodes. The names, units and meanings are in docs/monitoring/README.md. */

export const databaseMetrics = [
  'up',
  'cpuCores',
  'memoryBytes',
  'memoryLimitBytes',
  'connections',
  'connectionsAllowed',
  'transactionsPerSecond',
  'cacheHitRatio',
  'replicationSlotBytes',
  'oldestTransactionSeconds',
  'volumeBytes',
] as const
export type DatabaseMetric = (typeof databaseMetrics)[number]

export const nodeMetrics = [
  'diskBytes',
  'diskUsedBytes',
  'memoryBytes',
  'memoryUsedBytes',
  'load1',
  'clockOffsetSeconds',
] as const
export type NodeMetric = (typeof nodeMetrics)[number]

/** The values of one database at one time. A metric that was not measured is absent. */
export type DatabaseValues = { [Metric in DatabaseMetric]?: number }
export type NodeValues = { [Metric in NodeMetric]?: number }

/** The values of all subjects, by the id of the record. */
export interface Samples {
  databases: ReadonlyMap<string, DatabaseValues>
  nodes: ReadonlyMap<string, NodeValues>
}

/** Samples that are older than this say nothing about the present. */
const maxAgeMs = 5 * 60_000

export const isCurrent = <S extends { at: Date }>(latest: S | null, now: Date): latest is S =>
  latest !== null && Math.abs(now.getTime() - latest.at.getTime()) < maxAgeMs
