/** The dependencies of requests. app.ts constructs them. The files that need them import this type and not app.ts. */
import type { Factor } from './confirmation/fields.ts'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Passwords } from '../lib/crypto/password.ts'
import type { Recent } from '../lib/async/recent.ts'
import type { Actor } from './contract.ts'
import type { EngineQueries } from './engine-queries.ts'
import type { Readiness } from '../readiness.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import type { ClusterChanges } from '../cluster/changes.ts'
import type { TestReach } from '../dumps/direct/node-reach.ts'
import type { ProxyChanges } from '../routing/proxy-changes.ts'
import type { Ended } from '../deployments/waiters.ts'
import type { History } from '../history/file.ts'
import type { EventStreams } from '../events/follow.ts'
import type { BackupHooks, LoopName } from '../runtime.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** Codes of the second factor that confirm calls. */
export interface CallConfirmation {
  /** Whether the setting of the installation is on. */
  isOn(db: Reader): Promise<boolean>
  /**
   * Checks that the code is right. Counts a wrong one and leaves a right one unused. Refuses with FORBIDDEN a missing or
   * wrong code and an account without a second factor, and with TOO_MANY_REQUESTS during the wait after wrong codes.
   */
  check(actor: Actor, code: string | undefined): Promise<void>
  /**
   * Uses a code in the transaction of the change. Refuses with FORBIDDEN if the code was used since `check`, or if there
   * is none.
   */
  use(tx: Writer, actor: Actor, code: string | undefined): Promise<Factor>
}

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
  /** The values of databases over time. */
  history: Pick<History, 'read'>
  /** Streams of the changes of records. */
  events: EventStreams
  /** Sessions of callers with programs in containers. */
  sessions: Sessions
  /** Queries of the engine, for operations. */
  engineQueries: EngineQueries
  backups: BackupHooks
  /** Changes the rules of applications. */
  proxy: ProxyChanges
  /** Changes the swarm and its nodes. */
  cluster: ClusterChanges
  /** Tests which nodes reach a storage. */
  testReach: TestReach
  /** The present rights of a token; undefined if the token no longer exists. */
  rightsOf(db: Reader, tokenId: string): Promise<Pick<Actor, 'rol' | 'reach' | 'role'> | undefined>
  /** Confirms calls that can destroy data. */
  callConfirmation: CallConfirmation
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
