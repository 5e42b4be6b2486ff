/**
 * The reasons for the state of a deployment: a closed union with parameters. The store contains these values, and
 * reason-message.ts converts them to messages. Texts of the engine and of servers are parameters; known passwords in
 * them are masked.
 */
import type { TaskState } from '../engine/engine.ts'
import type { EngineFailureReason, TaskFailureReason } from '../engine/failures.ts'
import type { NodeStayReason } from '../engine/managers.ts'
import type { PlacementReason } from '../engine/placement.ts'

/** A message that an older version of Berth stored. */
export type LegacyReason = { reason: 'Legacy'; message: string }

/** How a container ended. Source: the container's state in the engine, and the end of its log. */
export interface ExitReport {
  outOfMemory: boolean
  /** The database's memory limit at that time; null if it had none. */
  memoryLimitMiB: number | null
  lastLines: string[]
}

/** A Swarm task failed or did not start. */
export type TaskReason = (
  | { reason: 'TaskExited'; exitCode: number }
  | { reason: 'TaskFailed'; failure: TaskFailureReason; detail: string }
  | { reason: 'TaskNotStarted'; state: TaskState }
  | { reason: 'ImageTimeout'; minutes: number }
  | { reason: 'StartTimeout'; seconds: number }
) & { report?: ExitReport }

/** The node with the volume of a database is unavailable. */
export type NodeReason =
  | { reason: 'NodeMissing'; node: string; address: string }
  | { reason: 'NodeDown'; node: string; address: string }
  | { reason: 'NodeDrained'; node: string; address: string }

/** The engine refused or failed a request. `detail` is its message. */
export type EngineReason = { reason: 'EngineFailed'; failure: EngineFailureReason; detail: string }

/** A Swarm service could not be created or changed. */
export type ServiceReason = EngineReason | { reason: 'ServiceNameTaken'; service: string }

/** Why a server cannot be started from its image. */
export type ImageReason =
  /**
   * `detail`: why the image could not be pulled; null if the pull succeeded but the image is still missing. `node`: the
   * node that needs the image; absent in reasons that an older version of Berth stored.
   */
  | { reason: 'ImageMissing'; image: string; detail: string | null; node?: string }
  | { reason: 'ImagePullFailed'; image: string; detail: string }
  | { reason: 'ImageGone'; image: string; imageId: string; node?: string }
  | { reason: 'VersionUnknown'; product: string; dataVersion: string; image: string; detail: string }
  | { reason: 'VersionIncompatible'; product: string; dataVersion: string; image: string; version: string }

/** The server runs, but Berth could not log in to it as expected. */
export type LoginReason =
  /** `isFirstStart`: no login to this volume has ever succeeded. */
  | { reason: 'LoginRefused'; detail: string; isFirstStart: boolean }
  | { reason: 'LoginNotTried'; detail: string }
  | { reason: 'RotationFailed'; detail: string }
  | { reason: 'NewCredentialsRefused'; detail: string }
  | { reason: 'OldCredentialsAccepted' }
  | { reason: 'ExternalPortUnreachable'; detail: string }

/**
 * The volume is missing or contains other data. `kind` is the kind of the database. The message uses it to name the
 * operation that accepts new data, such as `postgres.start`.
 */
export type DataReason =
  | { reason: 'VolumeMissing'; volume: string; node: string; kind: string }
  | { reason: 'DataReplaced'; volume: string; node: string; kind: string }

/** Why a database could not be copied to another node. */
export type CopyReason =
  | { reason: 'CopyUnsupported' }
  | { reason: 'CopyServerStopped' }
  | { reason: 'CopyServerFailed'; node: string; cause: TaskReason }
  | { reason: 'CopyFailed'; detail: string }
  | { reason: 'CopyDiffers'; database: string; differences: string[] }
  | { reason: 'ContentNotCopied'; items: string[]; more: number }

/** Why a deployment of a database failed. */
export type DatabaseFailure =
  | TaskReason
  | NodeReason
  | PlacementReason
  | ServiceReason
  | ImageReason
  | LoginReason
  | DataReason
  | CopyReason
  | { reason: 'AppNameTaken'; service: string }
  | { reason: 'ExternalPortFailed'; cause: TaskReason }
  | { reason: 'NodeLeaving'; node: string }
  | { reason: 'MoveFailed'; node: string; cause: DatabaseFailure }
  | { reason: 'RolledBack'; cause: DatabaseFailure }
  | { reason: 'RollbackFailed'; cause: DatabaseFailure; failure: DatabaseFailure }
  | { reason: 'InternalError'; deploymentId: string }
  | { reason: 'InterruptedByRestore' }
  | LegacyReason

/** The reason why a deployment of a database waits. */
export type DatabaseWait =
  | { reason: 'ContainersStopping'; containers: string[] }
  | { reason: 'StopUnconfirmed'; cause: NodeReason }
  /** Steps of a move to this node fail and are repeated. */
  | { reason: 'MoveDelayed'; node: string; cause: EngineReason }
  /** Berth's own engine does not answer. `detail`: the first error of the outage. */
  | { reason: 'EngineUnavailable'; detail: string }

/**
 * A running database went down. `since`: when Berth first observed this. `seconds`: the time from then until Berth
 * stopped waiting for a restart. `cause`: why a task of the database does not run; null if Berth found no such task.
 */
export type Outage =
  | { reason: 'WentDown'; since: string; cause: TaskReason | null }
  | { reason: 'StillDown'; seconds: number; cause: TaskReason | null }

/** Why a volume has not been removed. */
export type VolumeRemovalReason =
  | { reason: 'VolumeInUse' }
  | { reason: 'VolumeNotRemoved'; detail: string }
  | { reason: 'VolumeKept'; volume: string; detail: string }
  | { reason: 'VolumeNodeMissing'; node: string }

/** Work of Berth in progress on a node. `tool`: a container of Berth for a database, such as a login or a copy. */
export interface NodeWork {
  type: 'dump' | 'drill' | 'restore' | 'move' | 'tool'
  /** The name of the database. */
  name: string
}

/** Why a node is not drained yet, or why a call to drain it is refused. */
export type NodeDrainReason =
  | { reason: 'WorkOnNode'; work: NodeWork[] }
  | { reason: 'DrainStopsServices'; node: string; pinned: string[] }
  /** The node is Berth's own. `hosts`: the host names of applications that its proxy serves. */
  | { reason: 'DrainEndsRoutes'; node: string; hosts: string[]; pinned: string[]; work: NodeWork[] }
  | { reason: 'DrainedNodeLeft' }

/** The reason why the removal of a node waits. */
export type NodeRemovalWait =
  | { reason: 'TasksOnNode'; count: number; services: string[] }
  | { reason: 'StillManager' }
  | { reason: 'WorkOnNode'; work: NodeWork[] }

/** Why the removal of a node failed. */
export type NodeRemovalFailure =
  | NodeStayReason
  | EngineReason
  | { reason: 'NodeRemovalTimedOut'; minutes: number; cause: NodeRemovalWait }
  | { reason: 'InterruptedByRestore' }
  | LegacyReason

/** The progress or the result of the removal of a node. */
export type NodeRemovalReason =
  | { reason: 'DrainPending' }
  | { reason: 'NodeDraining' }
  | { reason: 'NodeDemoting' }
  | NodeRemovalWait
  | NodeRemovalFailure
  | { reason: 'AvailabilityRestored'; availability: string; cause: NodeRemovalFailure }
  | { reason: 'AvailabilityNotRestored'; cause: NodeRemovalFailure; failure: EngineReason }
  | { reason: 'VolumesLost'; volumes: string[] }

/** The progress or the result of a change of Berth's client certificate for the engines of nodes. */
export type EngineAccessReason =
  /** `nodes`: the nodes that do not accept the new set of certificates yet. */
  | { reason: 'AccessPending'; nodes: string[] }
  /** `nodes`: the nodes that are down. They accept the earlier certificate until they are in the swarm again. */
  | { reason: 'AccessDelayed'; nodes: string[] }

/** Why the registry that Berth runs does not work, or why work on it failed. */
export type RegistryServerReason =
  | ServiceReason
  | { reason: 'RegistryDown'; cause: TaskReason }
  | { reason: 'RegistryLoginFailed'; detail: string }
  | { reason: 'RegistryOpen'; host: string }
  | { reason: 'CollectionOnOtherNode' }
  | { reason: 'CollectionFailed'; detail: string }
  | LegacyReason

/** The result of a garbage collection in the registry. */
export type CollectionResult =
  | { reason: 'NothingToCollect' }
  | { reason: 'GarbageCollected'; blobs: number; manifests: number }

/**
 * Why Berth cannot forward to a Swarm service. `given`: how a route or a published port names it, by id, name or label.
 */
export type ApplicationReason =
  | { reason: 'ApplicationMissing'; given: string }
  | { reason: 'ApplicationAmbiguous'; given: string; services: string[] }
  | { reason: 'ApplicationOffNetwork'; service: string; network: string }

/** Why a published port does not work now. */
export type PortReason =
  | ServiceReason
  | ApplicationReason
  | { reason: 'GatewayCreating' }
  | { reason: 'GatewayChanging' }
  | { reason: 'GatewayRemoving' }
  | { reason: 'GatewayDown'; cause: TaskReason }
  | { reason: 'NothingListens'; targetPort: number }
  | LegacyReason

/** The contents of a deployment's `reason` column. */
export type DeploymentReason =
  | DatabaseFailure
  | DatabaseWait
  | Outage
  | VolumeRemovalReason
  | NodeRemovalReason
  | NodeDrainReason
  | EngineAccessReason
  | RegistryServerReason
  | CollectionResult
  | PortReason
