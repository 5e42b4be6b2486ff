/** The tables of the store. A column whose value the API returns unchanged has the name of the API field. */
import type { Kysely } from 'kysely'
import type { TokenKind } from '../api/access.ts'
import type { AuthorityTable } from '../authority/table.ts'
import type { ConditionTable } from '../conditions/table.ts'
import type { Columns, ListColumns, Placement } from '../databases/columns.ts'
import type { Drift, StatusReason } from '../databases/status.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import type { EventTable } from '../events/table.ts'
import type { GatewaySourcesTable, SourceMeasurementTable } from '../gateways/sources/table.ts'
import type { VolumeTable } from '../volumes/table.ts'
import type { Json } from '../lib/json.ts'
import type {
  AccountTable,
  AttemptTable,
  InvitationTable,
  KnownNetworkTable,
  ProjectMemberTable,
  RecoveryCodeTable,
  TokenTable,
} from '../accounts/table.ts'
import type { BackupIdentityTable, BackupRunTable, BackupTable, ExpiredObjectTable } from '../backups/table.ts'
import type { Flag, Sealed, Time } from './column-types.ts'
import type { ChannelTable, DeliveryTable, MuteTable, NotificationTable } from '../alerts/table.ts'
import type { MoveTable } from '../databases/move/table.ts'
import type { TlsTables } from '../databases/tls/table.ts'
import type { NodeTable } from '../cluster/table.ts'
import type { EngineAccessTable, NodeEngineTable } from '../nodes/engines/table.ts'
import type { ChangedCredentialsTable, RegistryServerTable } from '../registries/table.ts'
import type {
  ApplicationTable,
  CertificateTable,
  IssuanceTable,
  PortTable,
  RedirectTable,
  SecurityTable,
} from '../routing/table.ts'

export type { AccountTable, AttemptTable, InvitationTable, TokenTable } from '../accounts/table.ts'
export type { MuteTable } from '../alerts/table.ts'
export type { Flag, Sealed, Time } from './column-types.ts'
export type { VolumeTable } from '../volumes/table.ts'

/** The audit log. Each entry is chained to the previous one. Entries are in commit order: `seq` is 1, 2, 3 and so on. */
export interface AuditTable {
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
  /** What else is recorded of a session, as JSON; null for other calls. */
  details: string | null
  previousHash: string
  hash: string
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
  /** The canonical sources for the databases of the project that have no list of their own. Empty: everyone. */
  allowedSources: Json<readonly string[]>
  createdAt: Time
}

/**
 * The last project of each database, also of a removed one: what is left of a removed database, such as its volume and
 * its backups, belongs to that project. Triggers of the store write the rows. The removal of a project deletes them, and
 * housekeeping deletes those of removed databases of which nothing is left.
 */
export interface ProjectOfDatabaseTable {
  databaseId: string
  projectId: string
}

/** The desired state of a database. `none`: not deployed yet. `stopped`: not running, data kept. `gone`: removed. */
export type Goal = 'none' | 'up' | 'stopped' | 'gone'
/** The last observed state of a database. `unproven`: the server runs but accepts no login. */
export type Observed = 'unknown' | 'starting' | 'up' | 'down' | 'unproven'

/** The optional columns are in databases/columns.ts. One of them, `env`, is sealed. */
export interface DatabaseTable extends Columns, ListColumns, Placement {
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

/** A bucket of an S3 storage with credentials. */
export interface DestinationTable {
  id: string
  name: string
  bucket: string
  /** Empty means the default of the storage. */
  region: string
  /** A URL or a host. */
  endpoint: string
  accessKey: string
  /** JSON with the secret access key. */
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

/** The settings that administrators change while Berth runs. The table has exactly one row. */
export interface SettingsTable {
  id: 'installation'
  /** Whether calls that can destroy data need a code of the second factor. */
  confirmDangerousCalls: Flag
  /** Null means that the settings were never changed. */
  changedAt: Time | null
}

export interface Schema extends TlsTables {
  meta: MetaTable
  settings: SettingsTable
  account: AccountTable
  token: TokenTable
  recoveryCode: RecoveryCodeTable
  invitation: InvitationTable
  audit: AuditTable
  attempt: AttemptTable
  knownNetwork: KnownNetworkTable
  idempotency: IdempotencyTable
  project: ProjectTable
  projectMember: ProjectMemberTable
  projectOfDatabase: ProjectOfDatabaseTable
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
  channel: ChannelTable
  notification: NotificationTable
  delivery: DeliveryTable
  mute: MuteTable
  authority: AuthorityTable
  gatewaySources: GatewaySourcesTable
  sourceMeasurement: SourceMeasurementTable
  engineAccess: EngineAccessTable
  nodeEngine: NodeEngineTable
}

/** A connection for reads. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom'>
/** A connection for writes, always inside a transaction. */
export type Writer = Pick<Kysely<Schema>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom'>
/** Runs `work` in a transaction and resolves when the transaction is durable. An error undoes only this work. */
export type Transact = <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
