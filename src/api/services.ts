/** What requests reach. app.ts constructs it; HTTP and the operations know it by these types alone. */
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
import type { LoopName } from '../runtime.ts'

export interface App {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  passwords: Passwords
  installationTokenHash: string
  /** Where the installation token can be read. */
  tokenPlace: string
  now(): Date
  newId(): string
  wake(loop: LoopName): void
  /** How the work ended, the worst of several; null where the time was up first. */
  settled(deploymentIds: string[], timeoutMs: number): Promise<Ended | null>
  /** How operations see the engine. */
  engineQueries: EngineQueries
  /** How operations change rules about applications. */
  proxy: ProxyChanges
  /** How operations change the swarm itself. */
  cluster: ClusterChanges
  /** The present role of the account that the token is of; undefined where the token has ended. */
  roleOf(db: Reader, tokenId: string): Promise<Rol | undefined>
  /** Idempotency keys of calls under way. */
  inFlight: Set<string>
  /** Whether one more refusal to that token goes to the audit log: the first 100 an hour do. */
  mayNoteRefusal(tokenId: string, nowMs: number): boolean
  /** Reads of secrets that the audit log has an entry of, of the last ten minutes. */
  readsNoted: Recent
  /** Figures for a monitor, in Prometheus' text format. */
  metrics(): Promise<string>
  readiness(): Promise<Readiness>
  /** Lets calls that wait for work answer now, with the work still running. */
  releaseWaits(): void
  /** Ends the loops, then closes the store. */
  close(): Promise<void>
}
