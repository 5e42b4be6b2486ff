/** The operations of Berth's API. Made from openapi.json by generate.js: do not edit. */
import type { Method, OptionalMethod, PagedMethod, StreamMethod } from './method.ts'

export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_SUPPORTED'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNPROCESSABLE_CONTENT'
  | 'TOO_MANY_REQUESTS'
  | 'INTERNAL_SERVER_ERROR'
  | 'BAD_GATEWAY'
  | 'SERVICE_UNAVAILABLE'
  | 'GATEWAY_TIMEOUT'

export type AuthCreateAdmin = {
  /** Shown once. Send it as "Authorization: Bearer <accessToken>" */
  accessToken: string
  /** The session ends earlier after 7 days without use */
  expiresAt: string
  account: Auth
}

export type Auth = {
  id: string
  email: string
  password: null
  rol: "admin" | "user"
  image: string
  secret: null
  token: null
  is2FAEnabled: boolean
  createdAt: string
}

export type AuthRevokeSession = {
  sessionId: string
  /** Whether this call was made with this session */
  isCurrent: boolean
  /** IP address from which you signed in */
  address: string
  passed2FA: boolean
  createdAt: string
  /** Accurate to ten minutes */
  lastUsedAt: string
  /** A session that is not used for 7 days ends before this time */
  expiresAt: string
}

export type AuthRevokeToken = {
  tokenId: string
  /** Null if auth.generateToken created the token */
  name: string | null
  /** read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, and run backups and drills. admin: every operation that your role permits, except those that need a session */
  scope: "read" | "deploy" | "admin"
  createdAt: string
  /** Accurate to ten minutes */
  lastUsedAt: string
  /** Null if the token is valid until it is revoked */
  expiresAt: string | null
}

export type User = {
  userId: string
  /** Id of the account for auth.one and auth.updateByAdmin. Currently the same as userId */
  authId: string
  email: string
  rol: "admin" | "user"
  is2FAEnabled: boolean
  createdAt: string
  /** Accurate to ten minutes; null: never */
  lastSeenAt: string | null
}

export type UserInvitations = {
  id: string
  email: string
  rol: "admin" | "user"
  /** Id of the administrator */
  invitedBy: string
  createdAt: string
  expiresAt: string
}

export type Project = {
  projectId: string
  name: string
  description: string | null
  createdAt: string
  mariadb: {
    mariadbId: string
    name: string
    appName: string
    description: string | null
    databaseName: string
    databaseUser: string
    databasePassword: string
    databaseRootPassword: string
    dockerImage: string
    command: string | null
    env: string | null
    /** MiB */
    memoryReservation: number | null
    /** MiB */
    memoryLimit: number | null
    /** Cores */
    cpuReservation: number | null
    /** Cores */
    cpuLimit: number | null
    externalPort: number | null
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    createdAt: string
    projectId: string
  }[]
  mysql: {
    mysqlId: string
    name: string
    appName: string
    description: string | null
    databaseName: string
    databaseUser: string
    databasePassword: string
    databaseRootPassword: string
    dockerImage: string
    command: string | null
    env: string | null
    /** MiB */
    memoryReservation: number | null
    /** MiB */
    memoryLimit: number | null
    /** Cores */
    cpuReservation: number | null
    /** Cores */
    cpuLimit: number | null
    externalPort: number | null
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    createdAt: string
    projectId: string
  }[]
  postgres: {
    postgresId: string
    name: string
    appName: string
    description: string | null
    databaseName: string
    databaseUser: string
    databasePassword: string
    dockerImage: string
    command: string | null
    env: string | null
    /** MiB */
    memoryReservation: number | null
    /** MiB */
    memoryLimit: number | null
    /** Cores */
    cpuReservation: number | null
    /** Cores */
    cpuLimit: number | null
    externalPort: number | null
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    createdAt: string
    projectId: string
  }[]
  mongo: {
    mongoId: string
    name: string
    appName: string
    description: string | null
    databaseUser: string
    databasePassword: string
    dockerImage: string
    command: string | null
    env: string | null
    /** MiB */
    memoryReservation: number | null
    /** MiB */
    memoryLimit: number | null
    /** Cores */
    cpuReservation: number | null
    /** Cores */
    cpuLimit: number | null
    externalPort: number | null
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    createdAt: string
    projectId: string
  }[]
  redis: {
    redisId: string
    name: string
    appName: string
    description: string | null
    databasePassword: string
    dockerImage: string
    command: string | null
    env: string | null
    /** MiB */
    memoryReservation: number | null
    /** MiB */
    memoryLimit: number | null
    /** Cores */
    cpuReservation: number | null
    /** Cores */
    cpuLimit: number | null
    externalPort: number | null
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    createdAt: string
    projectId: string
  }[]
}

export type Mariadb = {
  mariadbId: string
  name: string
  appName: string
  description: string | null
  databaseName: string
  databaseUser: string
  databasePassword: string
  databaseRootPassword: string
  dockerImage: string
  command: string | null
  env: string | null
  /** MiB */
  memoryReservation: number | null
  /** MiB */
  memoryLimit: number | null
  /** Cores */
  cpuReservation: number | null
  /** Cores */
  cpuLimit: number | null
  externalPort: number | null
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  createdAt: string
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  connection: {
    internalUrl: string
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | null
  lastDeployedAt: string | null
  backups: {
    backupId: string
    schedule: string
    timezone: string
    enabled: boolean
    database: string
    destinationId: string
    nextAt: string | null
  }[]
}

export type Mysql = {
  mysqlId: string
  name: string
  appName: string
  description: string | null
  databaseName: string
  databaseUser: string
  databasePassword: string
  databaseRootPassword: string
  dockerImage: string
  command: string | null
  env: string | null
  /** MiB */
  memoryReservation: number | null
  /** MiB */
  memoryLimit: number | null
  /** Cores */
  cpuReservation: number | null
  /** Cores */
  cpuLimit: number | null
  externalPort: number | null
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  createdAt: string
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  connection: {
    internalUrl: string
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | null
  lastDeployedAt: string | null
  backups: {
    backupId: string
    schedule: string
    timezone: string
    enabled: boolean
    database: string
    destinationId: string
    nextAt: string | null
  }[]
}

export type Postgres = {
  postgresId: string
  name: string
  appName: string
  description: string | null
  databaseName: string
  databaseUser: string
  databasePassword: string
  dockerImage: string
  command: string | null
  env: string | null
  /** MiB */
  memoryReservation: number | null
  /** MiB */
  memoryLimit: number | null
  /** Cores */
  cpuReservation: number | null
  /** Cores */
  cpuLimit: number | null
  externalPort: number | null
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  createdAt: string
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  connection: {
    internalUrl: string
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | null
  lastDeployedAt: string | null
  backups: {
    backupId: string
    schedule: string
    timezone: string
    enabled: boolean
    database: string
    destinationId: string
    nextAt: string | null
  }[]
}

export type Mongo = {
  mongoId: string
  name: string
  appName: string
  description: string | null
  databaseUser: string
  databasePassword: string
  dockerImage: string
  command: string | null
  env: string | null
  /** MiB */
  memoryReservation: number | null
  /** MiB */
  memoryLimit: number | null
  /** Cores */
  cpuReservation: number | null
  /** Cores */
  cpuLimit: number | null
  externalPort: number | null
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  createdAt: string
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  connection: {
    internalUrl: string
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | null
  lastDeployedAt: string | null
  backups: {
    backupId: string
    schedule: string
    timezone: string
    enabled: boolean
    database: string
    destinationId: string
    nextAt: string | null
  }[]
}

export type Redis = {
  redisId: string
  name: string
  appName: string
  description: string | null
  databasePassword: string
  dockerImage: string
  command: string | null
  env: string | null
  /** MiB */
  memoryReservation: number | null
  /** MiB */
  memoryLimit: number | null
  /** Cores */
  cpuReservation: number | null
  /** Cores */
  cpuLimit: number | null
  externalPort: number | null
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  createdAt: string
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  connection: {
    internalUrl: string
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | null
  lastDeployedAt: string | null
  backups: {
    backupId: string
    schedule: string
    timezone: string
    enabled: boolean
    database: string
    destinationId: string
    nextAt: string | null
  }[]
}

export type Database = {
  /** The id that operations of the kind call <kind>Id, for example postgresId */
  databaseId: string
  /** The kind: the group of the operations for this database */
  databaseType: "mariadb" | "mysql" | "postgres" | "mongo" | "redis"
  name: string
  /** The name of the service on the swarm, and the host name for clients in it */
  appName: string
  projectId: string
  projectName: string
  /** The image as it was entered */
  dockerImage: string
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Why the database has this status; null without a reason */
  statusReason: string | null
  /** The code of that reason, for programs; null without a reason */
  statusCode: string | null
  /** Whether the record differs from what runs. A deploy applies the difference */
  pendingChanges: boolean
  /** The published port; null if none is published */
  externalPort: number | null
  /** The host name of the node with the data; null before the first deploy */
  node: string | null
  createdAt: string
}

export type Volume = {
  volumeId: string
  /** Name of the Docker volume */
  name: string
  kind: string
  /** Version of the server that wrote the data, such as 15 or 8.4; null if unknown */
  version: string | null
  dataPath: string
  node: string
  state: "attached" | "kept" | "removing"
  /** Id of the service that owns the volume; null for a kept volume and for the volume of Berth's registry */
  databaseId: string | null
  /** appName of the service that owns the volume, or of its last owner */
  appName: string
  dockerImage: string
  createdAt: string
  keptAt: string | null
}

export type Backup = {
  backupId: string
  databaseType: string
  mariadbId: string | null
  mysqlId: string | null
  postgresId: string | null
  mongoId: string | null
  destinationId: string
  /** The name of the database within the server */
  database: string
  /** The beginning of the keys of the dumps in the bucket */
  prefix: string
  schedule: string
  /** The time zone of the schedules */
  timezone: string
  /** Whether the schedules are active */
  enabled: boolean
  /** When the last good dump is verified; null: never */
  verifySchedule: string | null
  /** How many of the newest good dumps are kept; null: no such rule */
  keepLatest: number | null
  /** For how many days good dumps are kept; null: no such rule */
  keepDays: number | null
  /** The age recipient, or `installation`; null: dumps are not encrypted */
  recipient: string | null
  /** The URL that Berth calls after each good dump; null: none */
  signalUrl: string | null
  createdAt: string
  /** When the next dump is due; null while disabled */
  nextAt: string | null
  /** When the next drill is due; null while disabled or not scheduled */
  nextVerifyAt: string | null
  /** Set if dumps have less than half of the rows or bytes of an earlier dump. Retention then keeps all dumps older than runId, until a dump has at least half of the rows and bytes of shrunkFrom or backup.acceptShrink is called */
  shrunk: {
    /** The run of the first dump that shrank */
    runId: string
    /** The run of the earlier dump that it was compared with */
    shrunkFrom: string
  } | null
  /** What a dump of this product contains and what it does not */
  promise: string | null
}

export type BackupManualBackupMariadb = {
  runId: string
  /** null: the run belongs to no backup */
  backupId: string | null
  databaseType: string
  /** The service that is dumped or restored into. Drill: the service whose dump is verified */
  databaseId: string | null
  /** The name of the database within the server */
  database: string
  /** verify: a drill, see backup.verify */
  action: "dump" | "verify" | "restore"
  /** safety: the safety dump of a restore */
  trigger: "manual" | "schedule" | "safety"
  /** running: under way, or waiting for its start or its next attempt. skipped: not started at its time */
  status: "running" | "done" | "error" | "skipped"
  /** The current step; null after the end of the run */
  step: string | null
  /** The number of the current attempt, from 1 */
  attempt: number
  /** Why the run waits, failed or was skipped, or the result of a drill */
  reason: string | null
  /** The code of the reason. Later versions may add codes. Legacy: an older version of Berth stored the reason */
  reasonCode: "MissedSchedule" | "PreviousRunOpen" | "NothingToVerify" | "ServiceRemoved" | "ServiceNotDeployed" | "ServiceStopped" | "ServiceStoppedMeanwhile" | "ServiceDown" | "ServiceNotUp" | "ServiceNotUpInTime" | "LoginRefused" | "DataNotCompared" | "ContainerReplaced" | "ToolFailed" | "DatabaseMissing" | "DumpEmpty" | "ObjectDiffers" | "OlderDumpNotDeleted" | "RestoredEqual" | "DumpGone" | "ObjectChanged" | "ForeignRecipient" | "ContentDiffers" | "ManifestDiffers" | "ScratchServerEnded" | "LoadInterrupted" | "LoadFailed" | "DestinationRemoved" | "StorageFailed" | "ToolIdle" | "TookTooLong" | "Cancelled" | "InterruptedTooOften" | "InterruptedByRestore" | "EngineUnavailable" | "EngineFailed" | "ArchiveBroken" | "StateUnreadable" | "TooLarge" | "Failed" | "Legacy" | null
  /** The parameters of some reasons; null for the other reasons. Later versions may add reasons */
  fault: {
    reason: "LoadInterrupted" | "LoadFailed" | "InterruptedTooOften" | "ToolIdle" | "TookTooLong"
    /** LoadInterrupted, LoadFailed: the run of the safety dump; null: none was made */
    safetyRunId?: string | null
    /** LoadInterrupted, LoadFailed: whether only the last step of the restore changes the database */
    isAtomic?: boolean
    /** InterruptedTooOften: how many times Berth ended during the run */
    times?: number
    /** ToolIdle, TookTooLong: the time limit in seconds */
    seconds?: number
  } | null
  /** The key of the object in the bucket; null: there is none. Its manifest has this key with .json appended. Failed dump: the key of uploaded data that Berth still has to delete */
  key: string | null
  /** The size of the object as stored */
  sizeBytes: number | null
  /** The size of the dump before compression */
  rawBytes: number | null
  /** Good dump: the number of rows in all tables and collections; null: not counted */
  rowCount: number | null
  /** Good dump that shrank: the run of the earlier dump that it was compared with. The dump has less than half of the rows or bytes of the earlier one */
  shrunkFrom: string | null
  /** The SHA-256 checksum of the object as stored */
  sha256: string | null
  /** The number of bytes transferred so far */
  progressBytes: number
  /** The average throughput so far; null after the end of the run */
  bytesPerSecond: number | null
  /** Whether the object is encrypted. Its manifest names the recipient */
  encrypted: boolean
  /** Drill or restore: the run of the dump that is read; null for a restore by key */
  sourceRunId: string | null
  /** Restore: the run of the safety dump; null: none was made yet */
  safetyRunId: string | null
  /** Restore: why the restore makes no safety dump. NewService: the restore creates the service. NotWanted: skipSafetyDump was set. TargetEmpty: the database does not exist or is empty. null: the restore makes one */
  safety: "NewService" | "NotWanted" | "TargetEmpty" | null
  /** Safety dump: when Berth deletes its object */
  expiresAt: string | null
  /** Dump: when a drill last verified it without a difference */
  verifiedAt: string | null
  createdAt: string
  /** null: not started */
  startedAt: string | null
  /** null: not ended yet */
  finishedAt: string | null
}

export type Destination = {
  destinationId: string
  name: string
  accessKey: string
  bucket: string
  region: string
  endpoint: string
  /** Always this mask. destination.update keeps the stored secret if it receives the mask */
  secretAccessKey: "********"
  createdAt: string
}

export type Redirects = {
  redirectId: string
  applicationId: string
  regex: string
  replacement: string
  permanent: boolean
  createdAt: string
  /** Whether the rule is in force */
  applied: boolean
  /** Why the rule is not in force. Null if the rule is in force */
  reason: string | null
}

export type Port = {
  portId: string
  applicationId: string
  publishedPort: number
  targetPort: number
  protocol: "tcp" | "udp"
  createdAt: string
  /** Whether the rule is in force */
  applied: boolean
  /** Why the rule is not in force. Null if the rule is in force */
  reason: string | null
  /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
  reasonCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
}

export type Security = {
  securityId: string
  applicationId: string
  username: string
  /** Always this mask. In security.update, the mask keeps the stored password */
  password: "********"
  createdAt: string
  /** Whether the rule is in force */
  applied: boolean
  /** Why the rule is not in force. Null if the rule is in force */
  reason: string | null
}

export type Certificates = {
  certificateId: string
  name: string
  /** A label in the form of a relative path. Berth writes no file at this path */
  certificatePath: string | null
  autoRenew: boolean
  /** Always this mask: the API never returns a key */
  privateKey: "********"
  subject: string
  /** The host names and IP addresses that the certificate covers */
  names: string[]
  issuer: string
  serialNumber: string
  fingerprint256: string
  keyType: string
  notBefore: string
  notAfter: string
  /** Whole days until the certificate expires. Negative after it has expired */
  daysLeft: number
  createdAt: string
  renewedAt: string | null
  /** When renewal begins. Null without autoRenew */
  renewsAt: string | null
  /** The last failure of a renewal. Null if the last attempt did not fail */
  renewal: {
    /** Why the last attempt failed */
    error: string
    /** When the proxy tries again. Null if no attempt is planned */
    nextTryAt: string | null
  } | null
}

export type Registry = {
  registryId: string
  registryName: string
  registryType: "selfHosted" | "cloud"
  registryUrl: string
  /** The host in the names of the images of this registry */
  host: string
  username: string
  /** Always this mask. In registry.update, the mask keeps the stored password */
  password: "********"
  imagePrefix: string | null
  insecure: boolean
  adminId: string
  createdAt: string
  /** The service of the registry that Berth runs. Null for all other registries */
  server: {
    /** done: the registry runs, and Berth has logged in to it. running: a deployment is in progress */
    status: "running" | "done" | "error"
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
    statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
    /** The published port of the node. Null if the proxy serves the registry */
    port: number | null
    node: string | null
    /** The name of the Docker volume. Berth keeps the volume when the registry is removed */
    volume: string | null
    /** True during a garbage collection: the registry refuses pushes and serves pulls */
    readOnly: boolean
  } | null
}

export type StateBackup = {
  runId: string
  /** safety: the safety dump of a restore */
  trigger: "manual" | "schedule" | "safety"
  /** running: under way, or waiting for its start or its next attempt. skipped: not started at its time */
  status: "running" | "done" | "error" | "skipped"
  /** The current step; null after the end of the run */
  step: string | null
  /** The number of the current attempt, from 1 */
  attempt: number
  /** Why the run waits, failed or was skipped, or the result of a drill */
  reason: string | null
  /** The code of the reason. Later versions may add codes. Legacy: an older version of Berth stored the reason */
  reasonCode: "MissedSchedule" | "PreviousRunOpen" | "NothingToVerify" | "ServiceRemoved" | "ServiceNotDeployed" | "ServiceStopped" | "ServiceStoppedMeanwhile" | "ServiceDown" | "ServiceNotUp" | "ServiceNotUpInTime" | "LoginRefused" | "DataNotCompared" | "ContainerReplaced" | "ToolFailed" | "DatabaseMissing" | "DumpEmpty" | "ObjectDiffers" | "OlderDumpNotDeleted" | "RestoredEqual" | "DumpGone" | "ObjectChanged" | "ForeignRecipient" | "ContentDiffers" | "ManifestDiffers" | "ScratchServerEnded" | "LoadInterrupted" | "LoadFailed" | "DestinationRemoved" | "StorageFailed" | "ToolIdle" | "TookTooLong" | "Cancelled" | "InterruptedTooOften" | "InterruptedByRestore" | "EngineUnavailable" | "EngineFailed" | "ArchiveBroken" | "StateUnreadable" | "TooLarge" | "Failed" | "Legacy" | null
  /** The parameters of some reasons; null for the other reasons. Later versions may add reasons */
  fault: {
    reason: "LoadInterrupted" | "LoadFailed" | "InterruptedTooOften" | "ToolIdle" | "TookTooLong"
    /** LoadInterrupted, LoadFailed: the run of the safety dump; null: none was made */
    safetyRunId?: string | null
    /** LoadInterrupted, LoadFailed: whether only the last step of the restore changes the database */
    isAtomic?: boolean
    /** InterruptedTooOften: how many times Berth ended during the run */
    times?: number
    /** ToolIdle, TookTooLong: the time limit in seconds */
    seconds?: number
  } | null
  /** The key of the object in the bucket; null: there is none. Its manifest has this key with .json appended. Failed dump: the key of uploaded data that Berth still has to delete */
  key: string | null
  /** The size of the object as stored */
  sizeBytes: number | null
  /** The size of the dump before compression */
  rawBytes: number | null
  /** The SHA-256 checksum of the object as stored */
  sha256: string | null
  createdAt: string
  /** null: not started */
  startedAt: string | null
  /** null: not ended yet */
  finishedAt: string | null
}

export type State = {
  destinationId: string
  schedule: string
  timezone: string
  enabled: boolean
  prefix: string
  keepLatest: number | null
  keepDays: number | null
  signalUrl: string | null
  createdAt: string
  /** The time of the next scheduled run; null while the schedule is disabled */
  nextAt: string | null
}

/** All operations, by group and name. */
export interface Operations {
  auth: {
    /**
     * Create the first account, an administrator
     *
     * Also signs in. Answers 409 if an account exists already.
     *
     * Access: The installation token, or any session or API token.
     */
    createAdmin: Method<{
      email: string
      password: string
    }, AuthCreateAdmin>
    /**
     * Create the account of an invitation
     *
     * Also signs in. `id` and `token` come from the answer of user.invite. An invitation can be used once, within 7 days.
     *
     * Access: The invitation or installation token, or any session or API token.
     */
    createUser: Method<{
      password: string
      id: string
      token: string
    }, AuthCreateAdmin>
    /**
     * Read your own account
     *
     * Access: Every account, with a session or any API token.
     */
    get: OptionalMethod<Record<string, never>, Auth>
    /**
     * Sign in with e-mail and password
     *
     * Starts a new session. The session ends after 30 days, or after 7 days without use. If the account has a second factor, the answer contains a challengeToken instead of a session. Send the challengeToken to auth.verifyLogin2FA: it is valid for 5 minutes and 5 codes. After several failed attempts you must wait before the next one, each time longer.
     *
     * Access: The installation token, or any session or API token. An expired session is accepted too.
     */
    login: Method<{
      email: string
      password: string
    }, AuthCreateAdmin | {
      twoFactorRequired: true
      /** Id of the account, for auth.verifyLogin2FA */
      id: string
      /** Shown once. The bearer token for auth.verifyLogin2FA; other calls refuse it */
      challengeToken: string
      expiresAt: string
    }>
    /**
     * End the session that this call is made with
     *
     * Other sessions and the API tokens of the account stay.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    logout: OptionalMethod<Record<string, never>, {
      accountId: string
      kind: "session"
      endedAt: string
    }>
    /**
     * Read an account; only administrators can read accounts other than their own
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      id: string
    }, Auth>
    /**
     * Verify the token of this call and read its account and rights
     *
     * Access: Every account, with a session or any API token.
     */
    verifyToken: OptionalMethod<Record<string, never>, {
      valid: true
      accountId: string
      rol: "admin" | "user"
      kind: "session" | "api"
      /** Scope of an API token; null for a session */
      scope: "read" | "deploy" | "admin" | null
      /** Null: valid until it is replaced or revoked */
      expiresAt: string | null
    }>
    /**
     * Sign in with e-mail, password and code, without a token
     *
     * Starts a session, which ends after 30 days, or after 7 days without use. An account with a second factor needs `code`. If the password is right and the code is missing, the answer is 401 with an issue for the field `code`. The waits after failed attempts grow.
     *
     * Access: Everyone, without a token.
     */
    signIn: Method<{
      email: string
      password: string
      /** A code from the authenticator app, which can be used once, or a recovery code */
      code?: string
    }, AuthCreateAdmin>
    /**
     * Change your own account
     *
     * A new password ends all your other sessions. A new e-mail or password needs a session that signed in within the last 10 minutes, or `currentPassword` and, if the second factor is on, `code`. `is2FAEnabled: false` turns the second factor off, like auth.disable2FA.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    update: Method<{
      email: string | null
      /** Null or the mask keeps the current password */
      password: string | null
      rol?: "admin" | "user"
      /** URL of a picture */
      image?: string
      /** Cannot be set here: use auth.verify2FASetup */
      secret?: string | null
      /** Cannot be set here: use auth.generateToken */
      token?: string | null
      /** False turns the second factor off */
      is2FAEnabled?: boolean
      /** Cannot be changed: only the stored value is accepted */
      createdAt?: string
      /** Your own current password. Needed for a new e-mail or password of your account, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
      /** Only your own id is accepted */
      id?: string
      /** True also revokes all your API tokens */
      revokeTokens?: boolean
    }, Auth>
    /**
     * Change any account, including its role
     *
     * A new password or role ends the sessions of the account, except the one of this call. A new password also revokes its API tokens. `is2FAEnabled: false` turns off a lost second factor. The role of the last administrator cannot be changed. For your own account the rules of auth.update apply.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    updateByAdmin: Method<{
      id: string
      email: string | null
      /** Null or the mask keeps the current password */
      password: string | null
      rol?: "admin" | "user"
      /** URL of a picture */
      image?: string
      /** Cannot be set here: use auth.verify2FASetup */
      secret?: string | null
      /** Cannot be set here: use auth.generateToken */
      token?: string | null
      /** False turns the second factor off */
      is2FAEnabled?: boolean
      /** Cannot be changed: only the stored value is accepted */
      createdAt?: string
      /** Your own current password. Needed for a new e-mail or password of your account, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
    }, Auth>
    /**
     * Propose a secret for an authenticator app
     *
     * Changes nothing. To turn the second factor on, send the secret and a code to auth.verify2FASetup.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    generate2FASecret: OptionalMethod<Record<string, never>, {
      /** Base32, 160 bits */
      secret: string
      otpauthUrl: string
      /** The otpauthUrl as a QR code: a data URL of an SVG */
      qrCode: string
    }>
    /**
     * Turn on the second factor with a secret and a code
     *
     * Ends your other sessions. Keep the recovery codes: each can replace a code of the app once.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    verify2FASetup: Method<{
      pin: string
      /** Base32, 160 bits or more */
      secret: string
    }, {
      id: string
      email: string
      password: null
      rol: "admin" | "user"
      image: string
      secret: null
      token: null
      is2FAEnabled: boolean
      createdAt: string
      /** Ten codes, shown once */
      recoveryCodes: string[]
    }>
    /**
     * Complete a sign-in with the second factor
     *
     * The bearer token is the challengeToken from auth.login, and `id` is the id of its account. `pin` is a code of the app or a recovery code. Each code can be used once.
     *
     * Access: The challengeToken from auth.login, only for its account.
     */
    verifyLogin2FA: Method<{
      pin: string
      id: string
    }, AuthCreateAdmin>
    /**
     * Turn off the second factor
     *
     * Needs a session that has passed the second factor. The recovery codes become invalid.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    disable2FA: OptionalMethod<Record<string, never>, Auth>
    /**
     * Create an API token with a name, a scope and an optional expiry
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    createToken: Method<{
      name: string
      /** read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, and run backups and drills. admin: every operation that your role permits, except those that need a session */
      scope: "read" | "deploy" | "admin"
      /** If omitted, the token is valid until it is revoked */
      expiresAt?: string
    }, {
      tokenId: string
      /** Null if auth.generateToken created the token */
      name: string | null
      /** read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, and run backups and drills. admin: every operation that your role permits, except those that need a session */
      scope: "read" | "deploy" | "admin"
      createdAt: string
      /** Accurate to ten minutes */
      lastUsedAt: string
      /** Null if the token is valid until it is revoked */
      expiresAt: string | null
      /** The token. Only this answer contains it */
      token: string
    }>
    /**
     * Create an unnamed API token and revoke the previous one
     *
     * The token is meant for scripts. It has the scope admin and does not expire. Only this answer contains the token. The previous token of this operation is revoked. To create a token with a narrower scope, call auth.createToken.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    generateToken: OptionalMethod<Record<string, never>, {
      token: string
    }>
    /**
     * End one of your sessions
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    revokeSession: Method<{
      sessionId: string
    }, AuthRevokeSession>
    /**
     * Revoke one of your API tokens
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    revokeToken: Method<{
      tokenId: string
    }, AuthRevokeToken>
    /**
     * List your active sessions, oldest first
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    sessions: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, AuthRevokeSession[]>
    /**
     * List your API tokens, oldest first
     *
     * The answer does not contain the tokens themselves, because Berth stores only their hashes.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    tokens: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, AuthRevokeToken[]>
  }
  user: {
    /**
     * List the accounts, oldest first; only administrators see accounts other than their own
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, User[]>
    /**
     * Read a user by authId, the id of its account; only administrators can read accounts other than their own
     *
     * Access: Every account, with a session or any API token.
     */
    byAuthId: Method<{
      authId: string
    }, User>
    /**
     * Read a user by userId; only administrators can read accounts other than their own
     *
     * Access: Every account, with a session or any API token.
     */
    byUserId: Method<{
      userId: string
    }, User>
    /**
     * List the valid invitations, oldest first
     *
     * Access: Administrators, with a session or any API token.
     */
    invitations: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, UserInvitations[]>
    /**
     * Invite a person to create an account
     *
     * Give `id` and `token` to the invited person. auth.createUser accepts them once, within 7 days. A new invitation replaces an earlier one for the same e-mail.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    invite: Method<{
      email: string
      rol?: "admin" | "user"
    }, {
      id: string
      email: string
      rol: "admin" | "user"
      /** Id of the administrator */
      invitedBy: string
      createdAt: string
      expiresAt: string
      /** Shown once */
      token: string
    }>
    /**
     * Remove an account with its sessions, API tokens and invitations
     *
     * Projects and other records of the account stay. The last administrator cannot be removed.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    remove: Method<{
      userId: string
    }, User>
    /**
     * Revoke an invitation
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    revokeInvitation: Method<{
      id: string
    }, UserInvitations>
  }
  project: {
    /**
     * List the projects with their services, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, Project[]>
    /**
     * Create a project
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      description?: string | null
    }, Project>
    /**
     * Read a project with its services
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      projectId: string
    }, Project>
    /**
     * Remove a project
     *
     * A project with services is removed only with `cascade: true`, which also removes its services. Berth keeps their volumes.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      projectId: string
      /** Whether the services of the project are removed too */
      cascade?: boolean
    }, Project>
    /**
     * Change the name or the description of a project
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      projectId: string
      name: string
      description?: string | null
    }, Project>
  }
  mariadb: {
    /**
     * Create a MariaDB service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      appName: string
      projectId: string
      databaseName: string
      databaseUser: string
      databasePassword: string
      databaseRootPassword: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
    }, Mariadb>
    /**
     * Read a MariaDB service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      mariadbId: string
    }, Mariadb>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      mariadbId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Mariadb>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      mariadbId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
    }, Mariadb>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      mariadbId: string
    }, Mariadb>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      mariadbId: string
      appName: string
    }, Mariadb>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      mariadbId: string
      externalPort: number | null
    }, Mariadb>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      mariadbId: string
      removeData?: boolean
    }, Mariadb>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      mariadbId: string
      env?: string | null
    }, Mariadb>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      mariadbId: string
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Mariadb>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      mariadbId: string
      name?: string
      appName?: string
      projectId?: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
      databaseName?: string
      databaseUser?: string
      databasePassword?: string
      databaseRootPassword?: string
    }, Mariadb>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts other than those of the record cannot be copied. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      mariadbId: string
      /** Id or host name of the new node */
      node: string
    }, {
      mariadbId: string
      name: string
      appName: string
      description: string | null
      databaseName: string
      databaseUser: string
      databasePassword: string
      databaseRootPassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    }>
    /**
     * Read or follow the log of a MariaDB service, oldest line first
     *
     * Docker keeps the lines of a container as long as the container itself: up to 30 MB of each of the last containers of a running service, and usually nothing of a stopped one. Known passwords of the service are masked. Following ends when the service is removed or Berth stops. To resume after a lost connection, send the time of the last line as since; that line is sent again.
     *
     * A streamed answer is NDJSON (application/x-ndjson): one JSON value per line, sent as it arrives. The first line is empty, and an empty line is sent after 30 seconds without a value: skip empty lines. If the connection breaks before the stream ends, the answer is incomplete.
     *
     * Access: Every account, with a session or any API token.
     */
    logs: StreamMethod<{
      mariadbId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, {
      /** Time at which the line was printed, to the nanosecond */
      at: string
      stream: "stdout" | "stderr"
      /** Text of the line, including control characters */
      line: string
    }[]>
    /**
     * Measure the CPU, memory and disk use of a MariaDB service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      mariadbId: string
    }, {
      /** Used CPU cores during the last second; 0.5 means half a core */
      cpuCores: number
      /** Used memory, without page cache that the kernel can drop */
      memoryBytes: number
      /** Memory limit of the container; null if there is no limit */
      memoryLimitBytes: number | null
      /** Disk space of the files on the volume; null if counting takes too long */
      volumeBytes: number | null
      /** Start of the container */
      startedAt: string
      /** Time of the measurement */
      at: string
    }>
  }
  mysql: {
    /**
     * Create a MySQL service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      appName: string
      projectId: string
      databaseName: string
      databaseUser: string
      databasePassword: string
      databaseRootPassword: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
    }, Mysql>
    /**
     * Read a MySQL service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      mysqlId: string
    }, Mysql>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      mysqlId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Mysql>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      mysqlId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
    }, Mysql>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      mysqlId: string
    }, Mysql>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      mysqlId: string
      appName: string
    }, Mysql>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      mysqlId: string
      externalPort: number | null
    }, Mysql>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      mysqlId: string
      removeData?: boolean
    }, Mysql>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      mysqlId: string
      env?: string | null
    }, Mysql>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      mysqlId: string
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Mysql>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      mysqlId: string
      name?: string
      appName?: string
      projectId?: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
      databaseName?: string
      databaseUser?: string
      databasePassword?: string
      databaseRootPassword?: string
    }, Mysql>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts other than those of the record cannot be copied. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      mysqlId: string
      /** Id or host name of the new node */
      node: string
    }, {
      mysqlId: string
      name: string
      appName: string
      description: string | null
      databaseName: string
      databaseUser: string
      databasePassword: string
      databaseRootPassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    }>
    /**
     * Read or follow the log of a MySQL service, oldest line first
     *
     * Docker keeps the lines of a container as long as the container itself: up to 30 MB of each of the last containers of a running service, and usually nothing of a stopped one. Known passwords of the service are masked. Following ends when the service is removed or Berth stops. To resume after a lost connection, send the time of the last line as since; that line is sent again.
     *
     * A streamed answer is NDJSON (application/x-ndjson): one JSON value per line, sent as it arrives. The first line is empty, and an empty line is sent after 30 seconds without a value: skip empty lines. If the connection breaks before the stream ends, the answer is incomplete.
     *
     * Access: Every account, with a session or any API token.
     */
    logs: StreamMethod<{
      mysqlId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, {
      /** Time at which the line was printed, to the nanosecond */
      at: string
      stream: "stdout" | "stderr"
      /** Text of the line, including control characters */
      line: string
    }[]>
    /**
     * Measure the CPU, memory and disk use of a MySQL service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      mysqlId: string
    }, {
      /** Used CPU cores during the last second; 0.5 means half a core */
      cpuCores: number
      /** Used memory, without page cache that the kernel can drop */
      memoryBytes: number
      /** Memory limit of the container; null if there is no limit */
      memoryLimitBytes: number | null
      /** Disk space of the files on the volume; null if counting takes too long */
      volumeBytes: number | null
      /** Start of the container */
      startedAt: string
      /** Time of the measurement */
      at: string
    }>
  }
  postgres: {
    /**
     * Create a PostgreSQL service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      appName: string
      projectId: string
      databaseName: string
      databaseUser: string
      databasePassword: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
    }, Postgres>
    /**
     * Read a PostgreSQL service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      postgresId: string
    }, Postgres>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      postgresId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Postgres>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      postgresId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
    }, Postgres>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      postgresId: string
    }, Postgres>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      postgresId: string
      appName: string
    }, Postgres>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      postgresId: string
      externalPort: number | null
    }, Postgres>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      postgresId: string
      removeData?: boolean
    }, Postgres>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      postgresId: string
      env?: string | null
    }, Postgres>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      postgresId: string
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Postgres>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      postgresId: string
      name?: string
      appName?: string
      projectId?: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
      databaseName?: string
      databaseUser?: string
      databasePassword?: string
    }, Postgres>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Roles are copied with their passwords and settings. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      postgresId: string
      /** Id or host name of the new node */
      node: string
    }, {
      postgresId: string
      name: string
      appName: string
      description: string | null
      databaseName: string
      databaseUser: string
      databasePassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    }>
    /**
     * Read or follow the log of a PostgreSQL service, oldest line first
     *
     * Docker keeps the lines of a container as long as the container itself: up to 30 MB of each of the last containers of a running service, and usually nothing of a stopped one. Known passwords of the service are masked. Following ends when the service is removed or Berth stops. To resume after a lost connection, send the time of the last line as since; that line is sent again.
     *
     * A streamed answer is NDJSON (application/x-ndjson): one JSON value per line, sent as it arrives. The first line is empty, and an empty line is sent after 30 seconds without a value: skip empty lines. If the connection breaks before the stream ends, the answer is incomplete.
     *
     * Access: Every account, with a session or any API token.
     */
    logs: StreamMethod<{
      postgresId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, {
      /** Time at which the line was printed, to the nanosecond */
      at: string
      stream: "stdout" | "stderr"
      /** Text of the line, including control characters */
      line: string
    }[]>
    /**
     * Measure the CPU, memory and disk use of a PostgreSQL service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      postgresId: string
    }, {
      /** Used CPU cores during the last second; 0.5 means half a core */
      cpuCores: number
      /** Used memory, without page cache that the kernel can drop */
      memoryBytes: number
      /** Memory limit of the container; null if there is no limit */
      memoryLimitBytes: number | null
      /** Disk space of the files on the volume; null if counting takes too long */
      volumeBytes: number | null
      /** Start of the container */
      startedAt: string
      /** Time of the measurement */
      at: string
    }>
  }
  mongo: {
    /**
     * Create a MongoDB service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      appName: string
      projectId: string
      databaseUser: unknown & unknown
      databasePassword: unknown & unknown
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
    }, Mongo>
    /**
     * Read a MongoDB service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      mongoId: string
    }, Mongo>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      mongoId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Mongo>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      mongoId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
    }, Mongo>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      mongoId: string
    }, Mongo>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      mongoId: string
      appName: string
    }, Mongo>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      mongoId: string
      externalPort: number | null
    }, Mongo>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      mongoId: string
      removeData?: boolean
    }, Mongo>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      mongoId: string
      env?: string | null
    }, Mongo>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      mongoId: string
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Mongo>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      mongoId: string
      name?: string
      appName?: string
      projectId?: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
      databaseUser?: unknown & unknown
      databasePassword?: unknown & unknown
    }, Mongo>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts other than those of the record cannot be copied. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      mongoId: string
      /** Id or host name of the new node */
      node: string
    }, {
      mongoId: string
      name: string
      appName: string
      description: string | null
      databaseUser: string
      databasePassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    }>
    /**
     * Read or follow the log of a MongoDB service, oldest line first
     *
     * Docker keeps the lines of a container as long as the container itself: up to 30 MB of each of the last containers of a running service, and usually nothing of a stopped one. Known passwords of the service are masked. Following ends when the service is removed or Berth stops. To resume after a lost connection, send the time of the last line as since; that line is sent again.
     *
     * A streamed answer is NDJSON (application/x-ndjson): one JSON value per line, sent as it arrives. The first line is empty, and an empty line is sent after 30 seconds without a value: skip empty lines. If the connection breaks before the stream ends, the answer is incomplete.
     *
     * Access: Every account, with a session or any API token.
     */
    logs: StreamMethod<{
      mongoId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, {
      /** Time at which the line was printed, to the nanosecond */
      at: string
      stream: "stdout" | "stderr"
      /** Text of the line, including control characters */
      line: string
    }[]>
    /**
     * Measure the CPU, memory and disk use of a MongoDB service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      mongoId: string
    }, {
      /** Used CPU cores during the last second; 0.5 means half a core */
      cpuCores: number
      /** Used memory, without page cache that the kernel can drop */
      memoryBytes: number
      /** Memory limit of the container; null if there is no limit */
      memoryLimitBytes: number | null
      /** Disk space of the files on the volume; null if counting takes too long */
      volumeBytes: number | null
      /** Start of the container */
      startedAt: string
      /** Time of the measurement */
      at: string
    }>
  }
  redis: {
    /**
     * Create a Redis service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      appName: string
      projectId: string
      databasePassword: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
    }, Redis>
    /**
     * Read a Redis service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      redisId: string
    }, Redis>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      redisId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Redis>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      redisId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
    }, Redis>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      redisId: string
    }, Redis>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      redisId: string
      appName: string
    }, Redis>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      redisId: string
      externalPort: number | null
    }, Redis>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      redisId: string
      removeData?: boolean
    }, Redis>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      redisId: string
      env?: string | null
    }, Redis>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      redisId: string
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Redis>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      redisId: string
      name?: string
      appName?: string
      projectId?: string
      dockerImage?: string
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      command?: string | null
      /** Environment variables of the server, as lines of NAME=value */
      env?: string | null
      /** MiB */
      memoryReservation?: number | null
      /** MiB */
      memoryLimit?: number | null
      /** Cores */
      cpuReservation?: number | null
      /** Cores */
      cpuLimit?: number | null
      externalPort?: number | null
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Cannot change afterwards. */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd */
      nodeLabel?: unknown & unknown | null
      databasePassword?: string
    }, Redis>
    /**
     * Read or follow the log of a Redis service, oldest line first
     *
     * Docker keeps the lines of a container as long as the container itself: up to 30 MB of each of the last containers of a running service, and usually nothing of a stopped one. Known passwords of the service are masked. Following ends when the service is removed or Berth stops. To resume after a lost connection, send the time of the last line as since; that line is sent again.
     *
     * A streamed answer is NDJSON (application/x-ndjson): one JSON value per line, sent as it arrives. The first line is empty, and an empty line is sent after 30 seconds without a value: skip empty lines. If the connection breaks before the stream ends, the answer is incomplete.
     *
     * Access: Every account, with a session or any API token.
     */
    logs: StreamMethod<{
      redisId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, {
      /** Time at which the line was printed, to the nanosecond */
      at: string
      stream: "stdout" | "stderr"
      /** Text of the line, including control characters */
      line: string
    }[]>
    /**
     * Measure the CPU, memory and disk use of a Redis service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      redisId: string
    }, {
      /** Used CPU cores during the last second; 0.5 means half a core */
      cpuCores: number
      /** Used memory, without page cache that the kernel can drop */
      memoryBytes: number
      /** Memory limit of the container; null if there is no limit */
      memoryLimitBytes: number | null
      /** Disk space of the files on the volume; null if counting takes too long */
      volumeBytes: number | null
      /** Start of the container */
      startedAt: string
      /** Time of the measurement */
      at: string
    }>
  }
  database: {
    /**
     * List databases of all kinds
     *
     * The records are short: <kind>.one answers all fields of one database.
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Only databases with this text in their name or appName */
      search?: string
      /** Only databases of this kind */
      kind?: "mariadb" | "mysql" | "postgres" | "mongo" | "redis"
      /** Only databases with this applicationStatus */
      status?: "idle" | "running" | "done" | "error"
      /** Only databases with their data on the node of this host name */
      node?: string
      /** Only databases in this project */
      projectId?: string
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
    }, Database[]>
    /**
     * Find a database by its name
     *
     * If no database has the name, the answer is 404 and names the nearest ones. If several databases of the project have the name, the answer is 409 and names their appNames.
     *
     * Access: Every account, with a session or any API token.
     */
    find: Method<{
      /** The appName, or the names of the project and the database: shop/orders */
      name: string
    }, Database>
  }
  volume: {
    /**
     * List volumes in use and kept volumes of removed services, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, Volume[]>
    /**
     * Delete a kept volume and its data permanently
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      volumeId: string
    }, Volume>
    /**
     * Create a service on a kept volume, with the credentials of its data; deploy starts the service
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    restore: Method<{
      volumeId: string
      name: string
      appName?: string
      projectId: string
      description?: string | null
      /** Image whose server can open the volume's files. Default: the image that the volume was last used with. */
      dockerImage?: string
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
    }, {
      mariadbId: string
      name: string
      appName: string
      description: string | null
      databaseName: string
      databaseUser: string
      databasePassword: string
      databaseRootPassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    } | {
      mysqlId: string
      name: string
      appName: string
      description: string | null
      databaseName: string
      databaseUser: string
      databasePassword: string
      databaseRootPassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    } | {
      postgresId: string
      name: string
      appName: string
      description: string | null
      databaseName: string
      databaseUser: string
      databasePassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    } | {
      mongoId: string
      name: string
      appName: string
      description: string | null
      databaseUser: string
      databasePassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    } | {
      redisId: string
      name: string
      appName: string
      description: string | null
      databasePassword: string
      dockerImage: string
      command: string | null
      env: string | null
      /** MiB */
      memoryReservation: number | null
      /** MiB */
      memoryLimit: number | null
      /** Cores */
      cpuReservation: number | null
      /** Cores */
      cpuLimit: number | null
      externalPort: number | null
      applicationStatus: "idle" | "running" | "done" | "error"
      /** Reason of the status as a message for people; null without a reason */
      statusReason: string | null
      /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
      statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "DataLost" | null
      /** Whether the record differs from the deployed configuration; deploy applies it */
      pendingChanges: boolean
      createdAt: string
      projectId: string
      /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
      resolvedImage: string
      /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
      imageDigest: string | null
      /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
      imageVersion: string | null
      connection: {
        internalUrl: string
        externalUrl: string | null
      }
      /** Host name of the node with the volume; before the volume exists, the requested node or null */
      node: string | null
      /** Label that was requested for the node of the volume; null if no label was requested */
      nodeLabel: string | null
      containerState: string | null
      /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
      drift: string[]
      /** Codes of the differences, in the same order */
      driftCodes: ("ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeDown" | "NodeDrained" | "Legacy")[]
      /** Name of the Docker volume; null before the first deploy */
      volume: string | null
      /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. Null if no fault is known. */
      volumeFault: "VolumeMissing" | "DataReplaced" | null
      lastDeployedAt: string | null
      backups: {
        backupId: string
        schedule: string
        timezone: string
        enabled: boolean
        database: string
        destinationId: string
        nextAt: string | null
      }[]
    }>
  }
  backup: {
    /**
     * List the backups, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Only the backups of this service */
      serviceId?: string
    }, Backup[]>
    /**
     * Create a backup, which dumps a database on a schedule
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** When to dump: a cron expression with five fields, or a name such as @daily */
      schedule: string
      /** Whether the schedules are active. Left out or null: true on create, unchanged on update */
      enabled?: boolean | null
      /** The beginning of the keys of the dumps in the bucket */
      prefix: string
      /** The destination that dumps are uploaded to */
      destinationId: string
      /** The name of the database within the server */
      database: string
      databaseType: "mariadb" | "mysql" | "postgres" | "mongo"
      /** The MariaDB service. Leave out the ids of other kinds */
      mariadbId?: string | null
      /** The MySQL service. Leave out the ids of other kinds */
      mysqlId?: string | null
      /** The PostgreSQL service. Leave out the ids of other kinds */
      postgresId?: string | null
      /** The MongoDB service. Leave out the ids of other kinds */
      mongoId?: string | null
      /** The time zone of the schedules, such as Europe/Berlin. Default on create: UTC */
      timezone?: string
      /** When to verify the last good dump, in the format of schedule. See backup.verify. null: never */
      verifySchedule?: string | null
      /** Keep this number of the newest good dumps. null: no such rule. If no rule is set, all dumps are kept */
      keepLatest?: number | null
      /** Keep good dumps for this number of days. The newest good dump is always kept. null: no such rule */
      keepDays?: number | null
      /** The age recipient that dumps are encrypted for. null: dumps are not encrypted. `installation`: Berth can decrypt the dumps itself; export its identity first (`./berth key export-backup-identity`). `age1…`: only the owner of that identity can decrypt the dumps, and backup.verify refuses them */
      recipient?: string | null
      /** A URL that Berth calls with GET after each good dump, so that a monitor notices missing calls. null: none */
      signalUrl?: string | null
    }, Backup>
    /**
     * Read a backup
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      backupId: string
    }, Backup>
    /**
     * Read the age recipient of this installation, and when its identity was exported
     *
     * Dumps with the recipient `installation` are encrypted for this recipient. Both fields are null until `./berth key export-backup-identity` was run on the machine of Berth. Only this command outputs the identity. `age -d -i FILE` decrypts the dumps with the exported file, without Berth.
     *
     * Access: Every account, with a session or any API token.
     */
    installationRecipient: OptionalMethod<Record<string, never>, {
      /** The public age recipient, age1… */
      recipient: string | null
      /** When the identity was last exported */
      exportedAt: string | null
    }>
    /**
     * Remove a backup and the list of its runs; its dumps stay in the bucket
     *
     * The call is refused while a run of the backup is under way. backup.restore can restore the dumps by `destinationId` and `key`.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      backupId: string
    }, Backup>
    /**
     * Change a backup
     *
     * Optional fields that are left out keep their value. Runs under way keep the database, the destination and the recipient that they began with.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      backupId: string
      /** When to dump: a cron expression with five fields, or a name such as @daily */
      schedule: string
      /** Whether the schedules are active. Left out or null: true on create, unchanged on update */
      enabled?: boolean | null
      /** The beginning of the keys of the dumps in the bucket */
      prefix: string
      /** The destination that dumps are uploaded to */
      destinationId: string
      /** The name of the database within the server */
      database: string
      /** The time zone of the schedules, such as Europe/Berlin. Default on create: UTC */
      timezone?: string
      /** When to verify the last good dump, in the format of schedule. See backup.verify. null: never */
      verifySchedule?: string | null
      /** Keep this number of the newest good dumps. null: no such rule. If no rule is set, all dumps are kept */
      keepLatest?: number | null
      /** Keep good dumps for this number of days. The newest good dump is always kept. null: no such rule */
      keepDays?: number | null
      /** The age recipient that dumps are encrypted for. null: dumps are not encrypted. `installation`: Berth can decrypt the dumps itself; export its identity first (`./berth key export-backup-identity`). `age1…`: only the owner of that identity can decrypt the dumps, and backup.verify refuses them */
      recipient?: string | null
      /** A URL that Berth calls with GET after each good dump, so that a monitor notices missing calls. null: none */
      signalUrl?: string | null
    }, Backup>
    /**
     * Dump the MariaDB database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupMariadb: Method<{
      backupId: string
    }, BackupManualBackupMariadb>
    /**
     * Dump the MySQL database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupMySql: Method<{
      backupId: string
    }, BackupManualBackupMariadb>
    /**
     * Dump the PostgreSQL database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupPostgres: Method<{
      backupId: string
    }, BackupManualBackupMariadb>
    /**
     * Dump the MongoDB database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupMongo: Method<{
      backupId: string
    }, BackupManualBackupMariadb>
    /**
     * List the runs of a backup or of a service
     *
     * A safety dump (`trigger` is `safety`) belongs to no backup. It is listed with its service and with each backup of the service.
     *
     * Access: Every account, with a session or any API token.
     */
    runs: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Only runs of this backup, and safety dumps of its service */
      backupId?: string
      /** Only runs of this service */
      serviceId?: string
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
    }, BackupManualBackupMariadb[]>
    /**
     * List the objects in a bucket, under the prefix of a backup or any other prefix
     *
     * Reads the list from the storage. It contains the manifests of the dumps too, and dumps that Berth has no run of.
     *
     * Access: Every account, with a session or any API token.
     */
    files: PagedMethod<{
      /** The backup whose destination and prefix are the defaults */
      backupId?: string
      /** Default: the destination of the backup */
      destinationId?: string
      /** The beginning of the keys. Default: the prefix of the backup. Without backupId: all keys */
      prefix?: string
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, {
      key: string
      sizeBytes: number
      modifiedAt: string | null
    }[]>
    /**
     * Cancel a run that is under way, and delete the data that it uploaded
     *
     * The call can cancel restores too, so an API token needs the scope admin.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    cancel: Method<{
      runId: string
    }, BackupManualBackupMariadb>
    /**
     * Verify a dump: restore it into a scratch server and compare the contents
     *
     * Verifies the last good dump of the backup, or the dump of `runId`. The scratch server is deleted at the end. No database is changed, so an API token needs only the scope deploy.
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    verify: Method<{
      backupId: string
      /** The run of a good dump. Default: the last good dump of the backup */
      runId?: string
    }, BackupManualBackupMariadb>
    /**
     * Restore a dump into a new service, or into an existing one after a safety dump of it
     *
     * Give the dump by `runId`, or by `key` with `backupId` or `destinationId`. To restore into an existing service, give its id, and its appName as `confirm`: its data is replaced, and a stopped service is started. To restore into a new service, give `appName` only; the service gets a new password. The answer is the run of the restore. To undo the restore, restore the dump of its `safetyRunId`.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    restore: OptionalMethod<{
      /** The backup of the dump. With key: its destination contains the object */
      backupId?: string
      /** The run of a good dump. With backupId: a run of that backup, or a safety dump */
      runId?: string
      /** With key and without backupId: the destination that contains the object */
      destinationId?: string
      /** The key of the object in the bucket */
      key?: string
      /** The MariaDB service. Leave out the ids of other kinds */
      mariadbId?: string | null
      /** The MySQL service. Leave out the ids of other kinds */
      mysqlId?: string | null
      /** The PostgreSQL service. Leave out the ids of other kinds */
      postgresId?: string | null
      /** The MongoDB service. Leave out the ids of other kinds */
      mongoId?: string | null
      /** The appName of the existing service, to confirm that its data will be replaced */
      confirm?: string
      /** The appName of a new service. Leave out if you give an existing service */
      appName?: string
      /** The project of the new service. Default: the project of the dumped service */
      projectId?: string
      /** The name of the database to restore into. Default: the name of the dumped database */
      database?: string
      /** The age identity that decrypts the dump. Required if the dump is encrypted for a recipient other than this installation. Berth stores the identity sealed until the run ends */
      identity?: string
      /** Make no safety dump. Use this only if the database cannot be read any more */
      skipSafetyDump?: boolean
    }, BackupManualBackupMariadb>
    /**
     * Accept that the dumps of a backup have less than half of their earlier content
     *
     * While `shrunk` of a backup is set, retention keeps all dumps older than the first dump that shrank. This call clears `shrunk`. From the next good dump on, retention deletes the older dumps again. Check the database first, because its data may have been lost.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    acceptShrink: Method<{
      backupId: string
    }, Backup>
  }
  deployment: {
    /**
     * List the deployments of services with their outcome
     *
     * A deployment is work that a call or Berth itself began. Deployments that have ended are deleted after 90 days, also those of removed services.
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** List only the deployments of databases that are in this project now */
      projectId?: string
      /** List only the deployments of this service, which may be removed */
      serviceId?: string
      /** List only deployments in this state */
      state?: "running" | "done" | "error" | "superseded"
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
    }, {
      deploymentId: string
      /** Kind of the database, or port, registry or node; null if it is unknown */
      databaseType: string | null
      /** Id of the service, which may be removed by now; null if the work was on a volume or a node */
      serviceId: string | null
      /** Id of the kept volume that was removed; null for other work */
      volumeId: string | null
      /** Id of the node that was removed; null for other work */
      nodeId: string | null
      /** Kind of the record that the work changes */
      subjectKind?: "database" | "volume" | "port" | "registry" | "node"
      /** Id of the record that the work changes */
      subjectId?: string
      /** appName of the service when the work began */
      appName: string | null
      /** Kind of work. Calls begin all kinds except repair, restart and halt, which Berth or Swarm begins. */
      action: string
      state: "running" | "done" | "error" | "superseded"
      /** apply carries out the request. After a failure, rollback returns to the last good configuration. If there is none, halt stops the service. */
      phase: "apply" | "rollback" | "halt"
      /** Why the work failed, what it waits for, or its progress, as a message */
      reason: string | null
      /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
      reasonCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
      startedAt: string
      finishedAt: string | null
    }[]>
  }
  destination: {
    /**
     * List the destinations, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, Destination[]>
    /**
     * Create a destination: a bucket that dumps are uploaded to
     *
     * The call does not connect to the storage. destination.testConnection does.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      accessKey: string
      bucket: string
      /** The region. Empty: the storage's default */
      region: string
      /** The S3 API: a URL, or a host that is reached over HTTPS */
      endpoint: string
      secretAccessKey: string
    }, Destination>
    /**
     * Read a destination
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      destinationId: string
    }, Destination>
    /**
     * Remove a destination; the objects in its bucket stay
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    remove: Method<{
      destinationId: string
    }, Destination>
    /**
     * Test a destination: write, read, list and delete a probe object
     *
     * The test uses exactly the given values and takes at most 15 seconds. An error says what is wrong and what to do. Nothing is stored. With `destinationId`, a masked secret stands for the secret stored in that destination.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    testConnection: Method<{
      name: string
      accessKey: string
      bucket: string
      /** The region. Empty: the storage's default */
      region: string
      /** The S3 API: a URL, or a host that is reached over HTTPS */
      endpoint: string
      secretAccessKey: string
      /** The destination whose stored secret the mask stands for */
      destinationId?: string
    }, {
      message: string
      /** The key of the probe object, which was deleted */
      key: string
      steps: {
        did: "write" | "read" | "list" | "delete"
        tookMs: number
      }[]
    }>
    /**
     * Change a destination; the mask keeps the stored secret
     *
     * A run under way uses the new values only from its next attempt on.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    update: Method<{
      destinationId: string
      name: string
      accessKey: string
      bucket: string
      /** The region. Empty: the storage's default */
      region: string
      /** The S3 API: a URL, or a host that is reached over HTTPS */
      endpoint: string
      secretAccessKey: string
    }, Destination>
  }
  application: {
    /**
     * List the applications on the swarm with the rules about them
     *
     * Applications are the Swarm services that Berth did not create. Berth reads them every five seconds, and when Swarm reports a change.
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, {
      /** The id of the Swarm service */
      applicationId: string
      name: string
      /** The label `berth.application` of the service */
      alias: string | null
      /** The host names in the label `berth.host` */
      hosts: string[]
      /** The host names that the proxy serves for this application */
      servedHosts: string[]
      /** The port on which the application listens: the label `berth.port`, or 80 without this label */
      port: number
      /** The label `berth.tls`. With `auto`, the proxy obtains a certificate by ACME for each host */
      tls: "auto" | null
      /** The ports that the service itself publishes */
      published: {
        port: number
        protocol: "tcp" | "udp"
      }[]
      /** Whether the service is on Berth's network. Otherwise neither the proxy nor a gateway can reach it */
      onNetwork: boolean
      /** The number of tasks that the service should have */
      replicas: number
      /** The number of running tasks */
      running: number
      /** up: all tasks run. degraded: some tasks run. down: no task runs. stopped: the service has no replicas */
      health: "up" | "degraded" | "down" | "stopped"
      /** Messages about invalid labels of the service */
      faults: string[]
      /** Whether the proxy serves the application */
      served: boolean
      /** Why the proxy does not serve the application. Null if the proxy serves the application */
      reason: string | null
      /** The ids of the redirects, in the order in which the proxy tries them */
      redirects: string[]
      /** The ids of the users of basic auth */
      securities: string[]
      /** The ids of the published ports */
      ports: string[]
      /** The state of ACME for each served host that the proxy obtains a certificate for */
      issuances: {
        name: string
        /** When the certificate expires. Null if there is none yet */
        notAfter: string | null
        /** Why the last attempt failed. Null if it did not fail */
        error: string | null
        /** When the proxy tries again. Null if no attempt is planned */
        nextTryAt: string | null
      }[]
      createdAt: string
    }[]>
  }
  redirects: {
    /**
     * List redirects in the order in which the proxy tries them
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Lists only the redirects of this application */
      applicationId?: string
    }, Redirects[]>
    /**
     * Redirect requests for an application
     *
     * The redirect is in force when the call is answered. The proxy tries the redirects of an application in the order of their creation and uses the first one that matches.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** A pattern in RE2 syntax. It may match anywhere in the URL, which has the form `https://host/path?query` */
      regex: string
      /** The target URL or path. `$1`, `${1}` and `${name}` stand for the text of a group, `$$` stands for a dollar */
      replacement: string
      /** The status of the response. true: 301 for GET and HEAD, 308 for other methods. false: 302 for GET and HEAD, 307 for other methods */
      permanent: boolean
      /** The id or name of a Swarm service, or the value of its label `berth.application`. The service need not exist yet */
      applicationId: string
    }, Redirects>
    /**
     * Read a redirect
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      redirectId: string
    }, Redirects>
    /**
     * Delete a redirect
     *
     * The redirect is no longer in force when the call is answered.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    delete: Method<{
      redirectId: string
    }, Redirects>
    /**
     * Change a redirect
     *
     * The redirect is in force when the call is answered. The proxy tries the redirects of an application in the order of their creation and uses the first one that matches. A changed redirect keeps its position.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      redirectId: string
      /** A pattern in RE2 syntax. It may match anywhere in the URL, which has the form `https://host/path?query` */
      regex: string
      /** The target URL or path. `$1`, `${1}` and `${name}` stand for the text of a group, `$$` stands for a dollar */
      replacement: string
      /** The status of the response. true: 301 for GET and HEAD, 308 for other methods. false: 302 for GET and HEAD, 307 for other methods */
      permanent: boolean
    }, Redirects>
  }
  port: {
    /**
     * List published ports, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Lists only the ports of this application */
      applicationId?: string
    }, Port[]>
    /**
     * Publish a port of an application
     *
     * Berth runs a gateway that publishes the port. The gateway forwards to the tasks of the application, on whichever nodes they run. `Prefer: wait` waits for the end of the deployment.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** The port on the node that Berth runs on */
      publishedPort: number
      /** The port on which the application listens */
      targetPort: number
      protocol?: "tcp" | "udp"
      /** The id or name of a Swarm service, or the value of its label `berth.application`. The service need not exist yet */
      applicationId: string
    }, Port>
    /**
     * Read a published port
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      portId: string
    }, Port>
    /**
     * Unpublish a port
     *
     * Berth removes the gateway. The port cannot be published again before the gateway is removed. `Prefer: wait` waits for the removal.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    delete: Method<{
      portId: string
    }, Port>
    /**
     * Change a published port
     *
     * Berth runs a gateway that publishes the port. The gateway forwards to the tasks of the application, on whichever nodes they run. `Prefer: wait` waits for the end of the deployment.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      portId: string
      /** The port on the node that Berth runs on */
      publishedPort: number
      /** The port on which the application listens */
      targetPort: number
      protocol?: "tcp" | "udp"
    }, Port>
  }
  security: {
    /**
     * List the users of basic auth, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Lists only the users of this application */
      applicationId?: string
    }, Security[]>
    /**
     * Add a user to the basic auth of an application
     *
     * The change is in force when the call is answered. If an application has users, the proxy requires basic auth for all requests to it.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** The id or name of a Swarm service, or the value of its label `berth.application`. The service need not exist yet */
      applicationId: string
      username: string
      password: string
    }, Security>
    /**
     * Read a user of an application's basic auth
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      securityId: string
    }, Security>
    /**
     * Remove a user from the basic auth of an application
     *
     * The change is in force when the call is answered. After the last user of an application is removed, the proxy forwards all requests without basic auth.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    delete: Method<{
      securityId: string
    }, Security>
    /**
     * Change the name or the password of a user of basic auth
     *
     * The change is in force when the call is answered. If an application has users, the proxy requires basic auth for all requests to it. A masked password keeps the stored password.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      securityId: string
      username: string
      password: string
    }, Security>
  }
  certificates: {
    /**
     * List the certificates with their expiry and renewal
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, Certificates[]>
    /**
     * Upload a certificate with its private key
     *
     * The proxy serves the certificate before the call is answered. If several certificates cover a name, the proxy serves the newest valid one. With `autoRenew`, the proxy renews the certificate by ACME in the last third of its validity period.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    create: Method<{
      name: string
      /** PEM: the certificate of the host, followed by each issuer in order */
      certificateData: string
      /** PEM, without a passphrase */
      privateKey: string
      /** The id of the new certificate. Without this field, Berth generates an id */
      certificateId?: string
      /** A label in the form of a relative path. Berth writes no file at this path */
      certificatePath?: string
      /** Whether the proxy renews the certificate by ACME */
      autoRenew?: boolean | null
    }, Certificates>
    /**
     * Read a certificate without its private key
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      certificateId: string
    }, Certificates>
    /**
     * Remove a certificate
     *
     * The proxy stops serving the certificate before the call is answered.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    remove: Method<{
      certificateId: string
    }, Certificates>
  }
  registry: {
    /**
     * List the registries, oldest first
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, Registry[]>
    /**
     * Create a registry with the credentials for its images
     *
     * Berth logs in to the registry to test the values. If the login fails or takes more than 10 seconds, the call is refused with the cause. Berth then pulls every image of this host with these credentials.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    create: Method<{
      registryName: string
      username: string
      password: string
      /** The host of the registry, with an optional port. Empty means Docker Hub */
      registryUrl: string
      registryType: "selfHosted" | "cloud"
      imagePrefix: string | null
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure?: boolean
    }, Registry>
    /**
     * Read a registry
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      registryId: string
    }, Registry>
    /**
     * Remove a registry and its credentials
     *
     * The call is refused while databases use images of this registry, because Docker could not pull these images again. Send `force` to remove the registry anyway. If Berth runs the registry, Berth stops the service and keeps the volume.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    remove: Method<{
      registryId: string
      /** Removes the registry even if databases use its images */
      force?: boolean
    }, {
      registryId: string
      registryName: string
      registryType: "selfHosted" | "cloud"
      registryUrl: string
      /** The host in the names of the images of this registry */
      host: string
      username: string
      /** Always this mask. In registry.update, the mask keeps the stored password */
      password: "********"
      imagePrefix: string | null
      insecure: boolean
      adminId: string
      createdAt: string
      /** The service of the registry that Berth runs. Null for all other registries */
      server: {
        /** done: the registry runs, and Berth has logged in to it. running: a deployment is in progress */
        status: "running" | "done" | "error"
        statusReason: string | null
        /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
        statusCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
        /** The published port of the node. Null if the proxy serves the registry */
        port: number | null
        node: string | null
        /** The name of the Docker volume. Berth keeps the volume when the registry is removed */
        volume: string | null
        /** True during a garbage collection: the registry refuses pushes and serves pulls */
        readOnly: boolean
      } | null
      /** Where the images of a registry that Berth ran are kept. Null for all other registries */
      note: string | null
    }>
    /**
     * Test a login to a registry with these values
     *
     * Berth logs in to the registry to test the values. If the login fails or takes more than 10 seconds, the call is refused with the cause. Nothing is stored. A masked password stands for the stored password of the registry `registryId`. Berth sends the stored password only to the host that it was stored for. If `registryUrl` names another host, send the password again.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    testRegistry: Method<{
      registryName: string
      username: string
      password: string
      /** The host of the registry, with an optional port. Empty means Docker Hub */
      registryUrl: string
      registryType: "selfHosted" | "cloud"
      imagePrefix?: string | null
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure?: boolean
      /** A registry. A masked password stands for the stored password of this registry */
      registryId?: string
    }, {
      message: string
      /** The host in the names of the images of this registry */
      host: string
      /** False if the registry accepts every client and did not check the password */
      isChecked: boolean
    }>
    /**
     * Change a registry
     *
     * Fields that are left out and a masked password keep their stored values. Berth logs in to the registry to test the values. If the login fails or takes more than 10 seconds, the call is refused with the cause. Running containers are not restarted. The next pull uses the new values. Berth sends the stored password only to the host that it was stored for. If `registryUrl` names another host, send the password again.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    update: Method<{
      registryName?: string
      username?: string
      password?: string
      registryUrl?: string
      registryType?: "selfHosted" | "cloud"
      imagePrefix?: string | null
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure?: boolean
      adminId?: string
      registryId: string
      /** Cannot be changed. Only the stored value is accepted */
      createdAt?: string
    }, Registry>
    /**
     * Delete unused layers from the registry that Berth runs
     *
     * The registry restarts twice and is read-only in between: it refuses pushes but serves pulls. `Prefer: wait` waits for the end of the collection. The reason of the deployment (deployment.all) says how much was deleted.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    collectGarbage: Method<{
      registryId: string
      /** Also deletes images without a tag. Do not use this with version 2 of the registry if it has multi-platform images: version 2 treats the image of each platform as an image without a tag */
      untagged?: boolean
    }, Registry>
    /**
     * Run a registry on the swarm, or change its address and credentials
     *
     * Berth runs at most one registry. If `registryUrl` has no port (`registry.example.com`), the proxy serves the registry with TLS. The proxy uses a certificate of certificates.create, or else obtains one by ACME. If `registryUrl` has a port (`10.0.0.5:5000`), the registry publishes this port on the node that Berth runs on, without TLS. By default, Docker accepts a registry without TLS only at a loopback address. Add any other address to dockerd's `insecure-registries` on every node that pulls images from it. The deployment is done when Berth has logged in to the registry. `Prefer: wait` waits for the login. If Berth has kept the volume of a removed registry, the new registry uses this volume with its images.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    enableSelfHostedRegistry: Method<{
      registryUrl: string
      username: string
      /** At most 72 bytes. The mask keeps the stored password */
      password: string
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure?: boolean
    }, Registry>
    /**
     * List the images of a registry with their tags, in the order of the registry
     *
     * Berth requests the list from the registry. Not every registry can list its images: most cloud registries cannot.
     *
     * Access: Every account, with a session or any API token.
     */
    images: PagedMethod<{
      registryId: string
      limit?: number
      /** The value of the header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, {
      name: string
      tags: string[]
      /** False if the image has more than 1000 tags. `tags` then contains only 1000 of them */
      isWhole: boolean
    }[]>
  }
  cluster: {
    /**
     * List the nodes of the swarm with the services, volumes and ports pinned to each node
     *
     * A service is pinned to a node if its data is on that node or if it publishes a port of that node. Swarm does not move pinned services to another node.
     *
     * Access: Administrators, with a session or any API token.
     */
    getNodes: OptionalMethod<Record<string, never>, {
      id: string
      hostname: string
      role: "worker" | "manager"
      availability: "active" | "pause" | "drain"
      state: "ready" | "down" | "unknown" | "disconnected"
      /** When Berth first observed this state. Null if Berth has not recorded the state yet */
      since: string | null
      address: string
      engineVersion: string
      cpuCores: number
      memoryBytes: number
      labels: Record<string, string>
      /** Whether the node is the leader of the managers */
      leader: boolean
      /** Whether the other managers can reach the node. Null for a worker */
      reachable: boolean | null
      /** Whether the Docker engine that Berth uses runs on this node */
      isOwn: boolean
      /** Services, volumes and ports that cannot move to another node */
      pinned: {
        /** `volume` is a kept volume of a removed service */
        type: "database" | "volume" | "registry" | "port" | "proxy"
        /** The id of the database, the kept volume, the published port or the proxy service. For the registry: the id of its volume */
        id: string
        /** The appName of the service. For a port: its number, protocol and application */
        name: string
      }[]
      /** The removal in progress. Null if the node is not being removed */
      removal: {
        deploymentId: string
        startedAt: string
        force: boolean
        /** The progress of the removal */
        reason: string | null
        /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
        reasonCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
      } | null
    }[]>
    /**
     * Get the command that joins a machine to the swarm as a worker
     *
     * The token is valid until cluster.rotateTokens is called. The nodes must reach each other on the ports TCP 2377, TCP 7946, UDP 7946 and UDP 4789. The audit log records who requested the token.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    addWorker: OptionalMethod<Record<string, never>, {
      /** The command to run on the machine that joins the swarm */
      command: string
      /** The join token. Anyone who has it can join the swarm: keep it secret like a password */
      token: string
      /** The address that the swarm advertises to joining machines: host and port */
      address: string
      /** The version of the Docker engine of the swarm. The machine needs this version or a newer one */
      version: string
    }>
    /**
     * Get the command that joins a machine to the swarm as a manager
     *
     * The token is valid until cluster.rotateTokens is called. The nodes must reach each other on the ports TCP 2377, TCP 7946, UDP 7946 and UDP 4789. The audit log records who requested the token. Use three or five managers: the swarm can be changed only while more than half of its managers are reachable.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    addManager: OptionalMethod<Record<string, never>, {
      /** The command to run on the machine that joins the swarm */
      command: string
      /** The join token. Anyone who has it can join the swarm: keep it secret like a password */
      token: string
      /** The address that the swarm advertises to joining machines: host and port */
      address: string
      /** The version of the Docker engine of the swarm. The machine needs this version or a newer one */
      version: string
    }>
    /**
     * Replace the join token for workers or for managers, and get the new join command
     *
     * The previous token becomes invalid at once. Nodes that joined with it stay in the swarm.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    rotateTokens: Method<{
      role: "worker" | "manager"
    }, {
      /** The command to run on the machine that joins the swarm */
      command: string
      /** The join token. Anyone who has it can join the swarm: keep it secret like a password */
      token: string
      /** The address that the swarm advertises to joining machines: host and port */
      address: string
      /** The version of the Docker engine of the swarm. The machine needs this version or a newer one */
      version: string
    }>
    /**
     * Change the availability or the labels of a node
     *
     * With `pause`, running containers keep running, but no new container starts on the node, not even in place of one that ended. With `drain`, Swarm also moves the running services to other nodes. Services that are pinned to a drained node are stopped until the node is active again.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    updateNode: Method<{
      nodeId: string
      availability?: "active" | "pause" | "drain"
      /** All labels of the node. Labels that are left out are removed */
      labels?: Record<string, string>
      /** Drains the node even if services are pinned to it */
      force?: boolean
    }, {
      id: string
      hostname: string
      role: "worker" | "manager"
      availability: "active" | "pause" | "drain"
      state: "ready" | "down" | "unknown" | "disconnected"
      /** When Berth first observed this state. Null if Berth has not recorded the state yet */
      since: string | null
      address: string
      engineVersion: string
      cpuCores: number
      memoryBytes: number
      labels: Record<string, string>
      /** Whether the node is the leader of the managers */
      leader: boolean
      /** Whether the other managers can reach the node. Null for a worker */
      reachable: boolean | null
      /** Whether the Docker engine that Berth uses runs on this node */
      isOwn: boolean
      /** Services, volumes and ports that cannot move to another node */
      pinned: {
        /** `volume` is a kept volume of a removed service */
        type: "database" | "volume" | "registry" | "port" | "proxy"
        /** The id of the database, the kept volume, the published port or the proxy service. For the registry: the id of its volume */
        id: string
        /** The appName of the service. For a port: its number, protocol and application */
        name: string
      }[]
      /** The removal in progress. Null if the node is not being removed */
      removal: {
        deploymentId: string
        startedAt: string
        force: boolean
        /** The progress of the removal */
        reason: string | null
        /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
        reasonCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
      } | null
    }>
    /**
     * Drain a node, wait until its services have moved, and remove the node from the swarm
     *
     * Berth demotes a manager to a worker before it removes the node. `Prefer: wait` waits for the end of the removal. cluster.getNodes and deployment.all report the progress. If the removal does not succeed within ten minutes, Berth restores the availability of the node. After the removal, run `docker swarm leave` on the machine if it is up. Berth never removes the last manager, a manager that the quorum needs, or the node of Berth's own engine, even with `force`.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    removeWorker: Method<{
      nodeId: string
      /** Removes the node even if it has the data of databases or kept volumes. This data is lost, and the databases are in the state error afterwards */
      force?: boolean
    }, {
      nodeId: string
      hostname: string
      deploymentId: string
      state: "running" | "done"
      /** The progress of the removal */
      reason: string | null
      /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
      reasonCode: "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "WentDown" | "StillDown" | "VolumeInUse" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens" | null
      force: boolean
      /** The databases and volumes whose data is on the node and is lost. Empty without force */
      lost: string[]
    }>
  }
  condition: {
    /**
     * List what needs attention
     *
     * Berth derives the conditions from its records every 15 seconds. Conditions of nodes, sign-ins and the backup of Berth's own state are listed only for administrators. Conditions that have ended are deleted after 90 days.
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** present: only conditions that have not ended. ended: only those that have */
      state?: "present" | "ended" | "all"
      /** Only conditions of this severity */
      severity?: "warning" | "critical"
      /** Only conditions of databases and backups in this project */
      projectId?: string
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
    }, {
      /** The id of the condition. A condition that begins again has another id */
      conditionId: string
      /** What needs attention; docs/conditions.md describes each name */
      name: "DatabaseDown" | "DatabaseRestarting" | "DatabaseLoginRefused" | "DatabaseDrifted" | "BackupFailed" | "BackupOverdue" | "BackupUnverified" | "BackupShrunk" | "DestinationUnreachable" | "EngineDown" | "NodeDown" | "CertificateExpiring" | "CertificateNotRenewable" | "ProxyDown" | "RegistryDown" | "StateNotBackedUp" | "SignInsFailing"
      /** critical: something does not work or data is at risk. warning: it soon may be */
      severity: "warning" | "critical"
      /** The kind of the record that needs attention. hostName: a name that the proxy obtains a certificate for */
      subjectKind: "database" | "backup" | "destination" | "engine" | "node" | "certificate" | "hostName" | "proxy" | "registry" | "account" | "installation"
      /** The id of that record, or the host name. For proxy, engine and installation: the same word */
      subjectId: string
      /** The name of that record. For a database its appName, for an account its e-mail */
      subjectName: string
      /** The project of the database; null if the subject belongs to none */
      projectId: string | null
      /** Why Berth reports the condition, as a message */
      reason: string
      /** The code of the reason, for programs */
      reasonCode: "DatabaseDown" | "RestartedOften" | "LoginRefused" | "Drifted" | "RunFailed" | "RunsFailed" | "ScheduleMissed" | "RunWaiting" | "DrillFailed" | "DrillsMissed" | "DumpShrunk" | "CertificateExpires" | "CertificateExpired" | "RenewalFailed" | "AccountAttacked" | "AccountsAttacked" | "StorageFailed" | "EngineUnavailable" | "NodeNotReady" | "ProxyFailed" | "RegistryFailed" | "NoStateBackup"
      /** When the condition began */
      since: string
      /** When the condition ended; null while it is present */
      endedAt: string | null
    }[]>
  }
  audit: {
    /**
     * List changes and refused calls
     *
     * An entry contains the caller, operation, record, time, address and result of a call, but never its input. OK means that the call was accepted; deployment.all lists the outcome of its work. Reads are recorded only if the answer contained database passwords or join tokens, once in 10 minutes for each token and record. Berth does not record malformed or rate-limited calls, calls without a valid token, and refusals of a token after the first 100 in an hour. Entries are deleted after 400 days.
     *
     * Access: Administrators, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of entries */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** Only calls of this account */
      accountId?: string
      /** Only calls that concern the record with this id */
      record?: string
      operation?: string
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
    }, {
      auditId: string
      at: string
      /** Type of the token; machine: a command on the machine */
      kind: "none" | "installation" | "invitation" | "challenge" | "session" | "api" | "machine"
      accountId: string | null
      /** E-mail of the account at the time of the call */
      email: string | null
      tokenId: string | null
      address: string
      operation: string
      /** Id of the record that the call concerned; for a refused sign-in the e-mail */
      record: string | null
      /** OK, or the code of the error */
      result: string
      /** Hash of this entry and all entries before it */
      hash: string
    }[]>
    /**
     * Check that no entry of the audit log was changed, inserted or removed
     *
     * Reads the whole log. The check cannot detect that entries were removed at the beginning or at the end of the log. To detect a removal at the end, store `head` outside of Berth. After a later check, look for that entry.
     *
     * Access: Administrators, with a session or any API token.
     */
    check: OptionalMethod<Record<string, never>, {
      valid: boolean
      entries: number
      /** The first entry that is not valid */
      brokenAt: string | null
      /** The last valid entry */
      head: {
        auditId: string
        hash: string
      } | null
    }>
  }
  state: {
    /**
     * Back up Berth's own state now, to the destination of its schedule
     *
     * Each backup is sealed with the master key. To restore a backup, run ./berth state restore on the machine with the same master key.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    backup: OptionalMethod<Record<string, never>, StateBackup>
    /**
     * Cancel a backup run of Berth's own state that is under way, and delete the data that it uploaded
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    cancel: Method<{
      runId: string
    }, StateBackup>
    /**
     * Read the backup schedule of Berth's own state
     *
     * Access: Administrators, with a session or any API token.
     */
    one: OptionalMethod<Record<string, never>, State>
    /**
     * List the backup runs of Berth's own state
     *
     * Access: Administrators, with a session or any API token.
     */
    runs: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
    }, StateBackup[]>
    /**
     * Schedule backups of Berth's own state, or change the schedule
     *
     * Each backup is sealed with the master key. To restore a backup, run ./berth state restore on the machine with the same master key. Omitted fields keep their values. In a new schedule, omitted keepLatest and keepDays mean that no backup is ever deleted.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    schedule: Method<{
      /** A cron expression with five fields, or a shortcut such as @daily */
      schedule: string
      destinationId: string
      /** Text before the keys of the objects. Without it the keys begin with berth/state/ */
      prefix?: string
      /** Whether the schedule is active. A new schedule is active by default */
      enabled?: boolean
      /** The time zone of the schedules, such as Europe/Berlin. Default on create: UTC */
      timezone?: string
      /** Keep this number of the newest good dumps. null: no such rule. If no rule is set, all dumps are kept */
      keepLatest?: number | null
      /** Keep good dumps for this number of days. The newest good dump is always kept. null: no such rule */
      keepDays?: number | null
      /** A URL that Berth calls with GET after each good dump, so that a monitor notices missing calls. null: none */
      signalUrl?: string | null
    }, State>
    /**
     * Delete the backup schedule of Berth's own state. Existing backups stay in the bucket
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    unschedule: OptionalMethod<Record<string, never>, State>
  }
}

/** The operations that are called with GET: each entry is a group and its operations, separated by dots. */
export const reads = 'auth.get.one.generate2FASecret.sessions.tokens user.all.byAuthId.byUserId.invitations project.all.one mariadb.one.logs.stats mysql.one.logs.stats postgres.one.logs.stats mongo.one.logs.stats redis.one.logs.stats database.all.find volume.all backup.all.one.installationRecipient.runs.files deployment.all destination.all.one application.all redirects.all.one port.all.one security.all.one certificates.all.one registry.all.one.images cluster.getNodes.addWorker.addManager condition.all audit.all.check state.one.runs'
