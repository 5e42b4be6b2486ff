/**
 * The reasons for the state of a deployment: a closed union with parameters. The store contains these values, and
 * reason-message.ts converts them to messages. Texts of the engine and of servers are parameters; known passwords in
 * them are masked.
 */
import type { TaskState } from '../engine/engine.ts'
import type { EngineFailureReason, TaskFailureReason } from '../engine/failures.ts'
import type { NodeStayReason } from '../engine/managers.ts'
import type { PlacementReason } from '../engine/placement.ts'
import type { NamedObject } from '../kinds/dump-finding.ts'

/** A message that an older version of Berth stored. */
export type LegacyReason = { reason: 'Legacy'; message: string }

/** How a container ended. Source: the container's state in the engine, and the end of its log. */
export interface ExitReport {
  outOfMemory: boolean
  /** The database's memory limit at that time; null if it had none. */
  memoryLimitMiB: number | null
  lastLines: string[]
  /** Why the server ended, as its log says; absent if no line of the log has a known form. */
  fault?: string
}

/** A Swarm task failed or did not start. */
export type TaskReason = (
  | { reason: 'TaskExited'; exitCode: number }
  | { reason: 'TaskFailed'; failure: TaskFailureReason; detail: string }
  | { reason: 'TaskNotStarted'; state: TaskState }
  | { reason: 'ImageTimeout'; minutes: number }
  /** The server was not ready within the database's `startTimeout`. */
  | { reason: 'StartTimeout'; minutes: number }
) & { report?: ExitReport }

/** The node with the volume of a database is unavailable. */
export type NodeReason =
  | { reason: 'NodeMissing'; node: string; address: string }
  /** The node with this id left the swarm, and the present node `foundOn` has a volume of the same name. */
  | { reason: 'NodeReturned'; node: string; address: string; nodeId: string; foundOn: string }
  | { reason: 'NodeDown'; node: string; address: string }
  | { reason: 'NodeDrained'; node: string; address: string }

/** The engine refused or failed a request. `detail` is its message. */
export type EngineReason = { reason: 'EngineFailed'; failure: EngineFailureReason; detail: string }

/** A Swarm service could not be created or changed. */
export type ServiceReason = EngineReason | { reason: 'ServiceNameTaken'; service: string }

/** Why a server cannot be started from its image. */
export type ImageReason =
  /** `detail`: why the image could not be pulled; null if the pull succeeded but the image is still missing. */
  | { reason: 'ImageMissing'; image: string; detail: string | null }
  | { reason: 'ImagePullFailed'; image: string; detail: string }
  | { reason: 'ImageGone'; image: string; imageId: string }
  /** `entrypoint`: the entry point of the image, a line for a shell. */
  | { reason: 'EntrypointIgnoresArguments'; image: string; entrypoint: string[] }
  /** `command`: the command of the image. `program`: the name of the server's program. */
  | { reason: 'CommandIsNotServer'; image: string; product: string; command: string[]; program: string }
  /** A target of an older version of Berth has an argument that its kind refuses. `detail` names it and says why. */
  | { reason: 'ArgumentRefused'; product: string; detail: string }
  | { reason: 'VersionUnknown'; product: string; dataVersion: string; image: string; detail: string }
  | { reason: 'VersionIncompatible'; product: string; dataVersion: string; image: string; version: string }

/** The server runs, but Berth could not log in to it as expected. */
export type LoginReason =
  /** `isFirstStart`: no login to this volume has ever succeeded. */
  | { reason: 'LoginRefused'; detail: string; isFirstStart: boolean }
  | { reason: 'LoginNotTried'; detail: string }
  /** The server was not prepared for a setting that its data keeps. */
  | { reason: 'NotPrepared'; detail: string }
  | { reason: 'RotationFailed'; detail: string }
  | { reason: 'NewCredentialsRefused'; detail: string }
  | { reason: 'OldCredentialsAccepted' }
  /** The server was started in its maintenance mode, and then refused Berth's own account. */
  | { reason: 'OwnAccountRefused'; detail: string }
  | { reason: 'ExternalPortUnreachable'; detail: string }

/**
 * The volume is missing, or contains other or incomplete data. `kind` is the kind of the database. The message uses it
 * to name the operation that accepts new data, such as `postgres.start`.
 */
export type DataReason =
  | { reason: 'VolumeMissing'; volume: string; node: string; kind: string }
  | { reason: 'DataReplaced'; volume: string; node: string; kind: string }
  /** `cause`: why the first server ended; null if a call stopped it, or if this is unknown. */
  | { reason: 'FirstStartInterrupted'; volume: string; node: string; kind: string; cause: TaskReason | null }

/**
 * The server keeps data that it needs after a crash outside the volume of the database. `folder`: where the volume is
 * mounted. `path`: how the server names the file or folder. `target`: where its symbolic links lead. `more`: how many
 * other places there are. `isFirstStart`: no login to this volume has ever succeeded.
 */
export type DataPlaceReason = {
  reason: 'DataOutsideVolume'
  volume: string
  folder: string
  places: { path: string; target: string }[]
  more: number
  isFirstStart: boolean
}

/**
 * Another service, or a container that no service created, uses the volume. `service`: the service that was not started
 * on the volume; null if the volume was not removed.
 */
export type VolumeUseReason = {
  reason: 'VolumeInUse'
  volume: string
  service: string | null
  services: string[]
  containers: string[]
}

/**
 * Why the data of another volume was not copied to the volume of a database. `noData`: it has no data of this kind.
 * `severalFolders`: it has data in several folders. `changed`: its files changed during the copy.
 */
export type CopyFailure = 'missing' | 'inUse' | 'noData' | 'severalFolders' | 'noSpace' | 'changed' | 'failed'

/**
 * `users`: the services and containers that use the volume, for `inUse`. `detail`: what the program of the copy said last;
 * null if it did not run.
 */
export type VolumeCopyReason = {
  reason: 'VolumeNotCopied'
  volume: string
  node: string
  failure: CopyFailure
  users: string[]
  detail: string | null
}

/** A volume, its node and its generation. `node` is null if a service is not pinned to a node. */
export interface PlacementParameters {
  volume: string
  node: string | null
  generation: number
}

/**
 * The service of the database has another volume or node than the record says, and is not older than the record.
 * `recorded` is null if the record has no volume.
 */
export type ElsewhereReason = {
  reason: 'PlacedElsewhere'
  service: string
  recorded: PlacementParameters | null
  found: PlacementParameters
}

/** A service that does not belong to the database has the name of the database's service. */
export type NameReason = { reason: 'AppNameTaken'; service: string }

/** Why a database could not be copied to another node. */
export type CopyReason =
  | { reason: 'CopyUnsupported' }
  | { reason: 'CopyServerStopped' }
  | { reason: 'CopyServerFailed'; node: string; cause: TaskReason }
  | { reason: 'CopyFailed'; detail: string }
  | { reason: 'CopyDiffers'; database: string; differences: string[] }
  /** The move would lose these objects, because the server cannot read them. */
  | { reason: 'CopyIncomplete'; database: string; objects: NamedObject[] }
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
  | DataPlaceReason
  | VolumeUseReason
  | VolumeCopyReason
  | CopyReason
  | ElsewhereReason
  | NameReason
  | { reason: 'ExternalPortFailed'; cause: TaskReason }
  | { reason: 'NodeLeaving'; node: string }
  | { reason: 'MoveFailed'; node: string; cause: DatabaseFailure }
  /** The data of the database is unchanged. */
  | { reason: 'RestoreFailed'; runId: string; cause: DatabaseFailure }
  /** The run of the restore ended before the data was replaced: it was cancelled, or took too long. */
  | { reason: 'RestoreStopped' }
  | { reason: 'RolledBack'; cause: DatabaseFailure }
  | { reason: 'RollbackFailed'; cause: DatabaseFailure; failure: DatabaseFailure }
  | { reason: 'InternalError'; deploymentId: string }
  | { reason: 'InterruptedByRestore' }
  | LegacyReason

/** The reason why a deployment of a database waits. */
export type DatabaseWait =
  | { reason: 'ContainersStopping'; containers: string[] }
  | { reason: 'StopUnconfirmed'; cause: NodeReason }
  | StartingReason

/**
 * The container runs, and the server is not ready yet: it initializes or recovers its data. `since`: when the container
 * was created. `silentSince`: when the server printed the last line of its log, `lastLine`. Both are null if it printed
 * none. Times are those of the node.
 */
export type StartingReason = { reason: 'Starting'; since: string; silentSince: string | null; lastLine: string | null }

/**
 * A running database went down. `since`: when Berth first observed this. `seconds`: the time from then until Berth
 * stopped waiting for a restart. `cause`: why a task of the database does not run; null if Berth found no such task.
 */
export type Outage =
  | { reason: 'WentDown'; since: string; cause: TaskReason | null }
  | { reason: 'StillDown'; seconds: number; cause: TaskReason | null }

/** Why a volume has not been removed. */
export type VolumeRemovalReason =
  | VolumeUseReason
  | { reason: 'VolumeNotRemoved'; detail: string }
  | { reason: 'VolumeKept'; volume: string; detail: string }
  | { reason: 'VolumeNodeMissing'; node: string }

/** The reason why the removal of a node waits. */
export type NodeRemovalWait = { reason: 'TasksOnNode'; count: number; services: string[] } | { reason: 'StillManager' }

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

/** Why the registry that Berth runs does not work, or why work on it failed. */
export type RegistryServerReason =
  | ServiceReason
  | NodeReason
  | VolumeUseReason
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
  | RegistryServerReason
  | CollectionResult
  | PortReason
