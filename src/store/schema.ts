/** The tables of the store. A column whose value the API returns unchanged has the name of the API field. */
import type { Kysely } from 'kysely'
import type { Rol, Scope, TokenKind } from '../api/access.ts'
import type { ConditionTable } from '../conditions/table.ts'
import type { Columns, Placement } from '../databases/columns.ts'
import type { Drift, StatusReason } from '../databases/status.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import type { EventTable } from '../events/table.ts'
import type { VolumeTable } from '../volumes/table.ts'
import type { Json } from '../lib/json.ts'
import type { KnownDeviceTable, KnownNetworkTable } from '../accounts/table.ts'
import type { BackupIdentityTable, BackupRunTable, BackupTable, ExpiredObjectTable } from '../backups/table.ts'
import type { Flag, Sealed, Time } from './column-types.ts'
import type { MoveTable } from '../databases/move/table.ts'
import type { NodeTable } from '../cluster/table.ts'
import type { ChangedCredentialsTable, RegistryServerTable } from '../registries/table.ts'
import type {
  ApplicationTable,
  CertificateTable,
  IssuanceTable,
  PortTable,
  RedirectTable,
  SecurityTable,
} from '../routing/table.ts'

export type { Flag, Sealed, Time } from './column-types.ts'
export type { VolumeTable } from '../volumes/table.ts'

export interface AccountTable {
  id: string
  email: string
  /** The e-mail address in lower case, for comparison. */
  emailKey: string
  passwordHash: string
  rol: Rol
  image: string
  is2FAEnabled: Flag
  /** The shared secret of the second factor. Null while the second factor is off. */
  secret: Sealed | null
  /** The time step of the last accepted code. Codes of this and earlier steps are rejected. */
  pinStep: number
  createdAt: Time
  /** When a token of the account was last used, with an accuracy of ten minutes. Null means never. */
  lastSeenAt: Time | null
}

export interface TokenTable {
  id: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  /** A `challenge` belongs to a sign-in that waits for the second factor. */
  kind: Exclude<TokenKind, 'none' | 'installation' | 'invitation'>
  accountId: string
  createdAt: Time
  lastUsedAt: Time
  /** Null means that the token is valid until it is replaced or revoked. */
  expiresAt: Time | null
  /** The address of the caller who created the token. */
  address: string
  /** The name of an API token. Null for the token of auth.generateToken and for other kinds of token. */
  name: string | null
  /** The scope of an API token. Null for other kinds of token. */
  scope: Scope | null
  /** Whether the session passed the second factor. */
  passed2FA: Flag
  /** How many codes were tried for a challenge. */
  attempts: number
}

/** Codes that replace a lost second factor. A code is deleted when it is used. */
export interface RecoveryCodeTable {
  accountId: string
  hash: string
}

export interface InvitationTable {
  id: string
  /** SHA-256 of the invitation's token, hexadecimal. */
  hash: string
  email: string
  emailKey: string
  rol: Rol
  /** The administrator who invited. The invitation is deleted when this account is deleted or loses the role. */
  invitedBy: string
  createdAt: Time
  expiresAt: Time
}

/** The audit log. Each entry is chained to the previous one. Entries are in commit order, without gaps. */
export interface AuditTable {
  /** 1, 2, 3 and so on. */
  seq: number
  at: Time
  /** The kind of the caller's token. `machine` means a command on the machine itself. */
  kind: TokenKind | 'machine'
  accountId: string | null
  email: string | null
  tokenId: string | null
  address: string
  operation: string
  /** The ID of the changed record, or the e-mail address in the call. Null if the call has neither. */
  record: string | null
  /** `OK`, or the code of the refusal. */
  result: string
  previousHash: string
  hash: string
}

/**
 * Failed sign-ins and similar attempts. The table has one row for each limit that counted a recent failure. `subject`
 * is a hash of the account, or null for a limit that concerns no account.
 */
export interface AttemptTable {
  key: string
  subject: string | null
  failures: number
  blockedUntil: Time
  updatedAt: Time
}

export interface IdempotencyTable {
  key: string
  accountId: string
  operation: string
  bodyHash: string
  answer: Sealed
  /** The IDs of the deployments that the call started, separated by commas. */
  deploymentIds: string
  /** The tag of the record after the call; null if the call answered no tag. */
  entityTag: string | null
  createdAt: Time
}

export interface ProjectTable {
  id: string
  name: string
  description: string | null
  createdAt: Time
}

/** The desired state of a database. `none`: not deployed yet. `stopped`: not running, data kept. `gone`: removed. */
export type Goal = 'none' | 'up' | 'stopped' | 'gone'
/** The last observed state of a database. `unproven`: the server runs but accepts no login. */
export type Observed = 'unknown' | 'starting' | 'up' | 'down' | 'unproven'

/** The optional columns are in databases/columns.ts. One of them, `env`, is sealed. */
export interface DatabaseTable extends Columns, Placement {
  id: string
  kind: string
  /** Null only while the database is being removed. */
  projectId: string | null
  name: string
  appName: string
  dockerImage: string
  /** The reason for `applicationStatus`, or null. */
  statusReason: Json<StatusReason> | null
  createdAt: Time
  /** JSON with the settings of the kind that are not secret. */
  settings: string
  secrets: Sealed
  goal: Goal
  /** The specification of the last deploy, see databases/targets.ts. Null before the first deploy. */
  target: Sealed | null
  /** The last target whose server accepted a login. Null if there is none. */
  lastGood: Sealed | null
  /** Whether the record differs from `target`. */
  pendingChanges: Flag
  /** The deployment under way, or null. */
  deploymentId: string | null
  volumeId: string | null
  removeData: Flag
  observed: Observed
  containerState: string | null
  /** The differences between the running service and `target`. */
  drift: Json<readonly Drift[]>
  /** The time since which the database is not up. Null while the database is up. */
  downSince: Time | null
  lastDeployedAt: Time | null
  /** The last Swarm task whose data was verified to be the data of the volume. Null before the first verification. */
  provenTask: string | null
}

/** A storage with credentials. The columns have the names of S3; `kind` says what they mean. */
export interface DestinationTable {
  id: string
  kind: 's3' | 'sftp'
  name: string
  /** A bucket; the absolute path of a folder. */
  bucket: string
  /** Empty means the default of the storage. */
  region: string
  /** A URL or a host; the host of an SFTP server, with its port. */
  endpoint: string
  /** An access key; a user. */
  accessKey: string
  /** The fingerprint of the host key of an SFTP server. */
  hostKey: string | null
  /** JSON with the secret access key; a password or a private key. */
  secrets: Sealed
  createdAt: Time
}

/** A registry of images with credentials. */
export interface RegistryTable {
  id: string
  registryName: string
  registryType: 'selfHosted' | 'cloud'
  /** The address as entered. */
  registryUrl: string
  username: string
  /** JSON with the password. */
  secrets: Sealed
  imagePrefix: string | null
  /** Whether Berth accepts any certificate of the registry. */
  insecure: Flag
  /** The administrator who added the registry, or to whom a later update assigned it. */
  adminId: string
  createdAt: Time
}

export interface MetaTable {
  key: string
  value: string
}

export interface Schema {
  meta: MetaTable
  account: AccountTable
  token: TokenTable
  recoveryCode: RecoveryCodeTable
  invitation: InvitationTable
  audit: AuditTable
  attempt: AttemptTable
  knownNetwork: KnownNetworkTable
  knownDevice: KnownDeviceTable
  idempotency: IdempotencyTable
  project: ProjectTable
  database: DatabaseTable
  deployment: DeploymentTable
  volume: VolumeTable
  node: NodeTable
  move: MoveTable
  destination: DestinationTable
  backup: BackupTable
  backupRun: BackupRunTable
  backupIdentity: BackupIdentityTable
  expiredObject: ExpiredObjectTable
  application: ApplicationTable
  redirect: RedirectTable
  security: SecurityTable
  port: PortTable
  certificate: CertificateTable
  issuance: IssuanceTable
  registry: RegistryTable
  registryServer: RegistryServerTable
  changedCredentials: ChangedCredentialsTable
  event: EventTable
  condition: ConditionTable
}

/** A connection for reads. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom'>
/** A connection for writes, always inside a transaction. */
export type Writer = Pick<Kysely<Schema>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom'>
/** Runs `work` in a transaction and resolves when the transaction is durable. An error undoes only this work. */
export type Transact = <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
