/** The reasons of conditions: a closed union with parameters, as stored. reason-message.ts renders sentences. */
import type { ClockReason } from '../clock/trust.ts'
import type { Drift, StatusReason } from '../databases/status.ts'
import type { DeploymentReason, RegistryServerReason } from '../deployments/reason.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { GateReason } from '../gate/reason.ts'
import type { DumpFinding } from '../kinds/dump-finding.ts'
import type { FaultKind } from '../lib/storage/faults.ts'

export type DatabaseReason =
  | { reason: 'DatabaseDown'; cause: StatusReason | null }
  /** `cause`: why the database was down before the last restart. */
  | { reason: 'RestartedOften'; restarts: number; minutes: number; cause: DeploymentReason | null }
  /** The server has been starting for longer than `slowStartMinutes`. */
  | { reason: 'SlowStart'; since: string }
  | { reason: 'LoginRefused'; cause: StatusReason | null }
  /** Berth works with its own account, and the server refuses the stored password of its administrator. */
  | { reason: 'RootRefused' }
  /** Berth has no account of its own on the server, and cannot make one. */
  | { reason: 'OwnAccountMissing' }
  | { reason: 'Drifted'; drift: readonly Drift[] }
  /** `next`: a series that gets fixes for longer. */
  | { reason: 'SeriesEnded'; product: string; series: string; endedOn: string; next: string }

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

/** The last good dump has `count` faults of its database; `findings` are the first of them. */
export type IncompleteReason = { reason: 'DumpIncomplete'; count: number; findings: DumpFinding[] }

export type CertificateReason =
  | { reason: 'CertificateExpires'; notAfter: string }
  | { reason: 'CertificateExpired'; notAfter: string }
  /** `host`: the name that the authority issued no certificate for. */
  | { reason: 'RenewalFailed'; host: string; detail: string }

export type SignInReason =
  /** Wrong passwords and codes for one account in the last hour. */
  | { reason: 'AccountAttacked'; passwords: number; codes: number }
  /** Wrong passwords and codes for several accounts in the last hour. Accounts need not exist. */
  | { reason: 'AccountsAttacked'; attempts: number; accounts: number }

/** Why Berth changes nothing. */
export type HeldBackReason = Extract<GateReason, { reason: 'NotInCharge' | 'UpgradeUnconfirmed' }>

export type ConditionReason =
  | DatabaseReason
  | RunFailure
  | OverdueReason
  | UnverifiedReason
  | ShrunkReason
  | IncompleteReason
  | CertificateReason
  | SignInReason
  | ClockReason
  | { reason: 'StorageFailed'; fault: FaultKind; detail: string; at: string }
  | { reason: 'EngineUnavailable' }
  | { reason: 'NodeNotReady'; state: string }
  /** Volumes of the node are on the present node `foundOn`. `isListed`: the node is still in the swarm, and down. */
  | { reason: 'VolumesFound'; nodeId: string; foundOn: string; volumes: number; isListed: boolean }
  | { reason: 'ProxyFailed'; detail: string }
  | { reason: 'RegistryFailed'; cause: RegistryServerReason | null }
  | { reason: 'NoStateBackup' }
  /** A trusted proxy of the settings has addresses of the network of containers with this name. */
  | { reason: 'ProxyAmongContainers'; proxy: string; network: string }
  | HeldBackReason
  /** The state was restored, and Berth changes nothing until somebody has confirmed it. */
  | { reason: 'RestoredState' }
