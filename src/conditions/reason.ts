/** The reasons of conditions: a closed union with parameters, as stored. reason-message.ts renders sentences. */
import type { CertificateSource } from '../config.ts'
import type { AuthorityName } from '../authority/table.ts'
import type { CertificateReason as ServerCertificateReason } from '../databases/tls/reason.ts'
import type { Drift, StatusReason } from '../databases/status.ts'
import type { DeploymentReason, RegistryServerReason } from '../deployments/reason.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { SourcesReason } from '../gateways/sources/reason.ts'
import type { FaultKind } from '../lib/s3/faults.ts'
import type { NodeEngineReason } from '../nodes/engines/reason.ts'

export type DatabaseReason =
  | { reason: 'DatabaseDown'; cause: StatusReason | null }
  /** `cause`: why the database was down before the last restart. */
  | { reason: 'RestartedOften'; restarts: number; minutes: number; cause: DeploymentReason | null }
  | { reason: 'LoginRefused'; cause: StatusReason | null }
  | { reason: 'Drifted'; drift: readonly Drift[] }
  | { reason: 'PortOpen'; externalPort: number }
  | { reason: 'SourcesNotEnforced'; externalPort: number; cause: SourcesReason }
  /** `port`: the published port of an application with its protocol, such as 8080/tcp. */
  | { reason: 'PublishedPortOpen'; port: string; applicationId: string }
  | { reason: 'PublishedSourcesNotEnforced'; port: string; applicationId: string; cause: SourcesReason }
  | ServerCertificateEnd<'ServerCertificateEnds'>
  | ServerCertificateEnd<'ServerCertificateEnded'>
  /** Clients connect without TLS to a server that accepts it. */
  | { reason: 'PlainConnectionsOpen' }

/** `cause`: why the server does not present a newer certificate. */
export type ServerCertificateEnd<Name extends string> = {
  reason: Name
  notAfter: string
  waitsForDeploy: boolean
  cause: ServerCertificateReason | null
}

/** The last run of a backup failed. */
export type RunFailure = { reason: 'RunFailed'; runId: string; at: string; cause: RunReason | null }

/** A backup has no good run for longer than its schedule says. `lastGoodAt` is null if there was never a good run. */
export type OverdueReason =
  | { reason: 'RunsFailed'; runs: number; lastGoodAt: string | null }
  | { reason: 'ScheduleMissed'; dueAt: string; lastGoodAt: string | null }
  | { reason: 'RunWaiting'; runId: string; since: string; cause: RunReason | null; lastGoodAt: string | null }

/** The last drill failed, or there is no good drill for longer than `verifySchedule` says. */
export type UnverifiedReason =
  | { reason: 'DrillFailed'; runId: string; at: string; cause: RunReason | null }
  | { reason: 'DrillsMissed'; lastVerifiedAt: string | null }

/** The dump `runId` has less than half of the content of the earlier dump `shrunkFrom`. */
export type ShrunkReason = { reason: 'DumpShrunk'; runId: string; shrunkFrom: string }

export type CertificateReason =
  | { reason: 'CertificateExpires'; notAfter: string }
  | { reason: 'CertificateExpired'; notAfter: string }
  /** `host`: the name that the authority issued no certificate for. */
  | { reason: 'RenewalFailed'; host: string; detail: string }

/** `authority`: the name of an authority of Berth itself. */
export type AuthorityReason =
  | { reason: 'AuthorityExpires'; authority: AuthorityName; notAfter: string }
  | { reason: 'AuthorityExpired'; authority: AuthorityName; notAfter: string }

export type SignInReason =
  /** Wrong passwords and codes for one account in the last hour. */
  | { reason: 'AccountAttacked'; passwords: number; codes: number }
  /** Wrong passwords and codes for several accounts in the last hour. Accounts need not exist. */
  | { reason: 'AccountsAttacked'; attempts: number; accounts: number }

/** What the samples show. `percent` is rounded down to a multiple of five. */
export type UsageReason =
  | { reason: 'MemoryUsed'; percent: number; limitBytes: number }
  | { reason: 'ConnectionsUsed'; percent: number; allowed: number }
  /** `percent`: the part that is missing. `beforeBytes`: the maximum of the last 24 hours. */
  | { reason: 'DataShrank'; percent: number; beforeBytes: number }
  /** `perSecond`: the mean of the transactions in the week before. */
  | { reason: 'Idle'; hours: number; perSecond: number }
  | { reason: 'DiskUsed'; percent: number; sizeBytes: number }
  /** `seconds`: the time of the node minus Berth's time. */
  | { reason: 'ClockDiffers'; seconds: number }

export type ConditionReason =
  | DatabaseReason
  | UsageReason
  | RunFailure
  | OverdueReason
  | UnverifiedReason
  | ShrunkReason
  | CertificateReason
  | AuthorityReason
  | SignInReason
  | { reason: 'StorageFailed'; fault: FaultKind; detail: string; at: string }
  | { reason: 'EngineUnavailable' }
  | { reason: 'NodeNotReady'; state: string }
  | { reason: 'NodeEngineUnreachable'; cause: NodeEngineReason | null }
  | { reason: 'ProxyFailed'; detail: string }
  /** The public URL of Berth has no certificate of the kind that BERTH_PUBLIC_CERTIFICATE chooses. */
  | { reason: 'PublicCertificateMissing'; host: string; source: CertificateSource }
  | { reason: 'RegistryFailed'; cause: RegistryServerReason | null }
  | { reason: 'NoStateBackup' }
