/** The conditions of databases. Pure. */
import { type Drift, noDrift } from '../databases/status.ts'
import type { DeploymentReason } from '../deployments/reason.ts'
import type { DeploymentAction } from '../deployments/table.ts'
import type { CertificateReason } from '../databases/tls/reason.ts'
import type { Protocol } from '../engine/spec.ts'
import type { SourcesReason } from '../gateways/sources/reason.ts'
import { fromJson, type Json } from '../lib/json.ts'
import type { DatabaseTable, Time } from '../store/schema.ts'
import type { Finding, Subject } from './finding.ts'
import type { ConditionReason, DatabaseReason } from './reason.ts'
import type { ConditionName, Severity } from './table.ts'

/** How many restarts within the time begin DatabaseRestarting. The condition ends after the same time without one. */
const maxRestarts = 3
export const restartMinutes = 15

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
  return { findings, repaired: new Set(databases.filter(isOwnWork).map(({ id }) => id)) }
}

/** Whether Berth began the deployment in progress by itself. */
const isOwnWork = ({ action }: DatabaseFact) => action === 'repair' || action === 'restart' || action === 'halt'

const finding = (
  { id, appName, projectId }: DatabaseFact,
  name: ConditionName,
  severity: Severity,
  since: Time | null,
  reason: DatabaseReason,
): Finding => ({ name, severity, subject: { kind: 'database', id, name: appName }, projectId, since, reason })

/** A drain of a node is planned work: its databases run again when the node is active. */
const isDrain = (cause: { reason: string } | null): boolean => cause?.reason === 'NodeDrained'

function stateFindings(row: DatabaseFact): Finding[] {
  const cause = fromJson(row.statusReason)
  if (isDrain(cause)) return []
  // A failed deployment without an earlier good one, or a fault of the data, stops the service.
  const isHalted = row.goal === 'stopped' && row.applicationStatus === 'error'
  if (isHalted || (row.goal === 'up' && row.observed === 'down')) {
    return [finding(row, 'DatabaseDown', 'critical', row.downSince, { reason: 'DatabaseDown', cause })]
  }
  if (row.goal !== 'up' || row.observed !== 'unproven') return []
  return [finding(row, 'DatabaseLoginRefused', 'critical', null, { reason: 'LoginRefused', cause })]
}

/** Drift that only describes that the database is down. DatabaseDown reports this. */
const outageDrift: readonly Drift['reason'][] = [
  'ContainerNotRunning',
  'ServiceFenced',
  'NodeMissing',
  'NodeDown',
  'NodeDrained',
]

function driftFindings(row: DatabaseFact): Finding[] {
  if (row.goal !== 'up' || row.drift === noDrift) return []
  const drift = fromJson(row.drift).filter(({ reason }) => !outageDrift.includes(reason))
  return drift.length === 0 ? [] : [finding(row, 'DatabaseDrifted', 'warning', null, { reason: 'Drifted', drift })]
}

function restartFindings(row: DatabaseFact, ended: readonly Restart[], isPresent: boolean, now: Date): Finding[] {
  if (row.goal !== 'up' || isDrain(fromJson(row.statusReason))) return []
  const from = new Date(now.getTime() - restartMinutes * 60_000).toISOString()
  // A database that is down now counts too, so that the condition does not end during the next outage.
  const faults = ended.filter(({ reason }) => !isDrain(fromJson(reason)))
  const times = [...faults.map(({ at }) => at), ...(row.downSince === null ? [] : [row.downSince])]
  const recent = times.filter((at) => at > from).sort()
  if (recent.length < (isPresent ? 1 : maxRestarts)) return []
  const cause = fromJson(faults.at(-1)?.reason ?? null)
  const reason = { reason: 'RestartedOften', restarts: recent.length, minutes: restartMinutes, cause } as const
  return [finding(row, 'DatabaseRestarting', 'warning', recent[0]!, reason)]
}

/** A database that should be up and has an external port. */
export interface ExternalPortFact {
  id: string
  appName: string
  projectId: string | null
  externalPort: number
  /** Whether no list applies to the port, neither its own nor that of the project. */
  isOpen: boolean
  /** Why the gateway does not enforce its list; null if it does, or before it was reached for the first time. */
  reason: SourcesReason | null
}

export function sourcesFindings(ports: readonly ExternalPortFact[]): Finding[] {
  return ports.flatMap(({ id, appName, projectId, externalPort, ...list }) =>
    listFindings({ kind: 'database', id, name: appName }, projectId, list, {
      open: { reason: 'PortOpen', externalPort },
      notEnforced: (cause) => ({ reason: 'SourcesNotEnforced', externalPort, cause }),
    }),
  )
}

/** A published port of an application. */
export interface PublishedPortFact extends Pick<ExternalPortFact, 'id' | 'isOpen' | 'reason'> {
  applicationId: string
  publishedPort: number
  protocol: Protocol
}

export function publishedPortFindings(ports: readonly PublishedPortFact[]): Finding[] {
  return ports.flatMap(({ id, applicationId, publishedPort, protocol, ...list }) => {
    const port = `${publishedPort}/${protocol}`
    return listFindings({ kind: 'port', id, name: port }, null, list, {
      open: { reason: 'PublishedPortOpen', port, applicationId },
      notEnforced: (cause) => ({ reason: 'PublishedSourcesNotEnforced', port, applicationId, cause }),
    })
  })
}

interface ListReasons {
  open: ConditionReason
  notEnforced: (cause: SourcesReason) => ConditionReason
}

function listFindings(
  subject: Subject,
  projectId: string | null,
  { isOpen, reason }: Pick<ExternalPortFact, 'isOpen' | 'reason'>,
  { open, notEnforced }: ListReasons,
): Finding[] {
  const found = { subject, projectId, since: null }
  if (isOpen) return [{ ...found, name: 'OpenToEveryone', severity: 'info', reason: open }]
  if (reason === null || reason.reason === 'SourcesPending') return []
  return [{ ...found, name: 'SourcesNotEnforced', severity: 'warning', reason: notEnforced(reason) }]
}

/** A database with TLS that should be up. */
export interface ServerTlsFact {
  id: string
  appName: string
  projectId: string | null
  /** The end of its certificate. */
  notAfter: Time
  waitsForDeploy: boolean
  /** Why the server does not present a newer certificate; null if nothing failed. */
  reason: CertificateReason | null
  /** Whether clients were connected without TLS, although the server also accepts it, when Berth counted them last. */
  hasPlainConnections: boolean
}

/** How long before its end a certificate needs attention. Berth should have replaced it 16 days before. */
export const certificateWarningMs = 14 * 24 * 3600_000

export function serverTlsFindings(servers: readonly ServerTlsFact[], now: Date): Finding[] {
  return servers.flatMap((server): Finding[] => {
    const { id, appName, projectId, hasPlainConnections } = server
    const found = { subject: { kind: 'database', id, name: appName }, projectId } as const
    const plain = { name: 'PlainConnections', severity: 'info', since: null } as const
    return [
      ...certificateEnd(server, now).map((end) => ({ ...found, ...end })),
      ...(hasPlainConnections ? [{ ...found, ...plain, reason: { reason: 'PlainConnectionsOpen' } as const }] : []),
    ]
  })
}

type CertificateEnd = Pick<Finding, 'name' | 'severity' | 'since' | 'reason'>

function certificateEnd({ notAfter, waitsForDeploy, reason: cause }: ServerTlsFact, now: Date): CertificateEnd[] {
  const from = new Date(Date.parse(notAfter) - certificateWarningMs)
  if (from > now) return []
  const hasEnded = Date.parse(notAfter) <= now.getTime()
  const reason = hasEnded ? 'ServerCertificateEnded' : 'ServerCertificateEnds'
  return [
    {
      name: 'CertificateEnding',
      severity: hasEnded ? 'critical' : 'warning',
      since: from.toISOString(),
      reason: { reason, notAfter, waitsForDeploy, cause },
    },
  ]
}
