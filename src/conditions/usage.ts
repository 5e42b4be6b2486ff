/** The conditions that samples show: disks, memory and connections near their limits, and clocks that are off. Pure. */
import type { LatestSamples } from '../samples/loop.ts'
import { type DatabaseValues, isCurrent, type NodeValues } from '../samples/sample.ts'
import type { Finding, Subject } from './finding.ts'
import type { UsageReason } from './reason.ts'
import type { ConditionName, ConditionTable, Severity } from './table.ts'

/** A value from which a condition begins, and one below which it ends: a value that varies around one limit ends nothing. */
interface Limit {
  begin: number
  end: number
}

interface Limits {
  warning: Limit
  critical?: Limit
}

export const usageNames = [
  'DiskFilling',
  'MemoryNearLimit',
  'ConnectionsNearLimit',
  'DataShrunk',
  'NoTransactions',
  'ClockOff',
] as const
export type UsageName = (typeof usageNames)[number]
const names: ReadonlySet<ConditionName> = new Set(usageNames)
const isUsageName = (name: ConditionName): name is UsageName => names.has(name)

/** Parts of what there is. The clock: seconds. */
const limitsOf: Record<UsageName, Limits> = {
  DiskFilling: { warning: { begin: 0.8, end: 0.75 }, critical: { begin: 0.9, end: 0.85 } },
  // Servers use the memory that they are given. Above this, the kernel may soon end them.
  MemoryNearLimit: { warning: { begin: 0.9, end: 0.85 } },
  ConnectionsNearLimit: { warning: { begin: 0.8, end: 0.7 }, critical: { begin: 0.95, end: 0.9 } },
  // The part of the data of the last 24 hours that is missing.
  DataShrunk: { warning: { begin: 0.5, end: 0.4 } },
  // 1: the database is idle.
  NoTransactions: { warning: { begin: 1, end: 1 } },
  // A node is measured to about a second. Certificates and one-time codes fail from half a minute on.
  ClockOff: { warning: { begin: 5, end: 3 } },
}

/** The severity of a value; null if it needs no attention. @param before the severity of the present condition */
export function severityOf(value: number, { warning, critical }: Limits, before: Severity | null): Severity | null {
  const isReached = ({ begin, end }: Limit, isPresent: boolean) => value >= begin || (isPresent && value >= end)
  if (critical !== undefined && isReached(critical, before === 'critical')) return 'critical'
  return isReached(warning, before !== null) ? 'warning' : null
}

/** A database or a node with its name. */
export interface Measured {
  id: string
  name: string
  projectId: string | null
}

export interface UsageFacts {
  /** Null before the first samples. */
  latest: LatestSamples | null
  /** Those of `namedDatabases` that should be up. */
  databases: readonly Measured[]
  nodes: readonly Measured[]
  past: Past
}

/** What the history tells about databases, by their ids. A database of which it tells nothing is absent. */
export interface Past {
  /** The maximum of the bytes on the volume in the last 24 hours. */
  dayMaxBytes: ReadonlyMap<string, number>
  /** Null: the database is not idle. */
  idle: ReadonlyMap<string, Idle | null>
}

/** A database had no transactions for some hours, and a number of them per second before. */
export interface Idle {
  hours: number
  perSecond: number
}

/** Reads the past of the databases that were measured. */
export type ReadPast = (latest: LatestSamples | null, now: Date) => Past

/** Small databases often shrink: a server removes its logs, for example. */
const minShrunkBytes = 256 * 1024 * 1024

/** The databases whose names are needed: those near a limit, and those with a condition. */
export function namedDatabases(latest: LatestSamples | null, past: Past, present: readonly ConditionTable[]): string[] {
  const isNear = (id: string, values: DatabaseValues) =>
    databaseUses(id, values, past).some(([name, value]) => value >= limitsOf[name].warning.end)
  const near = [...(latest?.databases ?? [])].filter(([id, values]) => isNear(id, values)).map(([id]) => id)
  const known = present.filter(({ name, subjectKind }) => subjectKind === 'database' && isUsageName(name))
  return [...new Set([...near, ...known.map(({ subjectId }) => subjectId)])]
}

/** Without samples of the present, the conditions stay as they are. @param present the present conditions */
export function usageFindings(
  { latest, databases, nodes, past }: UsageFacts,
  present: readonly ConditionTable[],
  now: Date,
): Finding[] {
  if (!isCurrent(latest, now)) return []
  const severities = new Map(present.map((row) => [`${row.name} ${row.subjectId}`, row.severity]))
  const find = (
    subject: Subject,
    projectId: string | null,
    name: UsageName,
    value: number,
    reason: UsageReason,
  ): Finding[] => {
    const severity = severityOf(value, limitsOf[name], severities.get(`${name} ${subject.id}`) ?? null)
    return severity === null ? [] : [{ name, severity, subject, projectId, since: null, reason }]
  }
  return [
    ...databases.flatMap(({ id, name, projectId }) =>
      databaseUses(id, latest.databases.get(id) ?? {}, past).flatMap(([condition, value, reason]) =>
        find({ kind: 'database', id, name }, projectId, condition, value, reason),
      ),
    ),
    ...nodes.flatMap(({ id, name }) =>
      nodeUses(latest.nodes.get(id) ?? {}).flatMap(([condition, value, reason]) =>
        find({ kind: 'node', id, name }, null, condition, value, reason),
      ),
    ),
  ]
}

type Use = [name: UsageName, value: number, reason: UsageReason]

function databaseUses(id: string, values: DatabaseValues, past: Past): Use[] {
  const { memoryBytes, memoryLimitBytes, connections, connectionsAllowed, volumeBytes } = values
  const memory = partOf(memoryBytes, memoryLimitBytes)
  const connected = partOf(connections, connectionsAllowed)
  const dayMaxBytes = past.dayMaxBytes.get(id) ?? 0
  const kept = dayMaxBytes < minShrunkBytes ? null : partOf(volumeBytes, dayMaxBytes)
  const idle = past.idle.get(id) ?? null
  return [
    ...(memory === null
      ? []
      : [
          [
            'MemoryNearLimit',
            memory,
            { reason: 'MemoryUsed', percent: stepOf(memory), limitBytes: memoryLimitBytes! },
          ] satisfies Use,
        ]),
    ...(connected === null
      ? []
      : [
          [
            'ConnectionsNearLimit',
            connected,
            { reason: 'ConnectionsUsed', percent: stepOf(connected), allowed: connectionsAllowed! },
          ] satisfies Use,
        ]),
    ...(kept === null
      ? []
      : [
          [
            'DataShrunk',
            1 - kept,
            { reason: 'DataShrank', percent: stepOf(Math.max(0, 1 - kept)), beforeBytes: dayMaxBytes },
          ] satisfies Use,
        ]),
    ...(idle === null
      ? []
      : [['NoTransactions', 1, { reason: 'Idle', ...idle, perSecond: Math.round(idle.perSecond) }] satisfies Use]),
  ]
}

function nodeUses({ diskUsedBytes, diskBytes, clockOffsetSeconds }: NodeValues): Use[] {
  const disk = partOf(diskUsedBytes, diskBytes)
  const offset = Math.abs(clockOffsetSeconds ?? 0)
  return [
    ...(disk === null
      ? []
      : [['DiskFilling', disk, { reason: 'DiskUsed', percent: stepOf(disk), sizeBytes: diskBytes! }] satisfies Use]),
    ['ClockOff', offset, { reason: 'ClockDiffers', seconds: Math.round(clockOffsetSeconds ?? 0) }],
  ]
}

const partOf = (used: number | undefined, all: number | undefined): number | null =>
  used === undefined || all === undefined || all <= 0 ? null : used / all

/** In steps of five per cent, so that not each sample changes the condition. */
const stepOf = (part: number): number => Math.floor(part * 20) * 5

/**
 * Whether a condition stays as it is although it was not found: its subject exists and should run, but its value was not
 * measured. The worst faults also prevent the measurement.
 */
export function isUnmeasured(facts: UsageFacts, { name, subjectId }: ConditionTable, now: Date): boolean {
  if (!isUsageName(name)) return false
  const { latest, databases, nodes, past } = facts
  if (![...databases, ...nodes].some(({ id }) => id === subjectId)) return false
  return !isCurrent(latest, now) || !isMeasured(name, subjectId, latest, past)
}

function isMeasured(name: UsageName, id: string, latest: LatestSamples, past: Past): boolean {
  const { memoryBytes, connections, volumeBytes } = latest.databases.get(id) ?? {}
  const node = latest.nodes.get(id)
  const dayMaxBytes = past.dayMaxBytes.get(id)
  switch (name) {
    case 'MemoryNearLimit':
      // Without a limit there is nothing to be near to.
      return memoryBytes !== undefined
    case 'ConnectionsNearLimit':
      return connections !== undefined
    case 'DataShrunk':
      // Data that was not large in the last 24 hours cannot have shrunk, whatever its size is now.
      return dayMaxBytes !== undefined && (volumeBytes !== undefined || dayMaxBytes < minShrunkBytes)
    case 'NoTransactions':
      return past.idle.has(id)
    case 'DiskFilling':
      return node?.diskUsedBytes !== undefined
    case 'ClockOff':
      // A node that is measured without its clock is Berth's own.
      return node !== undefined
  }
}
