/**
 * The reasons of a database's status and drift: closed unions with parameters. The store contains these values;
 * status-message.ts converts them to messages.
 */
import type {
  DatabaseFailure,
  DatabaseWait,
  ElsewhereReason,
  LegacyReason,
  NameReason,
  NodeReason,
  Outage,
} from '../deployments/reason.ts'
import type { TaskState } from '../engine/engine.ts'
import { fromJson, type Json, toJson } from '../lib/json.ts'

/**
 * A difference between the services on the swarm and the deployed ones. `state` and `detail` describe the newest task;
 * `state` is null if there is no task, and `detail` is null if Swarm reports no failure of the task.
 */
export type Drift =
  | { reason: 'ServiceMissing' }
  /** Berth stopped the service while its node was unavailable. */
  | { reason: 'ServiceFenced' }
  /** Another version of Berth created the service, or Berth created it from other records. */
  | { reason: 'ServiceOutdated' }
  /** The service was changed outside Berth. */
  | { reason: 'ServiceChanged' }
  | { reason: 'ContainerNotRunning'; state: TaskState | null; detail: string | null }
  | { reason: 'ContainerDetached' }
  | { reason: 'GatewayUnwanted' }
  | { reason: 'GatewayMissing' }
  | { reason: 'GatewayOutdated' }
  | { reason: 'GatewayChanged' }
  | { reason: 'GatewayNotRunning'; state: TaskState | null; detail: string | null }
  | { reason: 'GatewayDetached' }
  | NodeReason
  | ElsewhereReason
  | NameReason
  | LegacyReason

export const noDrift = toJson<readonly Drift[]>([])

/** The reasons of a database's status that no deployment has. */
type OwnStatus =
  /** `cause` is the status while the database was down. */
  | { reason: 'Recovered'; cause: StatusReason }
  | { reason: 'Repairing'; drift: readonly Drift[] }
  /** The kernel killed a process in the container. The container still runs. */
  | { reason: 'ProcessKilled'; at: string; memoryLimitMiB: number | null }
  | { reason: 'Moving'; node: string }
  | { reason: 'Restoring'; runId: string }
  /** The node with the data was removed by force. */
  | { reason: 'DataLost'; node: string }

/** The value of a database's `statusReason` column. */
export type StatusReason = DatabaseFailure | DatabaseWait | Outage | OwnStatus

/** The status as the reason of a deployment; null if no deployment can have this reason. */
export function workReason(status: StatusReason): DatabaseFailure | DatabaseWait | Outage | null {
  switch (status.reason) {
    case 'Recovered':
    case 'Repairing':
    case 'ProcessKilled':
    case 'Moving':
    case 'Restoring':
    case 'DataLost':
      return null
    default:
      return status
  }
}

/** The stored status as the reason of a deployment; null without a status, or if no deployment can have its reason. */
export function workReasonOf({ statusReason }: { statusReason: Json<StatusReason> | null }) {
  const status = fromJson(statusReason)
  return status === null ? null : workReason(status)
}
