/** The tables of the store, their columns named as the API names them. Knows no driver: SQL stays portable. */
import type { Kysely } from 'kysely'
import type { Rol, Scope, TokenKind } from '../api/access.ts'
import type { Columns, Placement } from '../databases/columns.ts'
import type { Drift, StatusReason } from '../databases/status.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import type { VolumeTable } from '../volumes/table.ts'
import type { Json } from '../lib/json.ts'
import type { KnownNetworkTable } from '../accounts/table.ts'
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
  /** The e-mail as it is compared: lower case. */
  emailKey: string
  passwordHash: string
  rol: Rol
  image: string
  is2FAEnabled: Flag
  /** The shared secret of the second factor; null while it is off. */
  secret: Sealed | null
  /** The time step of the last code that was taken: it and those before it are used up. */
  pinStep: number
  createdAt: Time
  /** When a token of the account was last seen, to ten minutes; null: never. */
  lastSeenAt: Time | null
}

export interface TokenTable {
  id: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  /** `challenge`: of a sign-in whose second factor is awaited. */
  kind: Exclude<TokenKind, 'installation' | 'invitation'>
  accountId: string
  createdAt: Time
  lastUsedAt: Time
  /** Null: until replaced or revoked. */
  expiresAt: Time | null
  /** Where it was made. */
  address: string
  /** Of an API token; null for the one of auth.generateToken, and for what is no API token. */
  name: string | null
  /** Of an API token; null otherwise. */
  scope: Scope | null
  /** Of a session: the second factor was shown in it. */
  passed2FA: Flag
  /** Of a challenge: codes that were tried. */
  tries: number
}

/** Codes that stand in for a second factor that was lost, once each. They are deleted when used. */
export interface RecoveryCodeTable {
  accountId: string
  hash: string
}

export interface InvitationTable {
  id: string
  /** SHA-256 of its token, hexadecimal. */
  hash: string
  email: string
  emailKey: string
  rol: Rol
  /** The administrator who made it: it goes when that account goes, or is no administrator any more. */
  invitedBy: string
  createdAt: Time
  expiresAt: Time
}

/** What was done, each entry chained to the one before. Without gaps, in the order of the commits. */
export interface AuditTable {
  /** 1, 2, 3 and so on. */
  seq: number
  at: Time
  /** What the caller showed; `machine`: it was a command on the machine itself. */
  kind: TokenKind | 'machine'
  accountId: string | null
  email: string | null
  tokenId: string | null
  address: string
  operation: string
  /** The id of the record that it was about, or the e-mail that was given; null where there is none. */
  record: string | null
  /** `OK`, or the code of the refusal. */
  result: string
  previousHash: string
  hash: string
}

/**
 * Failed tries at guessing, one row for each limit that counted one lately. `subject`: the account that is guessed at,
 * as a hash; null where it is none.
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
  /** The work that the call began: ids joined by commas. */
  deploymentIds: string
  createdAt: Time
}

export interface ProjectTable {
  id: string
  name: string
  description: string | null
  createdAt: Time
}

/** What Berth is to make of a database: nothing yet, up, down with everything kept, or gone for good. */
export type Goal = 'none' | 'up' | 'stopped' | 'gone'
/** What was last seen of it; `unproven`: it runs, and takes no login. */
export type Observed = 'unknown' | 'starting' | 'up' | 'down' | 'unproven'

/** The columns that a caller may leave out are those of databases/columns.ts; `env` is sealed. */
export interface DatabaseTable extends Columns, Placement {
  id: string
  kind: string
  /** Null only while the service is being removed. */
  projectId: string | null
  name: string
  appName: string
  dockerImage: string
  /** Why `applicationStatus` is what it is; null where nothing is to be said. */
  statusReason: Json<StatusReason> | null
  createdAt: Time
  /** JSON: the kind's own fields that are no secrets. */
  settings: string
  secrets: Sealed
  goal: Goal
  /** What was last asked to run, see targets.ts; null before the first deploy. */
  target: Sealed | null
  /** The last target that answered. */
  lastGood: Sealed | null
  /** The record differs from `target`. */
  pendingChanges: Flag
  /** The work under way; null when settled. */
  deploymentId: string | null
  volumeId: string | null
  removeData: Flag
  observed: Observed
  containerState: string | null
  /** How what runs differs from `target`; `[]` where it does not. */
  drift: Json<readonly Drift[]>
  /** Since when it is not up; null while it is. */
  downSince: Time | null
  lastDeployedAt: Time | null
  /** The swarm's id of the container whose data was last found to be the volume's; null: none yet. */
  provenTask: string | null
}

/** A bucket of a storage that speaks S3, and who Berth is there. */
export interface DestinationTable {
  id: string
  name: string
  bucket: string
  /** Empty: the storage's default. */
  region: string
  /** A URL or a host. */
  endpoint: string
  accessKey: string
  /** JSON: the secret access key. */
  secrets: Sealed
  createdAt: Time
}

/** Credentials of a registry of images. */
export interface RegistryTable {
  id: string
  registryName: string
  registryType: 'selfHosted' | 'cloud'
  /** As it was given. */
  registryUrl: string
  username: string
  /** JSON: the password. */
  secrets: Sealed
  imagePrefix: string | null
  /** Any certificate of it is taken. */
  insecure: Flag
  /** The account of an administrator. */
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
  lapsed: ExpiredObjectTable
  application: ApplicationTable
  redirect: RedirectTable
  security: SecurityTable
  port: PortTable
  certificate: CertificateTable
  issuance: IssuanceTable
  registry: RegistryTable
  registryServer: RegistryServerTable
  changedCredentials: ChangedCredentialsTable
}

/** What can read. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom'>
/** What can write: always inside a transaction. */
export type Writer = Pick<Kysely<Schema>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom'>
/** Runs the work in a transaction and answers once that is durable; what it throws undoes it alone. */
export type Transact = <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
