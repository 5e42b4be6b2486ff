/** The dependencies of requests. app.ts constructs them; src/http and the operations import only these types. */
import type { Rol } from './access.ts'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Passwords } from '../lib/crypto/password.ts'
import type { Recent } from '../lib/async/recent.ts'
import type { EngineQueries } from './engine-queries.ts'
import type { Readiness } from '../readiness.ts'
import type { Reader, Transact } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import type { ClusterChanges } from '../cluster/changes.ts'
import type { ProxyChanges } from '../routing/proxy-changes.ts'
import type { Ended } from '../deployments/waiters.ts'
import type { BackupHooks, LoopName } from '../runtime.ts'

export interface App {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  passwords: Passwords
  installationTokenHash: string
  /** The file or the setting that holds the installation token. */
  tokenPlace: string
  now(): Date
  newId(): string
  wake(loop: LoopName): void
  /** Waits for deployments and gives the worst outcome; null if the timeout came first. */
  settled(deploymentIds: string[], timeoutMs: number): Promise<Ended | null>
  /** Queries of the engine by operations. */
  engineQueries: EngineQueries
  /** Through these, operations on databases reach the backups of a database. */
  backups: BackupHooks
  /** Changes of the rules of applications. */
  proxy: ProxyChanges
  /** Changes of the swarm and its nodes. */
  cluster: ClusterChanges
  /** The current role of the token's account; undefined if the token no longer exists. */
  roleOf(db: Reader, tokenId: string): Promise<Rol | undefined>
  /** Idempotency keys of calls in progress. */
  inFlight: Set<string>
  /** Whether to record one more refusal of that token in the audit log: the first 100 per hour are recorded. */
  mayNoteRefusal(tokenId: string, nowMs: number): boolean
  /** Reads of secrets that were recorded in the audit log in the last ten minutes. */
  readsNoted: Recent
  /** Metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  readiness(): Promise<Readiness>
  /** Makes calls that wait for deployments answer now, while the deployments go on. */
  releaseWaits(): void
  /** Stops the loops, then closes the store. */
  close(): Promise<void>
}
