/** What to do next for one database: from what is wanted and what was found to one step. Pure. */
import type { DatabaseFailure, TaskReason } from '../../deployments/reason.ts'
import type { FoundTask, NamedService } from '../../engine/engine.ts'
import { type Change, plan } from '../../engine/plan.ts'
import { containerDigestOf, type ServiceSpec } from '../../engine/spec.ts'
import { isEnded, taskHealth, type TaskHealth } from './task-health.ts'

export interface Situation {
  installationId: string
  /** The database's service; null: none is to be (it is being removed). */
  database: ServiceSpec | null
  /** Its gateway; null: none is to be. */
  gateway: ServiceSpec | null
  /** Where the server runs, it is left as it is, whatever differs. */
  keepsServer: boolean
  /** The services of the names in question, wanted or not. */
  found: NamedService[]
  /** Their tasks, newest first. */
  tasks: FoundTask[]
  /** When this attempt began, and now, in milliseconds. */
  since: number
  now: number
}

export type Step =
  | { do: 'change'; changes: Change[] }
  /** Everything is down as wanted, except for containers that may still be ending. */
  | { do: 'drain' }
  | { do: 'probe'; database: FoundTask; hasGateway: boolean }
  | { do: 'wait' }
  | { do: 'fail'; reason: DatabaseFailure }
  | { do: 'failTask'; of: 'server' | 'gateway'; cause: TaskReason; task: FoundTask | null }

export function decide(it: Situation): Step {
  const wanted = [it.database, it.gateway].filter((spec) => spec !== null)
  const changes = plan(wanted, it.found, it.installationId)
  const stranger = strangerAmong(it, wanted, changes)
  if (stranger !== undefined) {
    return { do: 'fail', reason: { reason: 'AppNameTaken', service: stranger } }
  }
  const kept = keptServer(it)
  const wantedChanges = changes.filter((change) => kept === undefined || !isUpdateOf(change, it.database))
  if (wantedChanges.some((change) => isStart(it, change))) return { do: 'wait' }
  if (wantedChanges.length > 0) return { do: 'change', changes: wantedChanges }
  if (it.database === null || it.database.replicas === 0) return { do: 'drain' }
  return judgeAll(it, it.database, kept?.digest ?? containerDigestOf(it.database))
}

/** The container that runs and is to be left as it is. */
function keptServer({ keepsServer, database, tasks }: Situation): FoundTask | undefined {
  if (!keepsServer) return undefined
  return tasks.find(
    (task) => task.serviceName === database?.name && task.desired === 'running' && task.state === 'running',
  )
}

const isUpdateOf = (change: Change, spec: ServiceSpec | null) => change.do === 'update' && change.spec === spec

/** It would start a server while the one before still ends: two on the same files. */
function isStart(it: Situation, change: Change): boolean {
  const { database } = it
  if (database?.replicas !== 1 || !isUpdateOf(change, database)) return false
  const live = it.tasks.filter((task) => task.serviceName === database.name && task.nodeId !== null && !isEnded(task))
  return live.length > 0 && live.every(({ desired }) => desired !== 'running')
}

/** A service of a wanted name that is someone else's, or another record's: never adopted. */
function strangerAmong(it: Situation, wanted: ServiceSpec[], changes: Change[]): string | undefined {
  const foreign = changes.find((change) => change.do === 'conflict')
  if (foreign !== undefined) return foreign.name
  const others = (spec: ServiceSpec) =>
    it.found.some(
      ({ name, labels }) => name === spec.name && labels['berth.database'] !== spec.labels['berth.database'],
    )
  return wanted.find(others)?.name
}

/** `digest`: of the containers that are the database's. */
function judgeAll(it: Situation, database: ServiceSpec, digest: string): Step {
  const taskHealthOf = ({ name }: ServiceSpec, ofContainer: string): TaskHealth =>
    taskHealth(
      it.tasks.filter((task) => task.serviceName === name),
      ofContainer,
      it.since,
      it.now,
    )
  const server = taskHealthOf(database, digest)
  const gateway = it.gateway === null ? null : taskHealthOf(it.gateway, containerDigestOf(it.gateway))
  if (server.is === 'failed') return { do: 'failTask', of: 'server', cause: server.reason, task: server.task }
  if (gateway?.is === 'failed') return { do: 'failTask', of: 'gateway', cause: gateway.reason, task: gateway.task }
  const isUp = server.is === 'running' && gateway?.is !== 'coming'
  return isUp ? { do: 'probe', database: server.task, hasGateway: gateway !== null } : { do: 'wait' }
}
