/** Compares the wanted services of one database with the existing ones and decides the next step. Pure. */
import type { DatabaseFailure, TaskReason } from '../../deployments/reason.ts'
import type { FoundTask, NamedService } from '../../engine/engine.ts'
import { type Change, type Owner, plan } from '../../engine/plan.ts'
import { containerDigestOf, type ServiceSpec } from '../../engine/spec.ts'
import { isEnded, ownServiceStartMs, taskHealth, type TaskHealth } from './task-health.ts'

export interface Situation {
  /** The record of the database. Services of other records are never removed. */
  owner: Owner
  /** The wanted service of the database; null if the database should have no service. */
  database: ServiceSpec | null
  /** The wanted gateway; null for no gateway. */
  gateway: ServiceSpec | null
  /** Whether a running server is left as it is, even if it differs from the wanted service. */
  shouldKeepServer: boolean
  /** The existing services with the names of this database's services, wanted or not. */
  existing: NamedService[]
  /** The tasks of these services, newest first. */
  tasks: FoundTask[]
  /** The start of the deployment's present phase, and the present time, in milliseconds since the epoch. */
  since: number
  now: number
  /** How long the server may take to become healthy, in milliseconds; null: as long as its container lives. */
  maxStartMs: number | null
}

export type Step =
  | { do: 'change'; changes: Change[] }
  /** The services are stopped or removed. Their containers may still be ending. */
  | { do: 'drain' }
  /** The task runs, or its server is starting and may wait for its clearance. */
  | { do: 'probe'; database: FoundTask; hasGateway: boolean }
  | { do: 'wait' }
  | { do: 'fail'; reason: DatabaseFailure }
  | { do: 'failTask'; of: 'server' | 'gateway'; cause: TaskReason; task: FoundTask | null }

export function decide(situation: Situation): Step {
  const wanted = [situation.database, situation.gateway].filter((spec) => spec !== null)
  const changes = plan(wanted, situation.existing, situation.owner)
  const taken = changes.find((change) => change.do === 'conflict')
  if (taken !== undefined) return { do: 'fail', reason: { reason: 'AppNameTaken', service: taken.name } }
  const kept = keptServer(situation)
  const wantedChanges = changes.filter((change) => kept === undefined || !isUpdateOf(change, situation.database))
  if (wantedChanges.some((change) => canOverlap(situation, change))) return { do: 'wait' }
  if (wantedChanges.length > 0) return { do: 'change', changes: wantedChanges }
  if (situation.database === null || situation.database.replicas === 0) return { do: 'drain' }
  return stepForHealth(situation, situation.database, kept?.digest ?? containerDigestOf(situation.database))
}

/** The running or starting task that is left as it is; undefined if there is none. */
function keptServer({ shouldKeepServer, database, tasks }: Situation): FoundTask | undefined {
  if (!shouldKeepServer) return undefined
  return tasks.find(
    ({ serviceName, desired, state }) =>
      serviceName === database?.name && desired === 'running' && (state === 'running' || state === 'starting'),
  )
}

const isUpdateOf = (change: Change, spec: ServiceSpec | null) => change.do === 'update' && change.spec === spec

/** Whether the change would start a server while the previous one still stops. Both would write to the same files. */
function canOverlap(situation: Situation, change: Change): boolean {
  const { database } = situation
  if (database?.replicas !== 1 || !isUpdateOf(change, database)) return false
  const live = situation.tasks.filter(
    (task) => task.serviceName === database.name && task.nodeId !== null && !isEnded(task),
  )
  return live.length > 0 && live.every(({ desired }) => desired !== 'running')
}

/**
 * The next step if all services are as wanted. It depends on the health of their tasks.
 *
 * @param digest the digest of the database's containers
 */
function stepForHealth(situation: Situation, database: ServiceSpec, digest: string): Step {
  const { tasks, since, now, gateway: wantedGateway } = situation
  const healthOf = ({ name }: ServiceSpec, containerDigest: string, maxStartMs: number | null): TaskHealth =>
    taskHealth(
      tasks.filter((task) => task.serviceName === name),
      containerDigest,
      since,
      now,
      maxStartMs,
    )
  const server = healthOf(database, digest, situation.maxStartMs)
  if (server.is === 'failed') return { do: 'failTask', of: 'server', cause: server.reason, task: server.task }
  // A failed gateway ends the deployment, which can stop the server. A server that is starting must not be stopped.
  if (server.is === 'starting' && server.task?.state === 'starting')
    return { do: 'probe', database: server.task, hasGateway: false }
  const gateway =
    wantedGateway === null ? null : healthOf(wantedGateway, containerDigestOf(wantedGateway), ownServiceStartMs)
  if (gateway?.is === 'failed') return { do: 'failTask', of: 'gateway', cause: gateway.reason, task: gateway.task }
  const isUp = server.is === 'running' && gateway?.is !== 'starting'
  return isUp ? { do: 'probe', database: server.task, hasGateway: gateway !== null } : { do: 'wait' }
}
