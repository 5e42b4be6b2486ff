/** The operations of Berth's API. Made from openapi.json by generate.js: do not edit. */
import type { FileMethod, Method, OptionalMethod, PagedMethod, StreamMethod } from './method.ts'

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

export type EventKind = "project" | "database" | "deployment" | "backup" | "run" | "destination" | "volume" | "node" | "application" | "redirect" | "security" | "port" | "certificate" | "hostName" | "registry" | "registryServer" | "account" | "invitation" | "condition"

export type ChangeEvent = {
  /** The position of the event. Events have growing ids; a repeated event has the same id */
  id: string
  /** When the change was made */
  at: string
  /** The kind of the record */
  kind: EventKind
  /** The id of the record */
  recordId: string
  /** What happened to the record */
  change: "created" | "changed" | "removed"
  /** The project of the record; null if it belongs to none */
  projectId: string | null
  /** Some fields of the record after the change; of a removed record, before it */
  record: Record<string, unknown>
}

export type ResetEvent = {
  /** The position from which the stream goes on */
  id: string
}

export type NewSession = {
  /** Token of the session, shown once. Send it as "Authorization: Bearer <accessToken>". Empty with `cookie`: the token is only in the cookie */
  accessToken: string
  /** When the session ends, 30 days after this call; earlier after 7 days without use */
  expiresAt: string
  /** For the next sign-in from this device, see `deviceToken` of the input. Empty if the input has none */
  deviceToken: string
  /** An account without its secrets: password, secret and token are always null */
  account: Auth
}

/** An account without its secrets: password, secret and token are always null */
export type Auth = {
  /** Id of the account */
  id: string
  /** E-mail address of the account */
  email: string
  /** Always null: Berth stores only a hash of the password */
  password: null
  /** Role of the account. admin: all operations. user: projects, databases, backups and applications, and its own account */
  rol: "admin" | "user"
  /** URL of a picture of the person; empty: none */
  image: string
  /** Always null: the secret of the authenticator app is never answered */
  secret: null
  /** Always null: Berth stores only hashes of API tokens */
  token: null
  /** Whether a sign-in needs a code of an authenticator app in addition to the password */
  is2FAEnabled: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
}

export type AuthRevokeSession = {
  /** Id of the session */
  sessionId: string
  /** Whether this call was made with this session */
  isCurrent: boolean
  /** IP address from which you signed in */
  address: string
  /** Whether a code of the second factor was sent in this session */
  passed2FA: boolean
  /** When you signed in */
  createdAt: string
  /** Time of the last call, accurate to ten minutes */
  lastUsedAt: string
  /** When the session ends; earlier after 7 days without use */
  expiresAt: string
}

export type AuthRevokeToken = {
  /** Id of the token */
  tokenId: string
  /** Name of the token. Null if auth.generateToken created the token */
  name: string | null
  /** read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, and run backups and drills. admin: every operation that your role permits, except those that need a session */
  scope: "read" | "deploy" | "admin"
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Time of the last call, accurate to ten minutes */
  lastUsedAt: string
  /** When the token expires. Null: it is valid until it is revoked */
  expiresAt: string | null
}

export type User = {
  /** Id of the user */
  userId: string
  /** Id of the account for auth.one and auth.updateByAdmin. Currently the same as userId */
  authId: string
  /** E-mail address of the account */
  email: string
  /** Role of the account. admin: all operations. user: projects, databases, backups and applications, and its own account */
  rol: "admin" | "user"
  /** Whether a sign-in needs a code of an authenticator app in addition to the password */
  is2FAEnabled: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Time of the last call of the account, accurate to ten minutes; null: never */
  lastSeenAt: string | null
}

export type UserInvitations = {
  /** Id of the invitation */
  id: string
  /** E-mail address that the account will have */
  email: string
  /** Role that the account will have. admin: all operations. user: all except administration */
  rol: "admin" | "user"
  /** Id of the account of the administrator who invited */
  invitedBy: string
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** When the invitation expires, 7 days after it was created */
  expiresAt: string
}

export type Project = {
  /** Id of the project */
  projectId: string
  /** Name of the project. Several projects may have the same name */
  name: string
  /** Text for people; Berth does not use it. Null: no text */
  description: string | null
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** The MariaDB services of the project, oldest first */
  mariadb: {
    /** Id of the MariaDB service */
    mariadbId: string
    /** Display name, such as orders. Several services may have the same name */
    name: string
    /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
    appName: string
    /** Text for people; Berth does not use it. Null: no text */
    description: string | null
    /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
    databaseName: string
    /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
    databaseUser: string
    /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databasePassword: string
    /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databaseRootPassword: string
    /** Image of the server, as it was entered */
    dockerImage: string
    /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
    command: string | null
    /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
    env: string | null
    /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
    memoryReservation: number | null
    /** MiB of memory that the container can use at most. Null: no limit */
    memoryLimit: number | null
    /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
    cpuReservation: number | null
    /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
    cpuLimit: number | null
    /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
    externalPort: number | null
    /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
    startTimeout: number | null
    /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: StatusReason | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    /** When the record was created: ISO 8601 in UTC, like all times in answers */
    createdAt: string
    /** Id of the project of the service. Another id in an update moves the service there */
    projectId: string
  }[]
  /** The MySQL services of the project, oldest first */
  mysql: {
    /** Id of the MySQL service */
    mysqlId: string
    /** Display name, such as orders. Several services may have the same name */
    name: string
    /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
    appName: string
    /** Text for people; Berth does not use it. Null: no text */
    description: string | null
    /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
    databaseName: string
    /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
    databaseUser: string
    /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databasePassword: string
    /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databaseRootPassword: string
    /** Image of the server, as it was entered */
    dockerImage: string
    /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
    command: string | null
    /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
    env: string | null
    /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
    memoryReservation: number | null
    /** MiB of memory that the container can use at most. Null: no limit */
    memoryLimit: number | null
    /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
    cpuReservation: number | null
    /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
    cpuLimit: number | null
    /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
    externalPort: number | null
    /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
    startTimeout: number | null
    /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: StatusReason | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    /** When the record was created: ISO 8601 in UTC, like all times in answers */
    createdAt: string
    /** Id of the project of the service. Another id in an update moves the service there */
    projectId: string
  }[]
  /** The PostgreSQL services of the project, oldest first */
  postgres: {
    /** Id of the PostgreSQL service */
    postgresId: string
    /** Display name, such as orders. Several services may have the same name */
    name: string
    /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
    appName: string
    /** Text for people; Berth does not use it. Null: no text */
    description: string | null
    /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
    databaseName: string
    /** Superuser with which clients log in. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
    databaseUser: string
    /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databasePassword: string
    /** Image of the server, as it was entered */
    dockerImage: string
    /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
    command: string | null
    /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
    env: string | null
    /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
    memoryReservation: number | null
    /** MiB of memory that the container can use at most. Null: no limit */
    memoryLimit: number | null
    /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
    cpuReservation: number | null
    /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
    cpuLimit: number | null
    /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
    externalPort: number | null
    /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
    startTimeout: number | null
    /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: StatusReason | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    /** When the record was created: ISO 8601 in UTC, like all times in answers */
    createdAt: string
    /** Id of the project of the service. Another id in an update moves the service there */
    projectId: string
  }[]
  /** The MongoDB services of the project, oldest first */
  mongo: {
    /** Id of the MongoDB service */
    mongoId: string
    /** Display name, such as orders. Several services may have the same name */
    name: string
    /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
    appName: string
    /** Text for people; Berth does not use it. Null: no text */
    description: string | null
    /** User with the role root, in the database admin. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
    databaseUser: string
    /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databasePassword: string
    /** Name of the replica set of one member that the server becomes, for transactions and change streams. Null: none. Once a deploy has made the set, its name cannot change, because the data of a set can only be read as a set */
    replicaSet: string | null
    /** Image of the server, as it was entered */
    dockerImage: string
    /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
    command: string | null
    /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
    env: string | null
    /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
    memoryReservation: number | null
    /** MiB of memory that the container can use at most. Null: no limit */
    memoryLimit: number | null
    /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
    cpuReservation: number | null
    /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
    cpuLimit: number | null
    /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
    externalPort: number | null
    /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
    startTimeout: number | null
    /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: StatusReason | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    /** When the record was created: ISO 8601 in UTC, like all times in answers */
    createdAt: string
    /** Id of the project of the service. Another id in an update moves the service there */
    projectId: string
  }[]
  /** The Redis services of the project, oldest first */
  redis: {
    /** Id of the Redis service */
    redisId: string
    /** Display name, such as orders. Several services may have the same name */
    name: string
    /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
    appName: string
    /** Text for people; Berth does not use it. Null: no text */
    description: string | null
    /** Password of the user default. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
    databasePassword: string
    /** Image of the server, as it was entered */
    dockerImage: string
    /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
    command: string | null
    /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
    env: string | null
    /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
    memoryReservation: number | null
    /** MiB of memory that the container can use at most. Null: no limit */
    memoryLimit: number | null
    /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
    cpuReservation: number | null
    /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
    cpuLimit: number | null
    /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
    externalPort: number | null
    /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
    startTimeout: number | null
    /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
    applicationStatus: "idle" | "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
    statusCode: StatusReason | null
    /** Whether the record differs from the deployed configuration; deploy applies it */
    pendingChanges: boolean
    /** When the record was created: ISO 8601 in UTC, like all times in answers */
    createdAt: string
    /** Id of the project of the service. Another id in an update moves the service there */
    projectId: string
  }[]
}

export type Mariadb = {
  /** Id of the MariaDB service */
  mariadbId: string
  /** Display name, such as orders. Several services may have the same name */
  name: string
  /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
  appName: string
  /** Text for people; Berth does not use it. Null: no text */
  description: string | null
  /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
  databaseName: string
  /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
  databaseUser: string
  /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databasePassword: string
  /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databaseRootPassword: string
  /** Image of the server, as it was entered */
  dockerImage: string
  /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
  command: string | null
  /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
  env: string | null
  /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
  memoryReservation: number | null
  /** MiB of memory that the container can use at most. Null: no limit */
  memoryLimit: number | null
  /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
  cpuReservation: number | null
  /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
  cpuLimit: number | null
  /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
  externalPort: number | null
  /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
  startTimeout: number | null
  /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: StatusReason | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Id of the project of the service. Another id in an update moves the service there */
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  /** URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while pendingChanges is true. A masked password is ******** here too */
  connection: {
    /** URL for services on Berth's network */
    internalUrl: string
    /** URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped */
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  /** State of the container: that of its Swarm task, such as starting, running or failed; missing if there is no task; unknown if the node is not available. Null if never deployed or stopped */
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: DriftReason[]
  /** The differences as expected and found, in the same order */
  driftDetails: DriftDetail[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. FirstStartInterrupted: the first start was interrupted, so the data is incomplete. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | null
  /** When deploy, start, reload or a repair last succeeded; null: never */
  lastDeployedAt: string | null
  /** Backups of the service, oldest first */
  backups: {
    /** Id of the backup */
    backupId: string
    /** When to dump: a cron expression, or a name such as @daily */
    schedule: string
    /** Time zone of the schedule */
    timezone: string
    /** Whether the schedule is active */
    enabled: boolean
    /** Name of the dumped database within the server */
    database: string
    /** Id of the destination of the dumps */
    destinationId: string
    /** When the next dump is due; null while disabled */
    nextAt: string | null
  }[]
}

export type Mysql = {
  /** Id of the MySQL service */
  mysqlId: string
  /** Display name, such as orders. Several services may have the same name */
  name: string
  /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
  appName: string
  /** Text for people; Berth does not use it. Null: no text */
  description: string | null
  /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
  databaseName: string
  /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
  databaseUser: string
  /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databasePassword: string
  /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databaseRootPassword: string
  /** Image of the server, as it was entered */
  dockerImage: string
  /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
  command: string | null
  /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
  env: string | null
  /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
  memoryReservation: number | null
  /** MiB of memory that the container can use at most. Null: no limit */
  memoryLimit: number | null
  /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
  cpuReservation: number | null
  /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
  cpuLimit: number | null
  /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
  externalPort: number | null
  /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
  startTimeout: number | null
  /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: StatusReason | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Id of the project of the service. Another id in an update moves the service there */
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  /** URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while pendingChanges is true. A masked password is ******** here too */
  connection: {
    /** URL for services on Berth's network */
    internalUrl: string
    /** URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped */
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  /** State of the container: that of its Swarm task, such as starting, running or failed; missing if there is no task; unknown if the node is not available. Null if never deployed or stopped */
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: DriftReason[]
  /** The differences as expected and found, in the same order */
  driftDetails: DriftDetail[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. FirstStartInterrupted: the first start was interrupted, so the data is incomplete. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | null
  /** When deploy, start, reload or a repair last succeeded; null: never */
  lastDeployedAt: string | null
  /** Backups of the service, oldest first */
  backups: {
    /** Id of the backup */
    backupId: string
    /** When to dump: a cron expression, or a name such as @daily */
    schedule: string
    /** Time zone of the schedule */
    timezone: string
    /** Whether the schedule is active */
    enabled: boolean
    /** Name of the dumped database within the server */
    database: string
    /** Id of the destination of the dumps */
    destinationId: string
    /** When the next dump is due; null while disabled */
    nextAt: string | null
  }[]
}

export type Postgres = {
  /** Id of the PostgreSQL service */
  postgresId: string
  /** Display name, such as orders. Several services may have the same name */
  name: string
  /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
  appName: string
  /** Text for people; Berth does not use it. Null: no text */
  description: string | null
  /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
  databaseName: string
  /** Superuser with which clients log in. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
  databaseUser: string
  /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databasePassword: string
  /** Image of the server, as it was entered */
  dockerImage: string
  /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
  command: string | null
  /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
  env: string | null
  /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
  memoryReservation: number | null
  /** MiB of memory that the container can use at most. Null: no limit */
  memoryLimit: number | null
  /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
  cpuReservation: number | null
  /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
  cpuLimit: number | null
  /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
  externalPort: number | null
  /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
  startTimeout: number | null
  /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: StatusReason | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Id of the project of the service. Another id in an update moves the service there */
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  /** URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while pendingChanges is true. A masked password is ******** here too */
  connection: {
    /** URL for services on Berth's network */
    internalUrl: string
    /** URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped */
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  /** State of the container: that of its Swarm task, such as starting, running or failed; missing if there is no task; unknown if the node is not available. Null if never deployed or stopped */
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: DriftReason[]
  /** The differences as expected and found, in the same order */
  driftDetails: DriftDetail[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. FirstStartInterrupted: the first start was interrupted, so the data is incomplete. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | null
  /** When deploy, start, reload or a repair last succeeded; null: never */
  lastDeployedAt: string | null
  /** Backups of the service, oldest first */
  backups: {
    /** Id of the backup */
    backupId: string
    /** When to dump: a cron expression, or a name such as @daily */
    schedule: string
    /** Time zone of the schedule */
    timezone: string
    /** Whether the schedule is active */
    enabled: boolean
    /** Name of the dumped database within the server */
    database: string
    /** Id of the destination of the dumps */
    destinationId: string
    /** When the next dump is due; null while disabled */
    nextAt: string | null
  }[]
}

export type Mongo = {
  /** Id of the MongoDB service */
  mongoId: string
  /** Display name, such as orders. Several services may have the same name */
  name: string
  /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
  appName: string
  /** Text for people; Berth does not use it. Null: no text */
  description: string | null
  /** User with the role root, in the database admin. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
  databaseUser: string
  /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databasePassword: string
  /** Name of the replica set of one member that the server becomes, for transactions and change streams. Null: none. Once a deploy has made the set, its name cannot change, because the data of a set can only be read as a set */
  replicaSet: string | null
  /** Image of the server, as it was entered */
  dockerImage: string
  /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
  command: string | null
  /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
  env: string | null
  /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
  memoryReservation: number | null
  /** MiB of memory that the container can use at most. Null: no limit */
  memoryLimit: number | null
  /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
  cpuReservation: number | null
  /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
  cpuLimit: number | null
  /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
  externalPort: number | null
  /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
  startTimeout: number | null
  /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: StatusReason | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Id of the project of the service. Another id in an update moves the service there */
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  /** URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while pendingChanges is true. A masked password is ******** here too */
  connection: {
    /** URL for services on Berth's network */
    internalUrl: string
    /** URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped */
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  /** State of the container: that of its Swarm task, such as starting, running or failed; missing if there is no task; unknown if the node is not available. Null if never deployed or stopped */
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: DriftReason[]
  /** The differences as expected and found, in the same order */
  driftDetails: DriftDetail[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. FirstStartInterrupted: the first start was interrupted, so the data is incomplete. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | null
  /** When deploy, start, reload or a repair last succeeded; null: never */
  lastDeployedAt: string | null
  /** Backups of the service, oldest first */
  backups: {
    /** Id of the backup */
    backupId: string
    /** When to dump: a cron expression, or a name such as @daily */
    schedule: string
    /** Time zone of the schedule */
    timezone: string
    /** Whether the schedule is active */
    enabled: boolean
    /** Name of the dumped database within the server */
    database: string
    /** Id of the destination of the dumps */
    destinationId: string
    /** When the next dump is due; null while disabled */
    nextAt: string | null
  }[]
}

export type Redis = {
  /** Id of the Redis service */
  redisId: string
  /** Display name, such as orders. Several services may have the same name */
  name: string
  /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
  appName: string
  /** Text for people; Berth does not use it. Null: no text */
  description: string | null
  /** Password of the user default. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
  databasePassword: string
  /** Image of the server, as it was entered */
  dockerImage: string
  /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
  command: string | null
  /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
  env: string | null
  /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
  memoryReservation: number | null
  /** MiB of memory that the container can use at most. Null: no limit */
  memoryLimit: number | null
  /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
  cpuReservation: number | null
  /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
  cpuLimit: number | null
  /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
  externalPort: number | null
  /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
  startTimeout: number | null
  /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Reason of the status as a message for people; null without a reason */
  statusReason: string | null
  /** Code of the reason, for programs. The code is stable, the message is not. Null without a reason. */
  statusCode: StatusReason | null
  /** Whether the record differs from the deployed configuration; deploy applies it */
  pendingChanges: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Id of the project of the service. Another id in an update moves the service there */
  projectId: string
  /** Image that Berth uses for dockerImage. Differs only for default images that exist in no registry. */
  resolvedImage: string
  /** Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image that is in no registry. Every later start uses this image. Null before the image is resolved. */
  imageDigest: string | null
  /** Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the server can open. Null before the image is resolved, or if the version is unknown. */
  imageVersion: string | null
  /** URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while pendingChanges is true. A masked password is ******** here too */
  connection: {
    /** URL for services on Berth's network */
    internalUrl: string
    /** URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped */
    externalUrl: string | null
  }
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** Label that was requested for the node of the volume; null if no label was requested */
  nodeLabel: string | null
  /** State of the container: that of its Swarm task, such as starting, running or failed; missing if there is no task; unknown if the node is not available. Null if never deployed or stopped */
  containerState: string | null
  /** Differences between the running services and the deployed configuration, as messages; empty if there are none */
  drift: string[]
  /** Codes of the differences, in the same order */
  driftCodes: DriftReason[]
  /** The differences as expected and found, in the same order */
  driftDetails: DriftDetail[]
  /** Name of the Docker volume; null before the first deploy */
  volume: string | null
  /** Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. DataReplaced: the volume contains other data than before. FirstStartInterrupted: the first start was interrupted, so the data is incomplete. Null if no fault is known. */
  volumeFault: "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | null
  /** When deploy, start, reload or a repair last succeeded; null: never */
  lastDeployedAt: string | null
  /** Backups of the service, oldest first */
  backups: {
    /** Id of the backup */
    backupId: string
    /** When to dump: a cron expression, or a name such as @daily */
    schedule: string
    /** Time zone of the schedule */
    timezone: string
    /** Whether the schedule is active */
    enabled: boolean
    /** Name of the dumped database within the server */
    database: string
    /** Id of the destination of the dumps */
    destinationId: string
    /** When the next dump is due; null while disabled */
    nextAt: string | null
  }[]
}

export type Database = {
  /** The id that operations of the kind call <kind>Id, for example postgresId */
  databaseId: string
  /** The kind: the group of the operations for this database */
  databaseType: "mariadb" | "mysql" | "postgres" | "mongo" | "redis"
  /** Display name, such as orders. Several services may have the same name */
  name: string
  /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
  appName: string
  /** Id of the project of the service. Another id in an update moves the service there */
  projectId: string
  /** Name of that project */
  projectName: string
  /** Image of the server, as it was entered */
  dockerImage: string
  /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
  applicationStatus: "idle" | "running" | "done" | "error"
  /** Why the database has this status; null without a reason */
  statusReason: string | null
  /** The code of that reason, for programs; null without a reason */
  statusCode: string | null
  /** State of the container, as in <kind>.one; null if never deployed or stopped */
  containerState: string | null
  /** Whether the record differs from what runs. A deploy applies the difference */
  pendingChanges: boolean
  /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
  externalPort: number | null
  /** Host name of the node with the volume; before the volume exists, the requested node or null */
  node: string | null
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
}

export type Volume = {
  /** Id of the volume */
  volumeId: string
  /** Name of the Docker volume */
  name: string
  /** Kind of the database that the volume is for, such as postgres, or registry */
  kind: string
  /** Version of the server that wrote the data, such as 15 or 8.4; null if unknown */
  version: string | null
  /** Path in the container at which the volume is mounted */
  dataPath: string
  /** Host name of the node that has the volume */
  node: string
  /** attached: a service owns it. kept: its service was removed. removing: volume.remove deletes it */
  state: "attached" | "kept" | "removing"
  /** Id of the service that owns the volume; null for a kept volume and for the volume of Berth's registry */
  databaseId: string | null
  /** appName of the service that owns the volume, or of its last owner */
  appName: string
  /** Image of that service */
  dockerImage: string
  /** Name of the volume of another system of which this one is a copy; null if it is not a copy */
  copyOf: string | null
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Since when the volume is kept; null if it is not */
  keptAt: string | null
}

export type Backup = {
  /** Id of the backup */
  backupId: string
  /** Kind of the service, such as postgres */
  databaseType: string
  /** Id of the MariaDB service; null for a backup of another kind */
  mariadbId: string | null
  /** Id of the MySQL service; null for a backup of another kind */
  mysqlId: string | null
  /** Id of the PostgreSQL service; null for a backup of another kind */
  postgresId: string | null
  /** Id of the MongoDB service; null for a backup of another kind */
  mongoId: string | null
  /** Id of the Redis service; null for a backup of another kind */
  redisId: string | null
  /** Id of the destination of the dumps */
  destinationId: string
  /** The name of the database within the server; `all` for a backup of Redis */
  database: string
  /** The beginning of the keys of the dumps in the bucket */
  prefix: string
  /** When to dump: a cron expression with five fields, or a name such as @daily */
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
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
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

export type Run = {
  /** Id of the run */
  runId: string
  /** Id of the backup; null: the run belongs to no backup */
  backupId: string | null
  /** Kind of the service, such as postgres */
  databaseType: string
  /** The service that is dumped or restored into. Drill: the service whose dump is verified */
  databaseId: string | null
  /** The name of the database within the server */
  database: string
  /** dump: makes a dump. verify: a drill, see backup.verify. restore: loads a dump */
  action: "dump" | "verify" | "restore"
  /** What began the run. manual: a call. schedule: the schedule. safety: a restore, whose safety dump this is */
  trigger: "manual" | "schedule" | "safety"
  /** running: under way, or waiting for its start or its next attempt. done: succeeded. error: failed, see reason. skipped: not started at its time */
  status: "running" | "done" | "error" | "skipped"
  /** The current step. A dump has the steps dump, check (read back) and list (upload the manifest), a drill has drill, and a restore has prepare, safety and load. Null after the end of the run */
  step: string | null
  /** The number of the current attempt, from 1 */
  attempt: number
  /** Why the run waits, failed or was skipped, or the result of a drill */
  reason: string | null
  /** The code of the reason. Later versions may add codes. Legacy: an older version of Berth stored the reason */
  reasonCode: RunReason | null
  /** The parameters of some reasons; null for the other reasons. Later versions may add reasons */
  fault: {
    /** The same code as reasonCode */
    reason: "LoadInterrupted" | "LoadFailed" | "InterruptedTooOften" | "ToolIdle" | "TookTooLong"
    /** LoadInterrupted, LoadFailed: the run of the safety dump; null: none was made */
    safetyRunId?: string | null
    /** LoadInterrupted, LoadFailed: whether the database has its previous data or that of the dump. unknown: an older version of Berth made the restore, which could also leave a part of the dump */
    data?: "unchanged" | "replaced" | "unknown"
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
  /** Good dump: what a person should know about it, at most 20. The dump has all data, but some objects are left out, do not work, or need another database. backup.manifest has all findings */
  findings: DumpFinding[]
  /** Good dump: the number of all findings */
  findingCount: number
  /** Good dump: other databases of the server that objects of the dump need, at most 20 */
  needs: string[]
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
  /** Answer of backup.restore: the dump that is loaded, as far as Berth knows it */
  dump?: {
    /** What began the dump, as in a run. safety: it is a safety dump. null: Berth has no run of it */
    trigger: "manual" | "schedule" | "safety" | null
    /** When the dump began. What changed in the database since is not in it */
    startedAt: string
    /** Number of rows in all tables and collections */
    rowCount: number
  }
  /** Answer of backup.restore into a new service: the fields of the dumped service that the new one does not have. Two services cannot have the same external port */
  notCarriedOver?: NotCarriedOver[]
  /** Restore: the run of the safety dump; null: none was made yet */
  safetyRunId: string | null
  /** Restore: why the restore makes no safety dump. NewService: the restore creates the service. NotWanted: skipSafetyDump was set. TargetEmpty: the database does not exist or is empty. null: the restore makes one */
  safety: "NewService" | "NotWanted" | "TargetEmpty" | null
  /** Restore into an existing service: whether the database has its previous data (unchanged) or that of the dump (replaced). null: not known yet, or the restore ended before it loaded anything, so the data is unchanged */
  data: "unchanged" | "replaced" | null
  /** Restore that replaces the volume of the service: the deployment that does this */
  deploymentId: string | null
  /** Safety dump: when Berth deletes its object */
  expiresAt: string | null
  /** Drill: its result. Dump: the result of its last drill. notVerifiable: the drill could not verify the dump, which is not a fault of the dump. null: there is no result */
  verification: "verified" | "failed" | "notVerifiable" | null
  /** Why the drill failed, or why the dump cannot be verified; null otherwise */
  verificationReason: string | null
  /** Dump: when a drill last verified it without a difference */
  verifiedAt: string | null
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** When the run began; null: not started */
  startedAt: string | null
  /** When the run ended; null: not ended yet */
  finishedAt: string | null
}

export type Destination = {
  /** Id of the destination */
  destinationId: string
  /** Display name of the destination */
  name: string
  /** The access key id, the public half of the credentials. SFTP: the user */
  accessKey: string
  /** Name of the bucket, which must exist. SFTP: the absolute path of a folder on the server */
  bucket: string
  /** The region, such as eu-central-1. Empty: the storage's default. SFTP: always empty */
  region: string
  /** The S3 API: a URL such as http://10.0.0.7:9000, or a host that is reached over HTTPS, such as s3.eu-central-1.amazonaws.com. SFTP: a host, with its port if that is not 22, such as backup.example.org:2222 */
  endpoint: string
  /** The protocol of the storage */
  kind: "s3" | "sftp"
  /** The fingerprint of the host key of an SFTP server; null: the kind is s3 */
  hostKey: string | null
  /** Always this mask. destination.update keeps the stored secret if it receives the mask */
  secretAccessKey: "********"
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
}

export type Redirects = {
  /** Id of the redirect */
  redirectId: string
  /** The application of the rule: the id, the name or the label that the call has sent */
  applicationId: string
  /** A pattern in RE2 syntax. It may match anywhere in the URL, which has the form `https://host/path?query` */
  regex: string
  /** The target URL or path. `$1`, `${1}` and `${name}` stand for the text of a group, `$$` stands for a dollar */
  replacement: string
  /** The status of the response. true: 301 for GET and HEAD, 308 for other methods. false: 302 for GET and HEAD, 307 for other methods */
  permanent: boolean
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Whether the rule is in force */
  applied: boolean
  /** Why the rule is not in force. Null if the rule is in force */
  reason: string | null
}

export type Port = {
  /** Id of the published port */
  portId: string
  /** The application of the rule: the id, the name or the label that the call has sent */
  applicationId: string
  /** The port on the node that Berth runs on */
  publishedPort: number
  /** The port on which the application listens */
  targetPort: number
  /** The protocol of both ports. An update without it means tcp */
  protocol: "tcp" | "udp"
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Whether the rule is in force */
  applied: boolean
  /** Why the rule is not in force. Null if the rule is in force */
  reason: string | null
  /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
  reasonCode: DeploymentReason | null
}

export type Security = {
  /** Id of the user of basic auth */
  securityId: string
  /** The application of the rule: the id, the name or the label that the call has sent */
  applicationId: string
  /** The name that the user enters, without a colon */
  username: string
  /** Always this mask. In security.update, the mask keeps the stored password */
  password: "********"
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** Whether the rule is in force */
  applied: boolean
  /** Why the rule is not in force. Null if the rule is in force */
  reason: string | null
}

export type Certificates = {
  /** Id of the certificate */
  certificateId: string
  /** Display name of the certificate */
  name: string
  /** A label in the form of a relative path. Berth writes no file at this path */
  certificatePath: string | null
  /** Whether the proxy renews the certificate by ACME */
  autoRenew: boolean
  /** Always this mask: the API never returns a key */
  privateKey: "********"
  /** The subject in the certificate, such as CN=shop.example.org */
  subject: string
  /** The host names and IP addresses that the certificate covers */
  names: string[]
  /** The authority that signed the certificate */
  issuer: string
  /** An authority whose certificate is neither in certificateData nor a root that clients know, so that many clients refuse the certificate. Upload the full chain, or nothing if your clients trust this authority. Null: the chain is complete */
  missingIssuer: string | null
  /** The serial number, in hexadecimal */
  serialNumber: string
  /** The SHA-256 fingerprint: bytes in hexadecimal, separated by colons */
  fingerprint256: string
  /** Type and size of the key, such as `rsa 2048` or `ec prime256v1` */
  keyType: string
  /** When the certificate becomes valid */
  notBefore: string
  /** When the certificate expires */
  notAfter: string
  /** Whole days until the certificate expires. Negative after it has expired */
  daysLeft: number
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** When the certificate was last renewed; null: never */
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
  /** Id of the registry */
  registryId: string
  /** Display name of the registry */
  registryName: string
  /** selfHosted: on machines of your own. cloud: at a provider, such as Docker Hub */
  registryType: "selfHosted" | "cloud"
  /** Address of the registry as it was entered; empty: Docker Hub */
  registryUrl: string
  /** The host in the names of the images of this registry */
  host: string
  /** Name with which Berth logs in to the registry */
  username: string
  /** Always this mask. In registry.update, the mask keeps the stored password */
  password: "********"
  /** Text between the host and the name of an image, such as team/project. Used for databases whose image is given with registryId. Of several registries of a host, an image uses the one with the longest prefix that the image begins with. Null or empty: none */
  imagePrefix: string | null
  /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
  insecure: boolean
  /** Id of the account of the administrator who is responsible for the registry */
  adminId: string
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** The service of the registry that Berth runs. Null for all other registries */
  server: {
    /** done: the registry runs, and Berth has logged in to it. running: a deployment is in progress */
    status: "running" | "done" | "error"
    /** Reason of the status as a message for people; null without a reason */
    statusReason: string | null
    /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
    statusCode: DeploymentReason | null
    /** The published port of the node. Null if the proxy serves the registry */
    port: number | null
    /** Host name of the node with the volume; null before the volume exists */
    node: string | null
    /** The name of the Docker volume. Berth keeps the volume when the registry is removed */
    volume: string | null
    /** True during a garbage collection: the registry refuses pushes and serves pulls */
    readOnly: boolean
  } | null
}

export type Node = {
  /** Id of the node in the swarm */
  id: string
  /** Host name of the machine; empty for a moment after the node has joined */
  hostname: string
  /** Managers control the swarm; workers only run containers */
  role: "worker" | "manager"
  /** active: the node gets new containers. pause: it gets none, and keeps those that run. drain: it gets none, and its services move to other nodes or stop */
  availability: "active" | "pause" | "drain"
  /** State as the managers see it. disconnected: the connection to the node broke a moment ago */
  state: "ready" | "down" | "unknown" | "disconnected"
  /** When Berth first observed this state. Null if Berth has not recorded the state yet */
  since: string | null
  /** Address under which the swarm knows the node, without a port */
  address: string
  /** Version of the Docker engine of the node */
  engineVersion: string
  /** Number of cores of the machine */
  cpuCores: number
  /** Memory of the machine in bytes */
  memoryBytes: number
  /** Labels of the node: values by name. nodeLabel of a database refers to them */
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
  /** What the records of databases reserve of the node */
  reserved: {
    /** Number of databases with data on this node that should run */
    databases: number
    /** Sum of memoryReservation of these databases in bytes */
    memoryBytes: number
    /** Sum of cpuReservation of these databases */
    cpuCores: number
  }
  /** The removal in progress. Null if the node is not being removed */
  removal: {
    /** Id of the deployment that removes the node */
    deploymentId: string
    /** When the removal began */
    startedAt: string
    /** Whether data on the node, if there is any, is given up */
    force: boolean
    /** The progress of the removal */
    reason: string | null
    /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
    reasonCode: DeploymentReason | null
  } | null
  /** Other nodes, which left the swarm or are down, whose volumes were found on this node. The machine may have joined again with another id. cluster.adoptNode takes the volumes back */
  returned: {
    /** The id of the other node in the swarm */
    nodeId: string
    /** The host name of the other node */
    hostname: string
    /** Number of its volumes of which this node has volumes of the same names */
    volumes: number
  }[]
}

export type JoinCommand = {
  /** The command to run on the machine that joins the swarm */
  command: string
  /** The join token. Anyone who has it can join the swarm: keep it secret like a password */
  token: string
  /** The address that the swarm advertises to joining machines: host and port */
  address: string
  /** The version of the Docker engine of the swarm. The machine needs this version or a newer one */
  version: string
}

export type StateBackup = {
  /** Id of the run */
  runId: string
  /** What began the run. manual: a call. schedule: the schedule. safety: a restore, whose safety dump this is */
  trigger: "manual" | "schedule" | "safety"
  /** running: under way, or waiting for its start or its next attempt. done: succeeded. error: failed, see reason. skipped: not started at its time */
  status: "running" | "done" | "error" | "skipped"
  /** The current step. A dump has the steps dump, check (read back) and list (upload the manifest), a drill has drill, and a restore has prepare, safety and load. Null after the end of the run */
  step: string | null
  /** The number of the current attempt, from 1 */
  attempt: number
  /** Why the run waits, failed or was skipped, or the result of a drill */
  reason: string | null
  /** The code of the reason. Later versions may add codes. Legacy: an older version of Berth stored the reason */
  reasonCode: RunReason | null
  /** The parameters of some reasons; null for the other reasons. Later versions may add reasons */
  fault: {
    /** The same code as reasonCode */
    reason: "LoadInterrupted" | "LoadFailed" | "InterruptedTooOften" | "ToolIdle" | "TookTooLong"
    /** LoadInterrupted, LoadFailed: the run of the safety dump; null: none was made */
    safetyRunId?: string | null
    /** LoadInterrupted, LoadFailed: whether the database has its previous data or that of the dump. unknown: an older version of Berth made the restore, which could also leave a part of the dump */
    data?: "unchanged" | "replaced" | "unknown"
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
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** When the run began; null: not started */
  startedAt: string | null
  /** When the run ended; null: not ended yet */
  finishedAt: string | null
}

export type State = {
  /** Id of the destination of the backups */
  destinationId: string
  /** When to back up: a cron expression with five fields, or a name such as @daily */
  schedule: string
  /** Text before the keys of the objects; empty: none */
  prefix: string
  /** The time zone of the schedules */
  timezone: string
  /** Whether the schedules are active */
  enabled: boolean
  /** How many of the newest good dumps are kept; null: no such rule */
  keepLatest: number | null
  /** For how many days good dumps are kept; null: no such rule */
  keepDays: number | null
  /** The URL that Berth calls after each good dump; null: none */
  signalUrl: string | null
  /** When the record was created: ISO 8601 in UTC, like all times in answers */
  createdAt: string
  /** The time of the next scheduled run; null while the schedule is disabled */
  nextAt: string | null
}

export type ClockStatus = {
  /** The time of the clock of the machine */
  time: string
  /** Whether Berth trusts the clock. While it does not, it deletes nothing for its age */
  trusted: boolean
  /** Why the clock is not trusted, as a message; null if it is */
  reason: string | null
  /** The code of the reason, for programs */
  reasonCode: ClockReason
  /** The last time at which the clock was right */
  trustedAt: string
  /** The time by trustedAt and the monotonic clock. If the machine was off in between, it is later */
  expected: string
}

export type StatusReason = "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeReturned" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "EntrypointIgnoresArguments" | "CommandIsNotServer" | "ArgumentRefused" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "OwnAccountRefused" | "NotPrepared" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | "VolumeNotCopied" | "DataOutsideVolume" | "VolumeInUse" | "PlacedElsewhere" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyIncomplete" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "RestoreFailed" | "RestoreStopped" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "Starting" | "WentDown" | "StillDown" | "Recovered" | "Repairing" | "ProcessKilled" | "Moving" | "Restoring" | "DataLost"

export type DriftReason = "ServiceMissing" | "ServiceFenced" | "ServiceOutdated" | "ServiceChanged" | "ContainerNotRunning" | "ContainerDetached" | "GatewayUnwanted" | "GatewayMissing" | "GatewayOutdated" | "GatewayChanged" | "GatewayNotRunning" | "GatewayDetached" | "NodeMissing" | "NodeReturned" | "NodeDown" | "NodeDrained" | "PlacedElsewhere" | "AppNameTaken" | "Legacy"

export type DriftDetail = {
  /** Code of the difference */
  code: DriftReason
  /** What differs. gateway: the proxy that holds the external port */
  subject: "service" | "container" | "gateway" | "node" | "other"
  /** What Berth expects, as text for people */
  expected: string
  /** What Berth found, as text for people */
  found: string
}

export type LogLine = {
  /** Time at which the line was printed, to the nanosecond */
  at: string
  /** Output of the server that the line comes from */
  stream: "stdout" | "stderr"
  /** Text of the line, including control characters */
  line: string
}

export type Stats = {
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
}

export type NotCarriedOver = {
  /** The field of the dumped service */
  field: "command" | "memoryReservation" | "memoryLimit" | "cpuReservation" | "cpuLimit" | "env" | "databaseSettings" | "externalPort"
  /** env, databaseSettings: the variables or settings. Berth knows their values only if it made the dump, or if the dump is encrypted */
  names?: string[]
}

export type DumpFinding = {
  /** The code of the finding. Later versions may add codes */
  reason: "ViewBroken" | "DefinerMissing" | "DatabaseNeeded" | "IndexInvalid" | "ServerNeeded" | "RowsElsewhere"
  /** The type of the object, such as VIEW */
  type: string
  /** The name of the object */
  name: string
  /** Whether the dump has only the definition of the object */
  isLeftOut: boolean
  /** The finding as a sentence */
  message: string
  /** What to do about it */
  remedy: string
}

export type RunReason = "MissedSchedule" | "PreviousRunOpen" | "NothingToVerify" | "DataOutsideVolume" | "ServiceRemoved" | "ServiceNotDeployed" | "ServiceStopped" | "ServiceStoppedMeanwhile" | "ServiceDown" | "ServiceNotUp" | "ServiceNotUpInTime" | "LoginRefused" | "DataNotCompared" | "ContainerReplaced" | "ToolFailed" | "NameNotFound" | "LocksExhausted" | "ReadRefused" | "DatabaseMissing" | "DumpEmpty" | "ObjectDiffers" | "OlderDumpNotDeleted" | "RestoredEqual" | "NotVerifiable" | "MemoryMissing" | "DumpGone" | "ObjectChanged" | "ForeignRecipient" | "ContentDiffers" | "ManifestDiffers" | "ScratchServerEnded" | "LoadInterrupted" | "LoadFailed" | "AwaitingServer" | "VolumeNotReplaced" | "DestinationRemoved" | "DatabasesMissing" | "RestartNeeded" | "SpaceMissing" | "StorageFailed" | "ToolIdle" | "TookTooLong" | "Cancelled" | "InterruptedTooOften" | "InterruptedByRestore" | "EngineUnavailable" | "EngineFailed" | "ArchiveBroken" | "StateUnreadable" | "TooLarge" | "Failed" | "Legacy"

export type DeploymentReason = "TaskExited" | "TaskFailed" | "TaskNotStarted" | "ImageTimeout" | "StartTimeout" | "NodeMissing" | "NodeReturned" | "NodeDown" | "NodeDrained" | "NodeUnknown" | "NodeNotReady" | "NodeNotActive" | "NoNodeReady" | "LabelUnknown" | "NoLabelledNodeReady" | "EngineFailed" | "ServiceNameTaken" | "ImageMissing" | "ImagePullFailed" | "ImageGone" | "EntrypointIgnoresArguments" | "CommandIsNotServer" | "ArgumentRefused" | "VersionUnknown" | "VersionIncompatible" | "LoginRefused" | "LoginNotTried" | "RotationFailed" | "NewCredentialsRefused" | "OldCredentialsAccepted" | "OwnAccountRefused" | "NotPrepared" | "ExternalPortUnreachable" | "VolumeMissing" | "DataReplaced" | "FirstStartInterrupted" | "VolumeNotCopied" | "DataOutsideVolume" | "VolumeInUse" | "PlacedElsewhere" | "CopyUnsupported" | "CopyServerStopped" | "CopyServerFailed" | "CopyFailed" | "CopyIncomplete" | "CopyDiffers" | "ContentNotCopied" | "Legacy" | "AppNameTaken" | "ExternalPortFailed" | "NodeLeaving" | "RestoreFailed" | "RestoreStopped" | "MoveFailed" | "RolledBack" | "RollbackFailed" | "InternalError" | "InterruptedByRestore" | "ContainersStopping" | "StopUnconfirmed" | "Starting" | "WentDown" | "StillDown" | "VolumeNotRemoved" | "VolumeKept" | "VolumeNodeMissing" | "LastManager" | "OwnNode" | "QuorumAtRisk" | "DrainPending" | "NodeDraining" | "NodeDemoting" | "TasksOnNode" | "StillManager" | "NodeRemovalTimedOut" | "AvailabilityRestored" | "AvailabilityNotRestored" | "VolumesLost" | "RegistryDown" | "RegistryLoginFailed" | "RegistryOpen" | "CollectionOnOtherNode" | "CollectionFailed" | "NothingToCollect" | "GarbageCollected" | "ApplicationMissing" | "ApplicationAmbiguous" | "ApplicationOffNetwork" | "GatewayCreating" | "GatewayChanging" | "GatewayRemoving" | "GatewayDown" | "NothingListens"

export type AdoptionFinding = "VolumeNotFound" | "VolumeForeign" | "MarkMissing" | "MarkDiffers" | "MarkUnreadable" | null

export type Adoption = {
  /** Id of the node that left the swarm */
  missingNodeId: string
  /** Host name of that node */
  missingHostname: string
  /** Id of the node that has the volumes */
  nodeId: string
  /** Host name of the node that has the volumes */
  hostname: string
  /** Whether the volumes were taken back. false: the call had no `confirm` */
  adopted: boolean
  /** All volumes that Berth has recorded on the missing node */
  volumes: {
    /** Id of the volume */
    volumeId: string
    /** Name of the Docker volume */
    name: string
    /** Kind of the database that the volume is for, such as postgres, or registry */
    kind: string
    /** appName of the service that owns the volume, or of its last owner */
    appName: string
    /** attached: a service owns it. kept: its service was removed. removing: volume.remove deletes it */
    state: "attached" | "kept" | "removing"
    /** Why the volume is not taken back. Null: it is taken back */
    finding: string | null
    /** The code of the finding, for programs. Null without a finding */
    findingCode: AdoptionFinding
  }[]
  /** The deployments that start the databases, see deployment.all */
  deploymentIds: string[]
}

export type ConditionReason = "DatabaseDown" | "RestartedOften" | "SlowStart" | "LoginRefused" | "RootRefused" | "OwnAccountMissing" | "Drifted" | "SeriesEnded" | "RunFailed" | "RunsFailed" | "ScheduleMissed" | "RunWaiting" | "DrillFailed" | "DrillsMissed" | "DumpShrunk" | "DumpIncomplete" | "CertificateExpires" | "CertificateExpired" | "RenewalFailed" | "AccountAttacked" | "AccountsAttacked" | "ClockSet" | "ClockBehind" | "ClockUnverified" | "StorageFailed" | "EngineUnavailable" | "NodeNotReady" | "VolumesFound" | "ProxyFailed" | "RegistryFailed" | "ProxyAmongContainers" | "NotInCharge" | "UpgradeUnconfirmed" | "RestoredState" | "NoStateBackup"

export type ClockReason = "ClockSet" | "ClockBehind" | "ClockUnverified" | null

export type DifferenceReason = "AsRecorded" | "OnOtherVolume" | "StoppedSince" | "StartedSince" | "RemovedSince" | "InRemoval" | "Unknown" | "LeftFromMove" | "Expiring"

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
      /** E-mail address of the account, not case-sensitive */
      email: string
      /** Password of the new account. Any characters are allowed */
      password: string
      /** Only for pages of Berth in a browser. If true, Berth puts the token into a cookie that scripts cannot read, and accessToken in the answer is empty */
      cookie?: boolean
      /** deviceToken of an earlier sign-in from this device, or an empty text to get one. Wrong passwords of other callers then do not delay this device */
      deviceToken?: string
    }, NewSession>
    /**
     * Create the account of an invitation
     *
     * Also signs in. `id` and `token` come from the answer of user.invite. An invitation can be used once, within 7 days.
     *
     * Access: The invitation or installation token, or any session or API token.
     */
    createUser: Method<{
      /** Password of the new account. Any characters are allowed */
      password: string
      /** Id of the invitation */
      id: string
      /** Token of the invitation, as user.invite answered it */
      token: string
      /** Only for pages of Berth in a browser. If true, Berth puts the token into a cookie that scripts cannot read, and accessToken in the answer is empty */
      cookie?: boolean
      /** deviceToken of an earlier sign-in from this device, or an empty text to get one. Wrong passwords of other callers then do not delay this device */
      deviceToken?: string
    }, NewSession>
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
      /** E-mail address of the account, not case-sensitive */
      email: string
      /** Password of the account */
      password: string
      /** Only for pages of Berth in a browser. If true, Berth puts the token into a cookie that scripts cannot read, and accessToken in the answer is empty */
      cookie?: boolean
      /** deviceToken of an earlier sign-in from this device, or an empty text to get one. Wrong passwords of other callers then do not delay this device */
      deviceToken?: string
    }, NewSession | {
      /** Always true: the sign-in needs a code */
      twoFactorRequired: true
      /** Id of the account, for auth.verifyLogin2FA */
      id: string
      /** Shown once. The bearer token for auth.verifyLogin2FA; other calls refuse it */
      challengeToken: string
      /** When the challengeToken expires, 5 minutes after this call */
      expiresAt: string
    }>
    /**
     * End the session that this call is made with
     *
     * Other sessions and the API tokens of the account stay. If the session is in a cookie, the answer removes the cookie.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    logout: OptionalMethod<Record<string, never>, {
      /** Id of the account */
      accountId: string
      /** Type of the token that has ended */
      kind: "session"
      /** When the session ended */
      endedAt: string
    }>
    /**
     * Read an account; only administrators can read accounts other than their own
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the account */
      id: string
    }, Auth>
    /**
     * Verify the token of this call and read its account and rights
     *
     * Access: Every account, with a session or any API token.
     */
    verifyToken: OptionalMethod<Record<string, never>, {
      /** Always true: a call with an invalid token answers 401 */
      valid: true
      /** Id of the account */
      accountId: string
      /** Role of the account. admin: all operations. user: projects, databases, backups and applications, and its own account */
      rol: "admin" | "user"
      /** Type of the token: a session or an API token */
      kind: "session" | "api"
      /** Scope of an API token; null for a session */
      scope: "read" | "deploy" | "admin" | null
      /** When the token expires. Null: it is valid until it is replaced or revoked */
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
      /** E-mail address of the account, not case-sensitive */
      email: string
      /** Password of the account */
      password: string
      /** A code from the authenticator app, which can be used once, or a recovery code */
      code?: string
      /** Only for pages of Berth in a browser. If true, Berth puts the token into a cookie that scripts cannot read, and accessToken in the answer is empty */
      cookie?: boolean
      /** deviceToken of an earlier sign-in from this device, or an empty text to get one. Wrong passwords of other callers then do not delay this device */
      deviceToken?: string
    }, NewSession>
    /**
     * Change your own account
     *
     * A new password ends all your other sessions and API tokens. `is2FAEnabled: false` turns the second factor off, like auth.disable2FA. This, a new e-mail and a new password need a session that signed in within the last 10 minutes, or `currentPassword` and, if the second factor is on, `code`.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    update: Method<{
      /** New e-mail address of the account. Null keeps the present one */
      email: string | null
      /** New password of the account. Null or the mask ******** keeps the present one */
      password: string | null
      /** Cannot be changed here: leave it out, or send your present role */
      rol?: "admin" | "user"
      /** URL of a picture of the person. Empty: none */
      image?: string
      /** Set by auth.verify2FASetup, not here: leave it out, or send null or the mask ******** */
      secret?: string | null
      /** Set by auth.generateToken, not here: leave it out, or send null or the mask ******** */
      token?: string | null
      /** False turns the second factor off. True is accepted only if it is on */
      is2FAEnabled?: boolean
      /** Cannot be changed: leave it out, or send the value of the record */
      createdAt?: string
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
      /** Id of your account; no other is accepted */
      id?: string
      /** Whether to revoke all your API tokens. If omitted, a new password revokes them and other changes do not */
      revokeTokens?: boolean
    }, Auth>
    /**
     * Change any account, including its role
     *
     * A new password or role ends the sessions of the account, except the one of this call. A new password also revokes its API tokens. `is2FAEnabled: false` turns off a lost second factor. The role of the last administrator cannot be changed. A new e-mail, password or administrator, and turning off a second factor, need a session that signed in within the last 10 minutes, or your own `currentPassword` and, if your second factor is on, `code`.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    updateByAdmin: Method<{
      /** Id of the account */
      id: string
      /** New e-mail address of the account. Null keeps the present one */
      email: string | null
      /** New password of the account. Null or the mask ******** keeps the present one */
      password: string | null
      /** Role of the account. admin: all operations. user: projects, databases, backups and applications, and its own account */
      rol?: "admin" | "user"
      /** URL of a picture of the person. Empty: none */
      image?: string
      /** Set by auth.verify2FASetup, not here: leave it out, or send null or the mask ******** */
      secret?: string | null
      /** Set by auth.generateToken, not here: leave it out, or send null or the mask ******** */
      token?: string | null
      /** False turns the second factor off. True is accepted only if it is on */
      is2FAEnabled?: boolean
      /** Cannot be changed: leave it out, or send the value of the record */
      createdAt?: string
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
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
      /** The secret in base32, 160 bits. Berth does not store it yet */
      secret: string
      /** The secret as a URL otpauth://totp/…, which authenticator apps accept */
      otpauthUrl: string
      /** The otpauthUrl as a QR code: a data URL of an SVG */
      qrCode: string
    }>
    /**
     * Turn on the second factor with a secret and a code
     *
     * Ends your other sessions. Keep the recovery codes: each can replace a code of the app once. Needs a session that signed in within the last 10 minutes, or `currentPassword`.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    verify2FASetup: Method<{
      /** Present code of the authenticator app */
      pin: string
      /** Secret from auth.generate2FASecret, or your own: base32, at least 160 bits (32 characters) */
      secret: string
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
      currentPassword?: string
    }, {
      /** Id of the account */
      id: string
      /** E-mail address of the account */
      email: string
      /** Always null: Berth stores only a hash of the password */
      password: null
      /** Role of the account. admin: all operations. user: projects, databases, backups and applications, and its own account */
      rol: "admin" | "user"
      /** URL of a picture of the person; empty: none */
      image: string
      /** Always null: the secret of the authenticator app is never answered */
      secret: null
      /** Always null: Berth stores only hashes of API tokens */
      token: null
      /** Whether a sign-in needs a code of an authenticator app in addition to the password */
      is2FAEnabled: boolean
      /** When the record was created: ISO 8601 in UTC, like all times in answers */
      createdAt: string
      /** Ten recovery codes, shown once */
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
      /** Code of six digits from the authenticator app, or a recovery code. Spaces are ignored */
      pin: string
      /** Id of the account that auth.login answered */
      id: string
      /** Only for pages of Berth in a browser. If true, Berth puts the token into a cookie that scripts cannot read, and accessToken in the answer is empty */
      cookie?: boolean
      /** deviceToken of an earlier sign-in from this device, or an empty text to get one. Wrong passwords of other callers then do not delay this device */
      deviceToken?: string
    }, NewSession>
    /**
     * Turn off the second factor
     *
     * Needs a session that has passed the second factor. The recovery codes become invalid. Needs a session that signed in within the last 10 minutes, or `currentPassword` and, if the second factor is on, `code`.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    disable2FA: OptionalMethod<{
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
    }, Auth>
    /**
     * Create an API token with a name, a scope and an optional expiry
     *
     * Needs a session that signed in within the last 10 minutes, or `currentPassword` and, if the second factor is on, `code`.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    createToken: Method<{
      /** Name of the token, such as pipeline. You can have one token of each name */
      name: string
      /** read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, and run backups and drills. admin: every operation that your role permits, except those that need a session */
      scope: "read" | "deploy" | "admin"
      /** When the token expires, such as 2030-01-31T12:00:00Z. If omitted, it is valid until it is revoked */
      expiresAt?: string
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
    }, {
      /** Id of the token */
      tokenId: string
      /** Name of the token. Null if auth.generateToken created the token */
      name: string | null
      /** read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, and run backups and drills. admin: every operation that your role permits, except those that need a session */
      scope: "read" | "deploy" | "admin"
      /** When the record was created: ISO 8601 in UTC, like all times in answers */
      createdAt: string
      /** Time of the last call, accurate to ten minutes */
      lastUsedAt: string
      /** When the token expires. Null: it is valid until it is revoked */
      expiresAt: string | null
      /** The token, which begins with berth_api_. Only this answer contains it */
      token: string
    }>
    /**
     * Create an unnamed API token and revoke the previous one
     *
     * The token is meant for scripts. It has the scope admin and does not expire. Only this answer contains the token. The previous token of this operation is revoked. To create a token with a narrower scope, call auth.createToken. Needs a session that signed in within the last 10 minutes, or `currentPassword` and, if the second factor is on, `code`.
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    generateToken: OptionalMethod<{
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
    }, {
      /** The token, which begins with berth_api_. Only this answer contains it */
      token: string
    }>
    /**
     * End one of your sessions
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    revokeSession: Method<{
      /** Id of the session */
      sessionId: string
    }, AuthRevokeSession>
    /**
     * Revoke one of your API tokens
     *
     * Access: Every account, with a session. API tokens are not accepted.
     */
    revokeToken: Method<{
      /** Id of the token */
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
      /** Id of the account */
      authId: string
    }, User>
    /**
     * Read a user by userId; only administrators can read accounts other than their own
     *
     * Access: Every account, with a session or any API token.
     */
    byUserId: Method<{
      /** Id of the user */
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
     * Give `id` and `token` to the invited person. auth.createUser accepts them once, within 7 days. A new invitation replaces an earlier one for the same e-mail. The invitation of an administrator needs a session that signed in within the last 10 minutes, or `currentPassword` and, if your second factor is on, `code`.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    invite: Method<{
      /** E-mail address of the invited person */
      email: string
      /** Role that the account will have. admin: all operations. user: all except administration */
      rol?: "admin" | "user"
      /** Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within the last 10 minutes */
      currentPassword?: string
      /** With currentPassword, if your second factor is on: a code from the app, or a recovery code */
      code?: string
    }, {
      /** Id of the invitation */
      id: string
      /** E-mail address that the account will have */
      email: string
      /** Role that the account will have. admin: all operations. user: all except administration */
      rol: "admin" | "user"
      /** Id of the account of the administrator who invited */
      invitedBy: string
      /** When the record was created: ISO 8601 in UTC, like all times in answers */
      createdAt: string
      /** When the invitation expires, 7 days after it was created */
      expiresAt: string
      /** Token of the invitation, for auth.createUser. Only this answer contains it */
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
      /** Id of the user */
      userId: string
    }, User>
    /**
     * Revoke an invitation
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    revokeInvitation: Method<{
      /** Id of the invitation */
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
      /** Name of the project. Several projects may have the same name */
      name: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
    }, Project>
    /**
     * Read a project with its services
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the project */
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
      /** Id of the project */
      projectId: string
      /** If true, the services of the project are removed too. Default: false */
      cascade?: boolean
    }, Project>
    /**
     * Change the name or the description of a project
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the project */
      projectId: string
      /** Name of the project. Several projects may have the same name */
      name: string
      /** Text for people; Berth does not use it. Null: no text */
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
      /** Display name, such as orders. Several services may have the same name */
      name: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId: string
      /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
      databaseName: string
      /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser: string
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword: string
      /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databaseRootPassword: string
      /** Image of the server, such as mariadb:6 or registry.example.com/team/mariadb:6 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
    }, Mariadb>
    /**
     * Read a MariaDB service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords, and so does every call with masked=true. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** If true, the passwords in the answer are masked, and the read is not recorded in the audit log */
      masked?: boolean
    }, Mariadb>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Mariadb>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
    }, Mariadb>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
    }, Mariadb>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** The appName of the service, to confirm that it is to restart */
      appName: string
    }, Mariadb>
    /**
     * Restart the service in its maintenance mode to make Berth's own account again, then as usual
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    regainAccount: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** The appName of the service, to confirm that it is to restart twice */
      confirm: string
    }, Mariadb>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort: number | null
    }, Mariadb>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** If true, delete the volume and its data too. Default: the volume is kept, see volume.all */
      removeData?: boolean
    }, Mariadb>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
    }, Mariadb>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Mariadb>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** Display name, such as orders. Several services may have the same name */
      name?: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName?: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId?: string
      /** Image of the server, such as mariadb:6 or registry.example.com/team/mariadb:6 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
      /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
      databaseName?: string
      /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser?: string
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword?: string
      /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databaseRootPassword?: string
    }, Mariadb>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts and roles are copied with their passwords and settings. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
      /** Id or host name of the new node */
      node: string
    }, Mariadb>
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
      /** Id of the MariaDB service */
      mariadbId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, LogLine[]>
    /**
     * Measure the CPU, memory and disk use of a MariaDB service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      /** Id of the MariaDB service */
      mariadbId: string
    }, Stats>
  }
  mysql: {
    /**
     * Create a MySQL service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name, such as orders. Several services may have the same name */
      name: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId: string
      /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
      databaseName: string
      /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser: string
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword: string
      /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databaseRootPassword: string
      /** Image of the server, such as mysql:8 or registry.example.com/team/mysql:8 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
    }, Mysql>
    /**
     * Read a MySQL service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords, and so does every call with masked=true. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** If true, the passwords in the answer are masked, and the read is not recorded in the audit log */
      masked?: boolean
    }, Mysql>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Mysql>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
    }, Mysql>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      /** Id of the MySQL service */
      mysqlId: string
    }, Mysql>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** The appName of the service, to confirm that it is to restart */
      appName: string
    }, Mysql>
    /**
     * Restart the service in its maintenance mode to make Berth's own account again, then as usual
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    regainAccount: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** The appName of the service, to confirm that it is to restart twice */
      confirm: string
    }, Mysql>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort: number | null
    }, Mysql>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** If true, delete the volume and its data too. Default: the volume is kept, see volume.all */
      removeData?: boolean
    }, Mysql>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
    }, Mysql>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Mysql>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** Display name, such as orders. Several services may have the same name */
      name?: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName?: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId?: string
      /** Image of the server, such as mysql:8 or registry.example.com/team/mysql:8 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
      /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
      databaseName?: string
      /** User with all rights on the database. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser?: string
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword?: string
      /** Password of the user root. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databaseRootPassword?: string
    }, Mysql>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts and roles are copied with their passwords and settings. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      /** Id of the MySQL service */
      mysqlId: string
      /** Id or host name of the new node */
      node: string
    }, Mysql>
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
      /** Id of the MySQL service */
      mysqlId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, LogLine[]>
    /**
     * Measure the CPU, memory and disk use of a MySQL service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      /** Id of the MySQL service */
      mysqlId: string
    }, Stats>
  }
  postgres: {
    /**
     * Create a PostgreSQL service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name, such as orders. Several services may have the same name */
      name: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy. Empty: create derives it from name, update keeps it */
      appName: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId: string
      /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
      databaseName: string
      /** Superuser with which clients log in. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser: string
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword: string
      /** Image of the server, such as postgres:15 or registry.example.com/team/postgres:15 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
    }, Postgres>
    /**
     * Read a PostgreSQL service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords, and so does every call with masked=true. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** If true, the passwords in the answer are masked, and the read is not recorded in the audit log */
      masked?: boolean
    }, Postgres>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Postgres>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
    }, Postgres>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
    }, Postgres>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** The appName of the service, to confirm that it is to restart */
      appName: string
    }, Postgres>
    /**
     * Restart the service in its maintenance mode to make Berth's own account again, then as usual
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    regainAccount: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** The appName of the service, to confirm that it is to restart twice */
      confirm: string
    }, Postgres>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort: number | null
    }, Postgres>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** If true, delete the volume and its data too. Default: the volume is kept, see volume.all */
      removeData?: boolean
    }, Postgres>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
    }, Postgres>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Postgres>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** Display name, such as orders. Several services may have the same name */
      name?: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy. Empty: create derives it from name, update keeps it */
      appName?: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId?: string
      /** Image of the server, such as postgres:15 or registry.example.com/team/postgres:15 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
      /** Name of the database that the first deploy creates. After a change, the next deploy creates a database with the new name if there is none, and keeps the old one */
      databaseName?: string
      /** Superuser with which clients log in. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser?: string
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword?: string
    }, Postgres>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts and roles are copied with their passwords and settings. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
      /** Id or host name of the new node */
      node: string
    }, Postgres>
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
      /** Id of the PostgreSQL service */
      postgresId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, LogLine[]>
    /**
     * Measure the CPU, memory and disk use of a PostgreSQL service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      /** Id of the PostgreSQL service */
      postgresId: string
    }, Stats>
  }
  mongo: {
    /**
     * Create a MongoDB service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name, such as orders. Several services may have the same name */
      name: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId: string
      /** User with the role root, in the database admin. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser: unknown & unknown
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword: unknown & unknown
      /** Name of the replica set of one member that the server becomes, for transactions and change streams. Null: none. Once a deploy has made the set, its name cannot change, because the data of a set can only be read as a set */
      replicaSet?: string | null
      /** Image of the server, such as mongo:15 or registry.example.com/team/mongo:15 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
    }, Mongo>
    /**
     * Read a MongoDB service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords, and so does every call with masked=true. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** If true, the passwords in the answer are masked, and the read is not recorded in the audit log */
      masked?: boolean
    }, Mongo>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Mongo>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
    }, Mongo>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      /** Id of the MongoDB service */
      mongoId: string
    }, Mongo>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** The appName of the service, to confirm that it is to restart */
      appName: string
    }, Mongo>
    /**
     * Restart the service in its maintenance mode to make Berth's own account again, then as usual
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    regainAccount: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** The appName of the service, to confirm that it is to restart twice */
      confirm: string
    }, Mongo>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort: number | null
    }, Mongo>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** If true, delete the volume and its data too. Default: the volume is kept, see volume.all */
      removeData?: boolean
    }, Mongo>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
    }, Mongo>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Mongo>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** Display name, such as orders. Several services may have the same name */
      name?: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName?: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId?: string
      /** Image of the server, such as mongo:15 or registry.example.com/team/mongo:15 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
      /** User with the role root, in the database admin. After a change, the next deploy creates a user with equal rights, and the old one can no longer log in */
      databaseUser?: unknown & unknown
      /** Password of databaseUser. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword?: unknown & unknown
      /** Name of the replica set of one member that the server becomes, for transactions and change streams. Null: none. Once a deploy has made the set, its name cannot change, because the data of a set can only be read as a set */
      replicaSet?: string | null
    }, Mongo>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts and roles are copied with their passwords and settings. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      /** Id of the MongoDB service */
      mongoId: string
      /** Id or host name of the new node */
      node: string
    }, Mongo>
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
      /** Id of the MongoDB service */
      mongoId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, LogLine[]>
    /**
     * Measure the CPU, memory and disk use of a MongoDB service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      /** Id of the MongoDB service */
      mongoId: string
    }, Stats>
  }
  redis: {
    /**
     * Create a Redis service; deploy starts it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name, such as orders. Several services may have the same name */
      name: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId: string
      /** Password of the user default. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword: string
      /** Image of the server, such as redis:8 or registry.example.com/team/redis:8 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
    }, Redis>
    /**
     * Read a Redis service with its passwords and connection URLs
     *
     * API tokens of scope read or deploy receive masked passwords, and so does every call with masked=true. Reads of unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the Redis service */
      redisId: string
      /** If true, the passwords in the answer are masked, and the read is not recorded in the audit log */
      masked?: boolean
    }, Redis>
    /**
     * Start the service with the configuration of the record, or change the running service to it
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    deploy: Method<{
      /** Id of the Redis service */
      redisId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
      /** If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes. */
      pull?: boolean
    }, Redis>
    /**
     * Start a stopped service with its last deployed configuration
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    start: Method<{
      /** Id of the Redis service */
      redisId: string
      /** If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then accepts the data on the volume as the service's data. API tokens need the scope admin for this. */
      acceptNewData?: boolean
      /** If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this. */
      anew?: boolean
    }, Redis>
    /**
     * Stop the service; keep its record and its data
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    stop: Method<{
      /** Id of the Redis service */
      redisId: string
    }, Redis>
    /**
     * Restart the service with the configuration of the record
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    reload: Method<{
      /** Id of the Redis service */
      redisId: string
      /** The appName of the service, to confirm that it is to restart */
      appName: string
    }, Redis>
    /**
     * Restart the service in its maintenance mode to make Berth's own account again, then as usual
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    regainAccount: Method<{
      /** Id of the Redis service */
      redisId: string
      /** The appName of the service, to confirm that it is to restart twice */
      confirm: string
    }, Redis>
    /**
     * Open, change or close the external port on the node, without a restart of the database
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveExternalPort: Method<{
      /** Id of the Redis service */
      redisId: string
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort: number | null
    }, Redis>
    /**
     * Remove the service; keep its volume unless removeData is true
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    remove: Method<{
      /** Id of the Redis service */
      redisId: string
      /** If true, delete the volume and its data too. Default: the volume is kept, see volume.all */
      removeData?: boolean
    }, Redis>
    /**
     * Store environment variables; the next deploy or reload applies them
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    saveEnvironment: Method<{
      /** Id of the Redis service */
      redisId: string
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
    }, Redis>
    /**
     * Overwrite applicationStatus until Berth records the next one
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    changeStatus: Method<{
      /** Id of the Redis service */
      redisId: string
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus: "idle" | "running" | "done" | "error"
    }, Redis>
    /**
     * Change the record; the next deploy or reload applies it
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the Redis service */
      redisId: string
      /** Display name, such as orders. Several services may have the same name */
      name?: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy */
      appName?: string
      /** Id of the project of the service. Another id in an update moves the service there */
      projectId?: string
      /** Image of the server, such as redis:8 or registry.example.com/team/redis:8 */
      dockerImage?: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
      /** Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. The entry point of the image gets them in place of its command. An image without an entry point gets them after the program of its command. Nothing is expanded. Null: no arguments */
      command?: string | null
      /** Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read the service can read them */
      env?: string | null
      /** MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none */
      memoryReservation?: number | null
      /** MiB of memory that the container can use at most. Null: no limit */
      memoryLimit?: number | null
      /** Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none */
      cpuReservation?: number | null
      /** Cores that the container can use at most. 0.5: half a core. Null: no limit */
      cpuLimit?: number | null
      /** Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside */
      externalPort?: number | null
      /** Minutes that a start may take until the server is ready, including the initialization or the recovery of its data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth waits as long as the container lives */
      startTimeout?: number | null
      /** idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: see statusReason. A status that a call has set is shown until Berth records the next one */
      applicationStatus?: "idle" | "running" | "done" | "error"
      /** Cannot change. Update accepts only the value of the record; create refuses every value. */
      createdAt?: string
      /** Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change afterwards */
      node?: string | null
      /** Instead of node: a label that the node must have, such as disk=ssd. Null: none */
      nodeLabel?: unknown & unknown | null
      /** Password of the user default. Empty: Berth makes a random one. The next deploy sets a changed one in the running server, whose sessions stay open. Only `one` answers it; other answers contain ********, and an update with ******** keeps it */
      databasePassword?: string
    }, Redis>
    /**
     * Move the service with its data to another node
     *
     * The database is unavailable during the copy. Berth stops the service, dumps each database of its server, restores the dumps into a server on a new volume on the other node, and compares both servers. If they are equal, the service starts on the new volume. Its name and its external port stay the same, and the port is then open on the new node. Accounts other than those of the record cannot be copied. Before Berth stops the service, it checks whether the server contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. If the copy fails, the service starts on its old volume again, and the deployment ends in error. After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a deployment of the service are refused with CONFLICT.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    move: Method<{
      /** Id of the Redis service */
      redisId: string
      /** Id or host name of the new node */
      node: string
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
      /** Id of the Redis service */
      redisId: string
      /** Number of the newest lines to return */
      tail?: number
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
      /** If true, the response stays open and also sends new lines */
      follow?: boolean
    }, LogLine[]>
    /**
     * Measure the CPU, memory and disk use of a Redis service
     *
     * Takes one to two seconds, plus the time to count the files on the volume.
     *
     * Access: Every account, with a session or any API token.
     */
    stats: Method<{
      /** Id of the Redis service */
      redisId: string
    }, Stats>
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
      /** Only databases with this text in their name or appName, ignoring case */
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
      /** Id of the kept volume */
      volumeId: string
    }, Volume>
    /**
     * Create a service on a kept volume, with the credentials of its data; deploy starts the service
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    restore: Method<{
      /** Id of the kept volume */
      volumeId: string
      /** Display name, such as orders. Several services may have the same name */
      name: string
      /** Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and underscores. No other service has this name. It cannot change after the first deploy. Empty: Berth derives it from name */
      appName?: string
      /** Id of the project of the new service */
      projectId: string
      /** Text for people; Berth does not use it. Null: no text */
      description?: string | null
      /** Image whose server can open the volume's files. Default: the image that the volume was last used with. */
      dockerImage?: string
      /** Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to dockerImage, which must not name a registry itself. */
      registryId?: string
    }, Mariadb | Mysql | Postgres | Mongo | Redis>
    /**
     * Deploy a new service with a copy of the volume of another system
     *
     * Create the service first, with the image, the names and the passwords of the old server, and do not deploy it. This call copies the data of the volume to a new volume on the same node, and then deploys the service on the copy. The deployment succeeds if the server opens the data and accepts the passwords. The volume itself is mounted read-only and stays as it is. Stop the old server first: Berth refuses a volume that is in use, and a copy during which files changed. If the deployment fails, correct the record with update and call deploy: the copy is made only once.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    adopt: Method<{
      /** Name of the Docker volume that is copied. No installation of Berth has created it */
      volume: string
      /** Id of the new service, which was never deployed */
      databaseId: string
      /** Id or host name of the node with the volume. Default: the only node that has it */
      node?: string
    }, Mariadb | Mysql | Postgres | Mongo | Redis>
  }
  backup: {
    /**
     * Create a backup, which dumps a database on a schedule
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    create: Method<{
      /** When to dump: a cron expression with five fields, such as `0 3 * * *` for every day at three, or a name such as @daily */
      schedule: string
      /** Whether the schedules are active. Left out or null: true on create, unchanged on update */
      enabled?: boolean | null
      /** The beginning of the keys of the dumps in the bucket, such as nightly or team/nightly */
      prefix: string
      /** The destination that dumps are uploaded to */
      destinationId: string
      /** The name of the database within the server. In a backup of Redis, which has all of them: `all` */
      database: string
      /** Kind of the service. Send the id of the service in the field of this kind */
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
      /** The age recipient that dumps are encrypted for. null: dumps are not encrypted. `installation`: Berth can decrypt the dumps itself; export its identity first (`berth key export-backup-identity`). `age1…`: only the owner of that identity can decrypt the dumps, and backup.verify refuses them */
      recipient?: string | null
      /** A URL that Berth calls with GET after each good dump, so that a monitor notices missing calls. null: none */
      signalUrl?: string | null
    }, Backup>
    /**
     * Create a backup of Redis, which dumps all databases of a server on a schedule
     *
     * A dump has all databases of the server, so this operation has no field for a name. `database` of the answer is all. backup.update changes the backup, with the same value.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    createRedis: Method<{
      /** When to dump: a cron expression with five fields, such as `0 3 * * *` for every day at three, or a name such as @daily */
      schedule: string
      /** Whether the schedules are active. Left out or null: true on create, unchanged on update */
      enabled?: boolean | null
      /** The beginning of the keys of the dumps in the bucket, such as nightly or team/nightly */
      prefix: string
      /** The destination that dumps are uploaded to */
      destinationId: string
      /** Id of the Redis service */
      redisId: string
      /** The time zone of the schedules, such as Europe/Berlin. Default on create: UTC */
      timezone?: string
      /** When to verify the last good dump, in the format of schedule. See backup.verify. null: never */
      verifySchedule?: string | null
      /** Keep this number of the newest good dumps. null: no such rule. If no rule is set, all dumps are kept */
      keepLatest?: number | null
      /** Keep good dumps for this number of days. The newest good dump is always kept. null: no such rule */
      keepDays?: number | null
      /** The age recipient that dumps are encrypted for. null: dumps are not encrypted. `installation`: Berth can decrypt the dumps itself; export its identity first (`berth key export-backup-identity`). `age1…`: only the owner of that identity can decrypt the dumps, and backup.verify refuses them */
      recipient?: string | null
      /** A URL that Berth calls with GET after each good dump, so that a monitor notices missing calls. null: none */
      signalUrl?: string | null
    }, Backup>
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
     * Read a backup
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the backup */
      backupId: string
    }, Backup>
    /**
     * Read the age recipient of this installation, and when its identity was exported
     *
     * Dumps with the recipient `installation` are encrypted for this recipient. Both fields are null until `berth key export-backup-identity` was run on the machine of Berth. Only this command outputs the identity. `age -d -i FILE` decrypts the dumps with the exported file, without Berth.
     *
     * Access: Every account, with a session or any API token.
     */
    installationRecipient: OptionalMethod<Record<string, never>, {
      /** The public age recipient, age1…; null before the first export */
      recipient: string | null
      /** When the identity was last exported; null: never */
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
      /** Id of the backup */
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
      /** Id of the backup */
      backupId: string
      /** When to dump: a cron expression with five fields, such as `0 3 * * *` for every day at three, or a name such as @daily */
      schedule: string
      /** Whether the schedules are active. Left out or null: true on create, unchanged on update */
      enabled?: boolean | null
      /** The beginning of the keys of the dumps in the bucket, such as nightly or team/nightly */
      prefix: string
      /** The destination that dumps are uploaded to */
      destinationId: string
      /** The name of the database within the server. In a backup of Redis, which has all of them: `all` */
      database: string
      /** The time zone of the schedules, such as Europe/Berlin. Default on create: UTC */
      timezone?: string
      /** When to verify the last good dump, in the format of schedule. See backup.verify. null: never */
      verifySchedule?: string | null
      /** Keep this number of the newest good dumps. null: no such rule. If no rule is set, all dumps are kept */
      keepLatest?: number | null
      /** Keep good dumps for this number of days. The newest good dump is always kept. null: no such rule */
      keepDays?: number | null
      /** The age recipient that dumps are encrypted for. null: dumps are not encrypted. `installation`: Berth can decrypt the dumps itself; export its identity first (`berth key export-backup-identity`). `age1…`: only the owner of that identity can decrypt the dumps, and backup.verify refuses them */
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
      /** Id of the backup */
      backupId: string
    }, Run>
    /**
     * Dump the MySQL database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupMySql: Method<{
      /** Id of the backup */
      backupId: string
    }, Run>
    /**
     * Dump the PostgreSQL database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupPostgres: Method<{
      /** Id of the backup */
      backupId: string
    }, Run>
    /**
     * Dump the MongoDB database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupMongo: Method<{
      /** Id of the backup */
      backupId: string
    }, Run>
    /**
     * Dump the Redis database of a backup now
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    manualBackupRedis: Method<{
      /** Id of the backup */
      backupId: string
    }, Run>
    /**
     * List the runs of backups, also of one backup or service
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
      /** Only runs with this status */
      status?: "running" | "done" | "error" | "skipped"
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
    }, Run[]>
    /**
     * Read the manifest of a dump: what it contains
     *
     * Answers the manifest that Berth has stored beside the record of the run. The same manifest is beside the dump in the bucket, and backup.verify compares both.
     *
     * Access: Every account, with a session or any API token.
     */
    manifest: Method<{
      /** Id of the run of a good dump */
      runId: string
    }, {
      /** Id of the run */
      runId: string
      /** Key of the dump in the bucket */
      key: string
      /** Kind of the dumped service */
      databaseType: "mariadb" | "mysql" | "postgres" | "mongo" | "redis"
      /** Name of the dumped service at the time of the dump */
      appName: string
      /** Image of the dumped service */
      image: string
      /** Version of the server; null if it is unknown */
      serverVersion: string | null
      /** How the server was started. A drill, and by default a restore into a new service, start theirs in the same way. Null for a dump of an older version of Berth */
      server: {
        /** Digest of the image; null: the image has none in a registry */
        imageDigest: string | null
        /** Arguments of the server; null: none */
        command: string | null
        /** Reserved memory in MiB; null: none */
        memoryReservation: number | null
        /** Limit of the memory in MiB; null: none */
        memoryLimit: number | null
        /** Reserved cores; null: none */
        cpuReservation: number | null
        /** Limit of the cores; null: none */
        cpuLimit: number | null
        /** External port; null: none */
        externalPort: number | null
        /** Names of the variables that the owner set */
        envNames: string[]
        /** Names of the settings of the database itself, such as those of ALTER DATABASE in PostgreSQL */
        databaseSettingNames: string[]
      } | null
      /** Redis or Valkey, as the server wrote into the dump; null for other kinds */
      product: string | null
      /** Name of the database within the server */
      database: string
      /** When the dump began */
      startedAt: string
      /** When the dump was complete in the bucket */
      finishedAt: string
      /** Size of the object as stored */
      sizeBytes: number
      /** Size of the dump before compression */
      rawBytes: number
      /** SHA-256 checksum of the object as stored */
      sha256: string
      /** The age recipient; null: the object is not encrypted */
      encryptedFor: string | null
      /** Number of rows in all tables and collections */
      rowCount: number
      /** Number of tables and collections */
      tableCount: number
      /** The tables and collections with the most rows, at most 1,000 */
      tables: {
        /** Name of the table or collection, or type of the objects. Redis: number of the database and type of the keys */
        name: string
        /** Number of rows, or of objects */
        rows: number
        /** Checksum of the contents, without regard to their order */
        checksum: string
      }[]
      /** All other objects by type, such as views and indexes */
      objects: {
        /** Name of the table or collection, or type of the objects. Redis: number of the database and type of the keys */
        name: string
        /** Number of rows, or of objects */
        rows: number
        /** Checksum of the contents, without regard to their order */
        checksum: string
      }[]
      /** What a person should know about the dump, at most 1,000 findings */
      findings: DumpFinding[]
      /** Other databases of the server that objects of the dump need */
      needs: string[]
      /** The roles that the dump names but does not contain. Null if dumps of this kind need no roles */
      roles: string[] | null
    }>
    /**
     * Download a dump
     *
     * Answers the object of the dump as a file. Berth compares it with the checksum of the run while it sends the file, and breaks the connection before the end if they differ. A file that arrived completely is correct. The file as stored has the header Repr-Digest with its SHA-256 checksum. A decrypted file is still compressed with zstd. The read is recorded in the audit log, because a dump contains all data of the database.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    download: FileMethod<{
      /** Id of the run of a good dump */
      runId: string
      /** `decrypted`: an encrypted dump is decrypted. Berth must have its identity */
      form?: "stored" | "decrypted"
    }>
    /**
     * Make a URL by which anyone can download a dump from the storage, for a limited time
     *
     * The URL is pre-signed: it needs no token and no access key. Berth has read the first byte by it. It names the endpoint of the destination, so it works where that can be reached. It cannot be taken back before it expires, except by revoking the access key at the storage. The audit log records the call without the URL.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    url: Method<{
      /** Id of the run of a good dump */
      runId: string
      /** For how long the URL is valid */
      seconds?: number
    }, {
      /** Id of the run */
      runId: string
      /** The URL of the object as stored. A secret until it expires */
      url: string
      /** When the URL expires, by the clock of the storage */
      expiresAt: string
      /** Whether the object is encrypted with age */
      encrypted: boolean
      /** Size of the object */
      sizeBytes: number
      /** SHA-256 checksum of the object */
      sha256: string
    }>
    /**
     * Say which dump a restore takes by default, and which safety dump undoes the last restore
     *
     * Clients ask this before a restore, and restore the `runId` of the answer. `newest` is never a safety dump, so a repeated restore takes the same dump. A restore loses what changed after `startedAt` of its dump. Give either serviceId or backupId.
     *
     * Access: Every account, with a session or any API token.
     */
    restorable: OptionalMethod<{
      /** The service whose dumps are meant */
      serviceId?: string
      /** The backup whose dumps are meant. `undo` is that of its service */
      backupId?: string
    }, {
      /** The newest good dump that is not a safety dump; null: there is none */
      newest: Run | null
      /** The safety dump that the last restore into this service made before it replaced the data; null: see noUndo */
      undo: Run | null
      /** Why `undo` is null; null: it is not */
      noUndo: {
        /** NothingReplaced: no restore has replaced the data. NotMade: the last restore made no safety dump. SafetyDumpDeleted: its safety dump had expired and was deleted */
        reason: "NothingReplaced" | "NotMade" | "SafetyDumpDeleted"
        /** The reason as a sentence, with what to do */
        message: string
      } | null
    }>
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
      /** Maximum number of objects on a page */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, {
      /** Key of the object in the bucket */
      key: string
      /** Size of the object in bytes */
      sizeBytes: number
      /** When the object was written; null if the storage does not say */
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
      /** Id of the run */
      runId: string
    }, Run>
    /**
     * Verify a dump: restore it into a scratch server and compare the contents
     *
     * Verifies the last good dump of the backup, or the dump of `runId`. The scratch server is deleted at the end. No database is changed, so an API token needs only the scope deploy. `verification` of the answer is notVerifiable if a scratch server cannot have what the dump needs, such as another database.
     *
     * Access: Every account, with a session or an API token of scope deploy or admin.
     */
    verify: Method<{
      /** Id of the backup */
      backupId: string
      /** The run of a good dump. Default: the last good dump of the backup */
      runId?: string
    }, Run>
    /**
     * Restore a dump into a new service, or into an existing one after a safety dump of it
     *
     * Give the dump by `runId`, or by `key` with `backupId` or `destinationId`. To restore into an existing service, give its id, and its appName as `confirm`: its data is replaced, and a stopped service is started. To restore into a new service, give `appName` only; the service gets a new password, and the command, variables and limits of the dumped one. `notCarriedOver` of the answer lists what it does not get. The answer is the run of the restore. Whatever fails, a database has its previous data or that of the dump afterwards, and `data` of the run says which. The call is refused if the node has no room for both. `dump` of the answer says which dump is loaded: what changed after its `startedAt` is lost. To undo the restore, restore the dump of its `safetyRunId`, which `backup.restorable` answers as `undo`.
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
      /** The Redis service. Leave out the ids of other kinds */
      redisId?: string | null
      /** The appName of the existing service, to confirm that its data will be replaced */
      confirm?: string
      /** The appName of a new service. Leave out if you give an existing service */
      appName?: string
      /** The project of the new service. Default: the project of the dumped service */
      projectId?: string
      /** What a new service takes over besides image and names. dumped, the default: the command, variables and limits of the dumped service. default: none of these. The settings of the database itself are restored in both cases */
      configuration?: "dumped" | "default"
      /** The name of the database to restore into. Default: the name of the dumped database */
      database?: string
      /** The age identity that decrypts the dump. Required if the dump is encrypted for a recipient other than this installation. Berth stores the identity sealed until the run ends */
      identity?: string
      /** Restore although the server lacks databases that objects of the dump need (`needs` of the dump). Views that need them are left out. Foreign keys, triggers, routines and events are restored, and fail when they are used */
      withoutNeeds?: boolean
      /** Make no safety dump. Use this only if the database cannot be read any more */
      skipSafetyDump?: boolean
    }, Run>
    /**
     * Accept that the dumps of a backup have less than half of their earlier content
     *
     * While `shrunk` of a backup is set, retention keeps all dumps older than the first dump that shrank. This call clears `shrunk`. From the next good dump on, retention deletes the older dumps again. Check the database first, because its data may have been lost.
     *
     * Access: Every account, with a session or an API token of scope admin.
     */
    acceptShrink: Method<{
      /** Id of the backup */
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
      /** Id of the deployment */
      deploymentId: string
      /** Kind of the database, or port, registry or node; null if it is unknown */
      databaseType: string | null
      /** Id of the database, published port or registry, which may be removed by now; null if the work was on a volume or a node */
      serviceId: string | null
      /** Id of the kept volume that was removed; null for other work */
      volumeId: string | null
      /** Id of the node that was removed; null for other work */
      nodeId: string | null
      /** Kind of the record that the work changes */
      subjectKind?: "database" | "volume" | "port" | "registry" | "node"
      /** Id of the record that the work changes */
      subjectId?: string
      /** Name of that record when the work began: the appName of a database, or of the last owner of a volume; the application of a port; the host name of a node. Null if unknown */
      appName: string | null
      /** Kind of work, such as deploy or removeNode. Calls begin all kinds except repair, restart and halt, which Berth or Swarm begins */
      action: string
      /** running: in progress. done: succeeded. error: failed, see reason. superseded: a later call replaced the work */
      state: "running" | "done" | "error" | "superseded"
      /** apply carries out the request. After a failure, rollback returns to the last good configuration. If there is none, halt stops the service. */
      phase: "apply" | "rollback" | "halt"
      /** Why the work failed, what it waits for, or its progress, as a message */
      reason: string | null
      /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
      reasonCode: DeploymentReason | null
      /** When the work began */
      startedAt: string
      /** When the work ended; null while it is running */
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
     * Create a destination: a bucket or a folder on an SFTP server that dumps are uploaded to
     *
     * The call does not connect to the storage. destination.testConnection does.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name of the destination */
      name: string
      /** The access key id, the public half of the credentials. SFTP: the user */
      accessKey: string
      /** Name of the bucket, which must exist. SFTP: the absolute path of a folder on the server */
      bucket: string
      /** The region, such as eu-central-1. Empty: the storage's default. SFTP: always empty */
      region: string
      /** The S3 API: a URL such as http://10.0.0.7:9000, or a host that is reached over HTTPS, such as s3.eu-central-1.amazonaws.com. SFTP: a host, with its port if that is not 22, such as backup.example.org:2222 */
      endpoint: string
      /** The secret half of the credentials. SFTP: the password of the user, or a private key without a passphrase. Berth stores it sealed */
      secretAccessKey: string
      /** The protocol of the storage. An update keeps it by default; otherwise the default is s3 */
      kind?: "s3" | "sftp"
      /** SFTP: the fingerprint of the host key of the server. Berth signs in only if the server has this key. An update keeps it by default. destination.testConnection answers the key that the server shows. S3: null */
      hostKey?: string | null
    }, Destination>
    /**
     * Read a destination
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the destination */
      destinationId: string
    }, Destination>
    /**
     * Remove a destination; the objects in it stay
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    remove: Method<{
      /** Id of the destination */
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
      /** Display name of the destination */
      name: string
      /** The access key id, the public half of the credentials. SFTP: the user */
      accessKey: string
      /** Name of the bucket, which must exist. SFTP: the absolute path of a folder on the server */
      bucket: string
      /** The region, such as eu-central-1. Empty: the storage's default. SFTP: always empty */
      region: string
      /** The S3 API: a URL such as http://10.0.0.7:9000, or a host that is reached over HTTPS, such as s3.eu-central-1.amazonaws.com. SFTP: a host, with its port if that is not 22, such as backup.example.org:2222 */
      endpoint: string
      /** The secret half of the credentials. SFTP: the password of the user, or a private key without a passphrase. Berth stores it sealed */
      secretAccessKey: string
      /** The protocol of the storage. An update keeps it by default; otherwise the default is s3 */
      kind?: "s3" | "sftp"
      /** SFTP: the fingerprint of the host key of the server. Berth signs in only if the server has this key. An update keeps it by default. destination.testConnection answers the key that the server shows. S3: null */
      hostKey?: string | null
      /** The destination whose stored secret the mask stands for */
      destinationId?: string
      /** If true, the answer has checks, and a failed check is answered in it instead of refusing the call */
      report?: boolean
    }, {
      /** What the test did */
      message: string
      /** The key of the probe object, which was deleted */
      key: string
      /** The steps of the test in their order */
      steps: {
        /** What was done with the probe object */
        did: "write" | "read" | "list" | "delete"
        /** Duration in milliseconds */
        tookMs: number
      }[]
      /** Only with report: all checks in their order. The first request, write, also makes the three before it */
      checks?: {
        /** resolve: the address of the host is found. connect: the connection, with TLS for https and with the host key for SFTP, is made. sign: the storage accepts the credentials, and for S3 the region and the time. The others: what was done with the probe object */
        check: "resolve" | "connect" | "sign" | "write" | "read" | "list" | "delete"
        /** Whether the check succeeded, failed, or was not run */
        result: "done" | "failed" | "notRun"
        /** Duration in milliseconds; null: not run, or part of write */
        tookMs: number | null
        /** What is wrong and what to do; null unless the check failed */
        error: string | null
      }[]
      /** Only with report, and only if the server of SFTP shows another host key than the given one, or if none was given: the fingerprint of this key. Compare it with the key on the server before you use it */
      hostKey?: string
    }>
    /**
     * Change a destination; the mask keeps the stored secret
     *
     * A run under way uses the new values only from its next attempt on.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    update: Method<{
      /** Id of the destination */
      destinationId: string
      /** Display name of the destination */
      name: string
      /** The access key id, the public half of the credentials. SFTP: the user */
      accessKey: string
      /** Name of the bucket, which must exist. SFTP: the absolute path of a folder on the server */
      bucket: string
      /** The region, such as eu-central-1. Empty: the storage's default. SFTP: always empty */
      region: string
      /** The S3 API: a URL such as http://10.0.0.7:9000, or a host that is reached over HTTPS, such as s3.eu-central-1.amazonaws.com. SFTP: a host, with its port if that is not 22, such as backup.example.org:2222 */
      endpoint: string
      /** The secret half of the credentials. SFTP: the password of the user, or a private key without a passphrase. Berth stores it sealed */
      secretAccessKey: string
      /** The protocol of the storage. An update keeps it by default; otherwise the default is s3 */
      kind?: "s3" | "sftp"
      /** SFTP: the fingerprint of the host key of the server. Berth signs in only if the server has this key. An update keeps it by default. destination.testConnection answers the key that the server shows. S3: null */
      hostKey?: string | null
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
      /** The name of the Swarm service */
      name: string
      /** The label `berth.application` of the service; null without this label */
      alias: string | null
      /** The host names in the label `berth.host` */
      hosts: string[]
      /** The host names that the proxy serves for this application */
      servedHosts: string[]
      /** The port on which the application listens: the label `berth.port`, or 80 without this label */
      port: number
      /** The label `berth.tls`. With `auto`, the proxy obtains a certificate by ACME for each host. Null without it */
      tls: "auto" | null
      /** The label `berth.preflight`. With `open`, CORS preflights of browsers need no password of basic auth. Null without it */
      preflight: "open" | null
      /** The ports that the service itself publishes */
      published: {
        /** The port on the nodes */
        port: number
        /** The protocol of the port */
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
        /** The host name */
        name: string
        /** When the certificate expires. Null if there is none yet */
        notAfter: string | null
        /** Why the last attempt failed. Null if it did not fail */
        error: string | null
        /** When the proxy tries again. Null if no attempt is planned */
        nextTryAt: string | null
      }[]
      /** When the Swarm service was created */
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
      /** Id of the redirect */
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
      /** Id of the redirect */
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
      /** Id of the redirect */
      redirectId: string
      /** A pattern in RE2 syntax. It may match anywhere in the URL, which has the form `https://host/path?query` */
      regex: string
      /** The target URL or path. `$1`, `${1}` and `${name}` stand for the text of a group, `$$` stands for a dollar */
      replacement: string
      /** The status of the response. true: 301 for GET and HEAD, 308 for other methods. false: 302 for GET and HEAD, 307 for other methods */
      permanent: boolean
    }, Redirects>
    /**
     * Evaluate the redirects for a URL
     *
     * Answers what the proxy does with a request for the URL: which redirect applies, and where it leads. A redirect can be tested before it is stored. No request is sent.
     *
     * Access: Every account, with a session or any API token.
     */
    test: Method<{
      /** The URL that a person types into a browser, such as http://example.org/old?page=2 */
      url: string
      /** Tests the redirects of this application: its id, name or label. If omitted, the host of the URL selects the application, as in the proxy */
      applicationId?: string
      /** The pattern of a redirect that is not stored yet, in RE2 syntax */
      regex?: string
      /** The replacement of the redirect that is not stored yet */
      replacement?: string
      /** Whether the redirect that is not stored yet is permanent */
      permanent?: boolean
      /** The redirect that regex and replacement would change. If omitted, they are tested as a new redirect, which comes last */
      redirectId?: string
    }, {
      /** The URL that the patterns are matched against: as a browser sends it, without port */
      url: string
      /** Id of the application, or the sent name if it does not exist. Null: no application has the host */
      applicationId: string | null
      /** redirect: a redirect applies. https: the label berth.tls redirects HTTP to HTTPS before all redirects. none: no redirect applies, so the application gets the request. unknownHost: no application has the host */
      result: "redirect" | "https" | "none" | "unknownHost"
      /** The status for GET and HEAD. Null if the application determines it */
      getStatus: number | null
      /** The status for other methods. Null if the application determines it */
      postStatus: number | null
      /** The Location of the answer. Null without a redirect */
      location: string | null
      /** Id of the redirect that applies. Null if none applies, or if it is the one that is not stored yet */
      redirectId: string | null
      /** The groups of the redirect that applies, first by number, then by name */
      groups: {
        /** The number or the name of the group. 0 is the whole match */
        name: string
        /** The text of the group */
        text: string
      }[]
      /** The redirects of the application in the order in which the proxy tries them */
      rules: {
        /** Id of the redirect; null for the one that is not stored yet */
        redirectId: string | null
        /** Whether the pattern matches the URL */
        matched: boolean
        /** Where the redirect leads. Null if it does not match, or if its target is the URL itself or empty */
        location: string | null
      }[]
      /** Why a request does not get this answer now. Null if it does */
      reason: string | null
    }>
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
      /** The protocol of both ports. An update without it means tcp */
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
      /** Id of the published port */
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
      /** Id of the published port */
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
      /** Id of the published port */
      portId: string
      /** The port on the node that Berth runs on */
      publishedPort: number
      /** The port on which the application listens */
      targetPort: number
      /** The protocol of both ports. An update without it means tcp */
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
      /** The name that the user enters, without a colon */
      username: string
      /** The password that the user enters, at most 72 bytes */
      password: string
    }, Security>
    /**
     * Read a user of an application's basic auth
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the user of basic auth */
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
      /** Id of the user of basic auth */
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
      /** Id of the user of basic auth */
      securityId: string
      /** The name that the user enters, without a colon */
      username: string
      /** The new password, at most 72 bytes. The mask ******** keeps the stored one */
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
     * A certificate without the certificates of its issuers is accepted, and `missingIssuer` names what is missing. The proxy serves the certificate before the call is answered. If several certificates cover a name, the proxy serves the newest valid one. With `autoRenew`, the proxy renews the certificate by ACME in the last third of its validity period.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name of the certificate */
      name: string
      /** PEM: the certificate of the host, followed by each issuer in order */
      certificateData: string
      /** PEM: the private key of the first certificate, without a passphrase */
      privateKey: string
      /** The id of the new certificate. Without this field, Berth generates an id */
      certificateId?: string
      /** A label in the form of a relative path. Berth writes no file at this path */
      certificatePath?: string
      /** Whether the proxy renews the certificate by ACME. Default and null: false */
      autoRenew?: boolean | null
    }, Certificates>
    /**
     * Read a certificate without its private key
     *
     * Access: Every account, with a session or any API token.
     */
    one: Method<{
      /** Id of the certificate */
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
      /** Id of the certificate */
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
     * Berth logs in to the registry to test the values. If the login fails or takes more than 10 seconds, the call is refused with the cause. Berth then pulls the images of this host and prefix with these credentials.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    create: Method<{
      /** Display name of the registry */
      registryName: string
      /** Name with which Berth logs in to the registry */
      username: string
      /** Password or access token of that user */
      password: string
      /** Host of the registry, such as registry.example.com:5000, with or without https:// or http://. Empty: Docker Hub */
      registryUrl: string
      /** selfHosted: on machines of your own. cloud: at a provider, such as Docker Hub */
      registryType: "selfHosted" | "cloud"
      /** Text between the host and the name of an image, such as team/project. Used for databases whose image is given with registryId. Of several registries of a host, an image uses the one with the longest prefix that the image begins with. Null or empty: none */
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
      /** Id of the registry */
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
      /** Id of the registry */
      registryId: string
      /** Removes the registry even if databases use its images */
      force?: boolean
    }, {
      /** Id of the registry */
      registryId: string
      /** Display name of the registry */
      registryName: string
      /** selfHosted: on machines of your own. cloud: at a provider, such as Docker Hub */
      registryType: "selfHosted" | "cloud"
      /** Address of the registry as it was entered; empty: Docker Hub */
      registryUrl: string
      /** The host in the names of the images of this registry */
      host: string
      /** Name with which Berth logs in to the registry */
      username: string
      /** Always this mask. In registry.update, the mask keeps the stored password */
      password: "********"
      /** Text between the host and the name of an image, such as team/project. Used for databases whose image is given with registryId. Of several registries of a host, an image uses the one with the longest prefix that the image begins with. Null or empty: none */
      imagePrefix: string | null
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure: boolean
      /** Id of the account of the administrator who is responsible for the registry */
      adminId: string
      /** When the record was created: ISO 8601 in UTC, like all times in answers */
      createdAt: string
      /** The service of the registry that Berth runs. Null for all other registries */
      server: {
        /** done: the registry runs, and Berth has logged in to it. running: a deployment is in progress */
        status: "running" | "done" | "error"
        /** Reason of the status as a message for people; null without a reason */
        statusReason: string | null
        /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
        statusCode: DeploymentReason | null
        /** The published port of the node. Null if the proxy serves the registry */
        port: number | null
        /** Host name of the node with the volume; null before the volume exists */
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
      /** Display name of the registry */
      registryName: string
      /** Name with which Berth logs in to the registry */
      username: string
      /** Password or access token of that user */
      password: string
      /** Host of the registry, such as registry.example.com:5000, with or without https:// or http://. Empty: Docker Hub */
      registryUrl: string
      /** selfHosted: on machines of your own. cloud: at a provider, such as Docker Hub */
      registryType: "selfHosted" | "cloud"
      /** Text between the host and the name of an image, such as team/project. Used for databases whose image is given with registryId. Of several registries of a host, an image uses the one with the longest prefix that the image begins with. Null or empty: none */
      imagePrefix?: string | null
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure?: boolean
      /** A registry. A masked password stands for the stored password of this registry */
      registryId?: string
    }, {
      /** Result of the test, as a message for people */
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
      /** Display name of the registry */
      registryName?: string
      /** Name with which Berth logs in to the registry */
      username?: string
      /** Password or access token of that user. The mask ******** keeps the stored one */
      password?: string
      /** Host of the registry, such as registry.example.com:5000, with or without https:// or http:// */
      registryUrl?: string
      /** selfHosted: on machines of your own. cloud: at a provider, such as Docker Hub */
      registryType?: "selfHosted" | "cloud"
      /** Text between the host and the name of an image, such as team/project. Used for databases whose image is given with registryId. Of several registries of a host, an image uses the one with the longest prefix that the image begins with. Null or empty: none */
      imagePrefix?: string | null
      /** Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt */
      insecure?: boolean
      /** Id of the account of the administrator who is responsible for the registry */
      adminId?: string
      /** Id of the registry */
      registryId: string
      /** Cannot be changed: leave it out, or send the value of the record */
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
      /** Id of the registry that Berth runs */
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
      /** Host name that the proxy serves, such as registry.example.com, or address with a port of the node, such as 10.0.0.5:5000 */
      registryUrl: string
      /** Name with which Docker and Berth log in to the registry */
      username: string
      /** Password of that user, at most 72 bytes. The mask ******** keeps the stored one */
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
      /** Id of the registry */
      registryId: string
      /** Maximum number of images on a page */
      limit?: number
      /** The value of the header Berth-Next-Cursor of the previous page */
      cursor?: string
    }, {
      /** Name of the image without the host of the registry */
      name: string
      /** Tags of the image */
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
    getNodes: OptionalMethod<Record<string, never>, Node[]>
    /**
     * Get the command that joins a machine to the swarm as a worker
     *
     * The token is valid until cluster.rotateTokens is called. The nodes must reach each other on the ports TCP 2377, TCP 7946, UDP 7946 and UDP 4789. The audit log records who requested the token.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    addWorker: OptionalMethod<Record<string, never>, JoinCommand>
    /**
     * Get the command that joins a machine to the swarm as a manager
     *
     * The token is valid until cluster.rotateTokens is called. The nodes must reach each other on the ports TCP 2377, TCP 7946, UDP 7946 and UDP 4789. The audit log records who requested the token. Use three or five managers: the swarm can be changed only while more than half of its managers are reachable.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    addManager: OptionalMethod<Record<string, never>, JoinCommand>
    /**
     * Replace the join token for workers or for managers, and get the new join command
     *
     * The previous token becomes invalid at once. Nodes that joined with it stay in the swarm.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    rotateTokens: Method<{
      /** Whether the token for workers or the token for managers is replaced */
      role: "worker" | "manager"
    }, JoinCommand>
    /**
     * Change the availability or the labels of a node
     *
     * With `pause`, running containers keep running, but no new container starts on the node, not even in place of one that ended. With `drain`, Swarm also moves the running services to other nodes. Services that are pinned to a drained node are stopped until the node is active again.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    updateNode: Method<{
      /** Id of the node */
      nodeId: string
      /** active: the node gets new containers. pause: it gets none, and keeps those that run. drain: it gets none, and its services move to other nodes or stop */
      availability?: "active" | "pause" | "drain"
      /** All labels of the node. Labels that are left out are removed */
      labels?: Record<string, string>
      /** Drains the node even if services are pinned to it */
      force?: boolean
    }, Node>
    /**
     * Drain a node, wait until its services have moved, and remove the node from the swarm
     *
     * Berth demotes a manager to a worker before it removes the node. `Prefer: wait` waits for the end of the removal. cluster.getNodes and deployment.all report the progress. If the removal does not succeed within ten minutes, Berth restores the availability of the node. After the removal, run `docker swarm leave` on the machine if it is up. Berth never removes the last manager, a manager that the quorum needs, or the node of Berth's own engine, even with `force`.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    removeWorker: Method<{
      /** Id of the node */
      nodeId: string
      /** Removes the node even if it has the data of databases or kept volumes. This data is lost, and the databases are in the state error afterwards */
      force?: boolean
    }, {
      /** Id of the node */
      nodeId: string
      /** Host name of the node */
      hostname: string
      /** Id of the deployment that removes the node; see deployment.all */
      deploymentId: string
      /** done: the node is no longer in the swarm */
      state: "running" | "done"
      /** The progress of the removal */
      reason: string | null
      /** Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason. */
      reasonCode: DeploymentReason | null
      /** Whether data on the node, if there is any, is given up */
      force: boolean
      /** The databases and volumes whose data is on the node and is lost. Empty without force */
      lost: string[]
    }>
    /**
     * Take back the volumes of a node that left the swarm and joined again, or of a swarm that was made anew
     *
     * A machine that leaves a swarm and joins again has another node id, while its volumes are still on its disk. cluster.getNodes shows under `returned` where Berth found them. Without `confirm` the call changes nothing and answers what would be taken back. Berth verifies the label of each volume and the mark in its data. A volume that differs is left out, with its finding. With `confirm` all other volumes get the new node in one step. Berth then starts the databases, the registry and their ports; `Prefer: wait` waits for the databases. The call is refused while the missing node is in the swarm, also if it is down, or if two nodes have a volume of the same name.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    adoptNode: Method<{
      /** Id of the node that left the swarm */
      missingNodeId: string
      /** Id of the present node that has its volumes */
      nodeId: string
      /** The host name of the present node, to confirm. Without it, nothing is changed */
      confirm?: string
    }, Adoption>
  }
  condition: {
    /**
     * List what needs attention
     *
     * Berth derives the conditions from its records every 15 seconds. Conditions of nodes, sign-ins, the clock and the backup of Berth's own state are listed only for administrators. Conditions that have ended are deleted after 90 days.
     *
     * Access: Every account, with a session or any API token.
     */
    all: PagedMethod<{
      /** Maximum number of records. If omitted, the answer contains all records */
      limit?: number
      /** The header Berth-Next-Cursor of the previous page */
      cursor?: string
      /** present: only conditions that have not ended. ended: only those that have. all: both */
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
      name: "DatabaseDown" | "DatabaseRestarting" | "DatabaseStarting" | "DatabaseLoginRefused" | "DatabaseRootRefused" | "DatabaseRightsLost" | "DatabaseDrifted" | "DatabaseVersionEnded" | "BackupFailed" | "BackupOverdue" | "BackupUnverified" | "BackupShrunk" | "BackupIncomplete" | "DestinationUnreachable" | "EngineDown" | "NodeDown" | "NodeReturned" | "CertificateExpiring" | "CertificateNotRenewable" | "ProxyDown" | "RegistryDown" | "StateNotBackedUp" | "NotInCharge" | "UpgradeUnconfirmed" | "StateUnconfirmed" | "SignInsFailing" | "TrustedProxyRefused" | "ClockUntrusted"
      /** critical: something does not work or data is at risk. warning: it soon may be */
      severity: "warning" | "critical"
      /** The kind of the record that needs attention. hostName: a name that the proxy obtains a certificate for */
      subjectKind: "database" | "backup" | "destination" | "engine" | "node" | "certificate" | "hostName" | "proxy" | "registry" | "account" | "clock" | "installation"
      /** The id of that record, or the host name. For proxy, engine and installation: the same word */
      subjectId: string
      /** The name of that record. For a database its appName, for an account its e-mail */
      subjectName: string
      /** The project of the database; null if the subject belongs to none */
      projectId: string | null
      /** Why Berth reports the condition, as a message */
      reason: string
      /** The code of the reason, for programs */
      reasonCode: ConditionReason
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
      /** Only calls of this operation, such as postgres.deploy */
      operation?: string
      /** Only calls with this result: OK, or the code of an error */
      result?: string
      /** asc: oldest first. desc: newest first */
      order?: "asc" | "desc"
      /** Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d */
      since?: string
    }, {
      /** Id of the entry */
      auditId: string
      /** Time of the call */
      at: string
      /** Type of the token. none: a sign-in without a token. machine: a command on the machine */
      kind: "none" | "installation" | "invitation" | "challenge" | "session" | "api" | "machine"
      /** Id of the account of the token; null for a token without an account */
      accountId: string | null
      /** E-mail of the account at the time of the call */
      email: string | null
      /** Id of the token or session, or installation for the installation token; null for a command on the machine */
      tokenId: string | null
      /** IP address of the caller; empty for a command on the machine */
      address: string
      /** Name of the operation, such as postgres.deploy, or of the command on the machine */
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
      /** Whether every entry is valid */
      valid: boolean
      /** Number of entries that were checked */
      entries: number
      /** Id of the first entry that is not valid; null if there is none */
      brokenAt: string | null
      /** The last valid entry; null if there is none */
      head: {
        /** Id of the entry */
        auditId: string
        /** Hash of this entry and all entries before it */
        hash: string
      } | null
    }>
  }
  state: {
    /**
     * Back up Berth's own state now, to the destination of its schedule
     *
     * Each backup is sealed with the master key. To restore a backup, run berth state restore on the machine with the same master key.
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
      /** Id of the run */
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
     * Each backup is sealed with the master key. To restore a backup, run berth state restore on the machine with the same master key. Omitted fields keep their values. In a new schedule, omitted keepLatest and keepDays mean that no backup is ever deleted.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    schedule: Method<{
      /** A cron expression with five fields, or a shortcut such as @daily */
      schedule: string
      /** Id of the destination of the backups */
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
    /**
     * Confirm Berth's restored state, and decide about its differences from what runs
     *
     * Needs a code that `berth state code` prints on the machine of Berth. Every entry of state.differences that has decisions needs one, unless takeProposals is true. A service that the state does not know is adopted with the credentials of its server: Berth logs in with them, records the database, and does not restart it. Afterwards Berth works again. Databases that are created, started or removed have a deployment, which `Prefer: wait` waits for.
     *
     * Access: Administrators, with a session. API tokens are not accepted.
     */
    confirm: Method<{
      /** The code that `berth state code` printed */
      code: string
      /** The version of the differences that the decisions are about */
      version: string
      /** The decision for each entry, by its subjectId */
      decisions?: Record<string, "adopt" | "create" | "forget" | "start" | "stop" | "finish" | "keep" | "leave" | "remove">
      /** The credentials of each service that is adopted although the state does not know it, by its name */
      adoptions?: Record<string, {
        /** Display name of the database. Default: the name of the service */
        name?: string
        /** Id of the project of the database. Default: the oldest project */
        projectId?: string
        /** Image as the record names it, such as postgres:15. Default: the one that runs */
        dockerImage?: string
        /** As the server accepts it now. `credentials` of the entry lists the fields of the service's kind */
        databaseName?: string
        /** As the server accepts it now. `credentials` of the entry lists the fields of the service's kind */
        databaseUser?: string
        /** As the server accepts it now. `credentials` of the entry lists the fields of the service's kind */
        databasePassword?: string
        /** As the server accepts it now. `credentials` of the entry lists the fields of the service's kind */
        databaseRootPassword?: string
      }>
      /** Whether entries without a decision get the proposed one */
      takeProposals?: boolean
    }, {
      /** What was decided about each entry */
      decided: {
        /** The id of the database, or the name of the service */
        subjectId: string
        /** The appName of the database, or the name of the service */
        name: string
        /** What was decided */
        decision: "adopt" | "create" | "forget" | "start" | "stop" | "finish" | "keep" | "leave" | "remove"
        /** The deployment that does it, see deployment.all; null if it needs none */
        deploymentId: string | null
      }[]
    }>
    /**
     * Compare Berth's restored state with what runs
     *
     * After a restore of its state Berth changes nothing until state.confirm. If the state is confirmed, there are no entries. adopt: record what runs now. A service that the state does not know needs its credentials in `adoptions`. create: keep the record, and create the service again if it should run. forget: delete the record; what runs and the data stay. start: start it. stop: record it as stopped. finish: go on with the removal. keep: take the removal back. leave: leave it as it is. remove: remove the temporary server; its volume stays.
     *
     * Access: Administrators, with a session or any API token.
     */
    differences: OptionalMethod<Record<string, never>, {
      /** When the state was restored; null if the state is confirmed */
      unconfirmedSince: string | null
      /** Identifies these differences, for state.confirm */
      version: string
      /** Each database of the state, and each service that the state does not know */
      entries: {
        /** database: a record of the state. service: a service without a record. installation: expired dumps */
        subjectKind: "database" | "service" | "installation"
        /** The id of the database, or the name of the service */
        subjectId: string
        /** The appName of the database, or the name of the service */
        name: string
        /** How the state and what runs differ, as a message */
        reason: string
        /** The code of the reason */
        reasonCode: DifferenceReason
        /** What state.confirm accepts for this entry; empty: nothing to decide */
        decisions: ("adopt" | "create" | "forget" | "start" | "stop" | "finish" | "keep" | "leave" | "remove")[]
        /** The credentials that the decision adopt needs in `adoptions`; empty: none */
        credentials: {
          /** The name of the field */
          name: string
          /** Whether it is a password */
          isSecret: boolean
        }[]
        /** What Berth proposes; null: nothing to decide */
        proposal: "adopt" | "create" | "forget" | "start" | "stop" | "finish" | "keep" | "leave" | "remove" | null
      }[]
    }>
  }
  clock: {
    /**
     * Read the clock of the machine, and whether Berth trusts it
     *
     * Access: Administrators, with a session or any API token.
     */
    status: OptionalMethod<Record<string, never>, ClockStatus>
    /**
     * Trust the clock of the machine again
     *
     * Berth stops trusting the clock when it jumps by more than five minutes, and trusts it again when a storage or a registry answers the same time. Without such a server, somebody has to compare the clock. A call with another time than that of the machine is refused.
     *
     * Access: Administrators, with a session or an API token of scope admin.
     */
    trust: Method<{
      /** The present time by your own clock, in ISO 8601. It has to be that of the machine to five minutes */
      time: string
    }, ClockStatus>
  }
}

/**
 * An entry for each group: its name and its operations. A question mark follows an operation that is called with GET,
 * `>` one that also answers a file, an exclamation mark one that ignores idempotency keys.
 */
export const names = [
  'auth createAdmin! createUser! get? login! logout one? verifyToken signIn! update updateByAdmin generate2FASecret? verify2FASetup verifyLogin2FA! disable2FA createToken generateToken revokeSession revokeToken sessions? tokens?',
  'user all? byAuthId? byUserId? invitations? invite remove revokeInvitation',
  'project all? create one? remove update',
  'mariadb create one? deploy start stop reload regainAccount saveExternalPort remove saveEnvironment changeStatus update move logs? stats?',
  'mysql create one? deploy start stop reload regainAccount saveExternalPort remove saveEnvironment changeStatus update move logs? stats?',
  'postgres create one? deploy start stop reload regainAccount saveExternalPort remove saveEnvironment changeStatus update move logs? stats?',
  'mongo create one? deploy start stop reload regainAccount saveExternalPort remove saveEnvironment changeStatus update move logs? stats?',
  'redis create one? deploy start stop reload regainAccount saveExternalPort remove saveEnvironment changeStatus update move logs? stats?',
  'database all? find?',
  'volume all? remove restore adopt',
  'backup create createRedis all? one? installationRecipient? remove update manualBackupMariadb manualBackupMySql manualBackupPostgres manualBackupMongo manualBackupRedis runs? manifest? download> url restorable? files? cancel verify restore acceptShrink',
  'deployment all?',
  'destination all? create one? remove testConnection update',
  'application all?',
  'redirects all? create one? delete update test?',
  'port all? create one? delete update',
  'security all? create one? delete update',
  'certificates all? create one? remove',
  'registry all? create one? remove testRegistry update collectGarbage enableSelfHostedRegistry images?',
  'cluster getNodes? addWorker? addManager? rotateTokens updateNode removeWorker adoptNode',
  'condition all?',
  'audit all? check?',
  'state backup cancel one? runs? schedule unschedule confirm differences?',
  'clock status? trust',
]
