/** The last values of databases and nodes as Prometheus metrics. */
import type { Family } from '../lib/prometheus.ts'
import type { Reader } from '../store/schema.ts'
import type { LatestSamples } from './loop.ts'
import { type DatabaseMetric, databaseMetrics, isCurrent, type NodeMetric, nodeMetrics } from './sample.ts'

const databaseHelp: Record<DatabaseMetric, string> = {
  up: 'Whether the server answered the last sample: 1 or 0. Absent for a database that should not run.',
  cpuCores: 'Used CPU cores.',
  memoryBytes: 'Memory in use, without page cache that the kernel can drop.',
  memoryLimitBytes: 'Memory limit of the database. Absent without a limit.',
  connections: "Connections of clients, without Berth's own.",
  connectionsAllowed: 'Connections that the server allows.',
  transactionsPerSecond: 'Transactions (Redis and MongoDB: commands) per second.',
  cacheHitRatio: 'Reads that the cache of the server answered, from 0 to 1. Absent without a read.',
  replicationSlotBytes: 'PostgreSQL: log that the replication slot furthest behind keeps. Absent without a slot.',
  oldestTransactionSeconds: 'PostgreSQL: age of the oldest open transaction of a client, 0 without one.',
  volumeBytes: 'Disk space of the files on the volume, counted every 10 minutes.',
}

const nodeHelp: Record<NodeMetric, string> = {
  diskBytes: 'Size of the disk with the data of the engine.',
  diskUsedBytes: 'Used part of the disk with the data of the engine.',
  memoryBytes: 'Memory of the node.',
  memoryUsedBytes: 'Used memory of the node, without what the kernel can reclaim.',
  load1: 'Processes that run or wait for the disk, averaged over one minute.',
  clockOffsetSeconds: "Time of the node minus the time of Berth's node, to about a second.",
}

/**
 * Samples that are too old have no values, because these would be read as those of the present.
 *
 * @param latest null before the first samples
 */
export async function sampleFamilies(db: Reader, latest: LatestSamples | null, now: Date): Promise<Family[]> {
  const databases = await db.selectFrom('database').select(['id', 'appName', 'kind']).orderBy('appName').execute()
  const nodes = await db.selectFrom('node').select(['id', 'hostname']).orderBy('hostname').execute()
  const current = isCurrent(latest, now) ? latest : null
  const valuesOf = <Values>(values: ReadonlyMap<string, Values> | undefined, id: string) => {
    const found = values?.get(id)
    return found === undefined ? [] : [found]
  }
  return [
    ...databaseMetrics.map((metric) => ({
      name: `berth_database_${snakeCase(metric)}`,
      help: databaseHelp[metric],
      samples: databases.flatMap(({ id, appName, kind }) =>
        valuesOf(current?.databases, id).flatMap(({ [metric]: value }) =>
          value === undefined ? [] : [[{ database: id, service: appName, kind }, value] as const],
        ),
      ),
    })),
    ...nodeMetrics.map((metric) => ({
      name: `berth_node_${snakeCase(metric)}`,
      help: nodeHelp[metric],
      samples: nodes.flatMap(({ id, hostname }) =>
        valuesOf(current?.nodes, id).flatMap(({ [metric]: value }) =>
          value === undefined ? [] : [[{ node: id, hostname }, value] as const],
        ),
      ),
    })),
    {
      name: 'berth_samples_age_seconds',
      help: 'Time since databases and nodes were last measured. Absent before that.',
      samples: latest === null ? [] : [[{}, (now.getTime() - latest.at.getTime()) / 1000]],
    },
  ]
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
