/**
 * Why a database is not as it should be, and how what runs differs from what was deployed: closed unions of reasons with
 * their parameters. This is what the store holds; status-message.ts makes sentences of it.
 */
import type { DatabaseFailure, DatabaseWait, LegacyReason, NodeReason, Outage } from '../deployments/reason.ts'
import type { TaskState } from '../engine/engine.ts'
import { toJson } from '../lib/json.ts'

/** Differs between the services on the swarm and those that were deployed. `state`: of the task; null without a task. */
export type Drift =
  | { reason: 'ServiceMissing' }
  /** Berth stopped the service while its node was unavailable. */
  | { reason: 'ServiceFenced' }
  /** The service differs, and Berth made it: another version, or from other records. */
  | { reason: 'ServiceOutdated' }
  /** Somebody else changed the service. */
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
  | LegacyReason

export const noDrift = toJson<readonly Drift[]>([])

/** What only a database's status says, and no deployment. */
type OwnStatus =
  /** `cause`: the status while it was down. */
  | { reason: 'Recovered'; cause: StatusReason }
  | { reason: 'Repairing'; drift: readonly Drift[] }
  /** The kernel killed a process in the container, and the container runs on. */
  | { reason: 'ProcessKilled'; at: string; memoryLimitMiB: number | null }
  | { reason: 'Moving'; node: string }
  /** The node was removed by force, with the data on it. */
  | { reason: 'DataLost'; node: string }

/** What a database's `statusReason` column holds. */
export type StatusReason = DatabaseFailure | DatabaseWait | Outage | OwnStatus

/** The status as the reason of the work that ended it; null where only a database's status says this. */
export function workReason(status: StatusReason): DatabaseFailure | DatabaseWait | Outage | null {
  switch (status.reason) {
    case 'Recovered':
    case 'Repairing':
    case 'ProcessKilled':
    case 'Moving':
    case 'DataLost':
      return null
    default:
      return status
  }
}
