/** The dependencies of requests. app.ts constructs them. The files that need them import this type and not app.ts. */
import type { Rol } from './access.ts'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Passwords } from '../lib/crypto/password.ts'
import type { Recent } from '../lib/async/recent.ts'
import type { EngineQueries } from './engine-queries.ts'
import type { Gate } from '../gate/gate.ts'
import type { Readiness } from '../readiness.ts'
import type { Reader, Transact } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import type { ClusterChanges } from '../cluster/changes.ts'
import type { ProxyChanges } from '../routing/proxy-changes.ts'
import type { Ended } from '../deployments/waiters.ts'
import type { EventStreams } from '../events/follow.ts'
import type { BackupHooks, LoopName } from '../runtime.ts'

export interface App {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  passwords: Passwords
  installationTokenHash: string
  /** Path of the file with the installation token, or the name of the setting that contains it. */
  tokenLocation: string
  now(): Date
  newId(): string
  wake(loop: LoopName): void
  /** Waits for deployments and backup runs to end. Returns the worst outcome; null if some still run at the timeout. */
  waitForEnd(deploymentIds: string[], timeoutMs: number): Promise<Ended | null>
  /** Streams of the changes of records. */
  events: EventStreams
  /** Queries of the engine, for operations. */
  engineQueries: EngineQueries
  backups: BackupHooks
  /** Whether Berth may change anything now. */
  gate: Gate
  /** Changes the rules of applications. */
  proxy: ProxyChanges
  /** Changes the swarm and its nodes. */
  cluster: ClusterChanges
  /** The current role of the token's account; undefined if the token no longer exists. */
  roleOf(db: Reader, tokenId: string): Promise<Rol | undefined>
  /** Idempotency keys of calls in progress. */
  inFlight: Set<string>
  /**
   * Counts a refusal. Returns whether to record the refusal in the audit log: true for the first 100 of each token in
   * an hour.
   */
  shouldRecordRefusal(tokenId: string, nowMs: number): boolean
  /** The reads of secrets that were recorded in the audit log in the current period of ten minutes. */
  recordedReads: Recent
  /** Metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  readiness(): Promise<Readiness>
  /** Ends the wait of all calls that wait for deployments. The deployments continue. */
  releaseWaits(): void
  /** Stops the loops, then closes the store. */
  close(): Promise<void>
}
