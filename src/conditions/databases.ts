/** The conditions of databases. Pure. */
import { type Drift, noDrift } from '../databases/status.ts'
import type { DeploymentReason } from '../deployments/reason.ts'
import type { DeploymentAction } from '../deployments/table.ts'
import { kindNamed } from '../kinds/index.ts'
import { hasEnded } from '../kinds/series-ends.ts'
import { fromJson, type Json } from '../lib/json.ts'
import type { DatabaseTable, Time } from '../store/schema.ts'
import type { Access } from '../volumes/table.ts'
import type { Finding } from './finding.ts'
import type { DatabaseReason } from './reason.ts'
import type { ConditionName, Severity } from './table.ts'

/** How many restarts within the time begin DatabaseRestarting. The condition ends after the same time without one. */
const maxRestarts = 3
export const restartMinutes = 15
/** A start that takes longer begins DatabaseStarting. */
const slowStartMinutes = 10

/** What the store knows about a database that is not obviously well. */
export interface DatabaseFact
  extends Pick<
    DatabaseTable,
    'id' | 'appName' | 'projectId' | 'goal' | 'observed' | 'applicationStatus' | 'statusReason' | 'drift' | 'downSince'
  > {
  /** The deployment in progress; null if there is none. */
  action: DeploymentAction | null
  /** Whether a restore is replacing the content. */
  isBeingRestored: boolean
}

/** An outage that has ended, since the last planned work on the database. */
export interface Restart {
  databaseId: string
  at: Time
  reason: Json<DeploymentReason> | null
}

export interface DatabaseFindings {
  findings: Finding[]
  /** The ids of databases that Berth is repairing. Their conditions stay as they are until the repair has ended. */
  repaired: ReadonlySet<string>
}

/**
 * @param restarts the restarts in the last `restartMinutes`
 * @param restarting the ids of databases whose condition DatabaseRestarting is present
 */
export function databaseFindings(
  databases: readonly DatabaseFact[],
  restarts: readonly Restart[],
  restarting: ReadonlySet<string>,
  now: Date,
): DatabaseFindings {
  const restartsOf = Map.groupBy(restarts, ({ databaseId }) => databaseId)
  const settled = databases.filter(({ action, isBeingRestored }) => action === null && !isBeingRestored)
  const findings = settled.flatMap((row) => [
    ...stateFindings(row),
    ...driftFindings(row),
    ...restartFindings(row, restartsOf.get(row.id) ?? [], restarting.has(row.id), now),
  ])
  findings.push(...databases.flatMap((row) => startFindings(row, now)))
  return { findings, repaired: new Set(databases.filter(isOwnWork).map(({ id }) => id)) }
}

/** Whether Berth began the deployment in progress by itself. */
const isOwnWork = ({ action }: DatabaseFact) => action === 'repair' || action === 'restart' || action === 'halt'

/** A database that runs, with the version of its server and the image that was used at its last login. */
export interface VersionFact extends Pick<DatabaseTable, 'id' | 'appName' | 'projectId' | 'kind'> {
  serverVersion: string | null
  dockerImage: string | null
}

/** The databases whose server gets no more fixes. They stay so during planned work. */
export function versionFindings(versions: readonly VersionFact[], now: Date): Finding[] {
  return versions.flatMap((row) => {
    const { seriesEnds, productOf } = kindNamed(row.kind)
    const product = productOf?.(row.dockerImage ?? '')
    const end = seriesEnds.find(
      (each) => each.series === row.serverVersion && (product === undefined || each.product === product),
    )
    if (end === undefined || !hasEnded(end, now)) return []
    const { series, endsOn, next } = end
    const reason = { reason: 'SeriesEnded', product: end.product, series, endedOn: endsOn, next } as const
    return [finding(row, 'DatabaseVersionEnded', 'warning', null, reason)]
  })
}

const finding = (
  { id, appName, projectId }: Pick<DatabaseFact, 'id' | 'appName' | 'projectId'>,
  name: ConditionName,
  severity: Severity,
  since: Time | null,
  reason: DatabaseReason,
): Finding => ({ name, severity, subject: { kind: 'database', id, name: appName }, projectId, since, reason })

function stateFindings(row: DatabaseFact): Finding[] {
  const cause = fromJson(row.statusReason)
  // A failed deployment without an earlier good one, or a fault of the data, stops the service.
  const isHalted = row.goal === 'stopped' && row.applicationStatus === 'error'
  if (isHalted || (row.goal === 'up' && row.observed === 'down')) {
    return [finding(row, 'DatabaseDown', 'critical', row.downSince, { reason: 'DatabaseDown', cause })]
  }
  if (row.goal !== 'up' || row.observed !== 'unproven') return []
  return [finding(row, 'DatabaseLoginRefused', 'critical', null, { reason: 'LoginRefused', cause })]
}

/** The only condition that begins during planned work, because the work can take hours. */
function startFindings(row: DatabaseFact, now: Date): Finding[] {
  const status = fromJson(row.statusReason)
  if (row.action === null || status?.reason !== 'Starting') return []
  const { since } = status
  if (now.getTime() - Date.parse(since) < slowStartMinutes * 60_000) return []
  return [finding(row, 'DatabaseStarting', 'warning', since, { reason: 'SlowStart', since })]
}

/** A running database on whose server Berth has lost rights, as of its last login. */
export interface AccessFact extends Pick<DatabaseTable, 'id' | 'appName' | 'projectId'> {
  access: Exclude<Access, 'complete'>
}

/** They stay during planned work, until a login has shown that the rights are back. */
export function accessFindings(facts: readonly AccessFact[]): Finding[] {
  return facts.map((row) => {
    return row.access === 'withoutRoot'
      ? finding(row, 'DatabaseRootRefused', 'warning', null, { reason: 'RootRefused' })
      : finding(row, 'DatabaseRightsLost', 'warning', null, { reason: 'OwnAccountMissing' })
  })
}

/** Drift that only describes that the database is down. DatabaseDown reports this. */
const outageDrift: readonly Drift['reason'][] = [
  'ContainerNotRunning',
  'ServiceFenced',
  'NodeMissing',
  'NodeReturned',
  'NodeDown',
  'NodeDrained',
]

function driftFindings(row: DatabaseFact): Finding[] {
  if (row.goal !== 'up' || row.drift === noDrift) return []
  const drift = fromJson(row.drift).filter(({ reason }) => !outageDrift.includes(reason))
  return drift.length === 0 ? [] : [finding(row, 'DatabaseDrifted', 'warning', null, { reason: 'Drifted', drift })]
}

function restartFindings(row: DatabaseFact, ended: readonly Restart[], isPresent: boolean, now: Date): Finding[] {
  if (row.goal !== 'up') return []
  const from = new Date(now.getTime() - restartMinutes * 60_000).toISOString()
  // A database that is down now counts too, so that the condition does not end during the next outage.
  const times = [...ended.map(({ at }) => at), ...(row.downSince === null ? [] : [row.downSince])]
  const recent = times.filter((at) => at > from).sort()
  if (recent.length < (isPresent ? 1 : maxRestarts)) return []
  const cause = fromJson(ended.at(-1)?.reason ?? null)
  const reason = { reason: 'RestartedOften', restarts: recent.length, minutes: restartMinutes, cause } as const
  return [finding(row, 'DatabaseRestarting', 'warning', recent[0]!, reason)]
}
