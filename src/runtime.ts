/** The dependencies of the loops. app.ts constructs them. */
import type { Clock } from './clock/clock.ts'
import type { Config } from './config.ts'
import type { Engine } from './engine/engine.ts'
import type { Gate } from './gate/gate.ts'
import type { ClockSet } from './lib/async/clock-set.ts'
import type { Log } from './lib/log.ts'
import type { StorageOptions } from './lib/storage/storage.ts'
import type { Reader, Transact, Writer } from './store/schema.ts'
import type { Vault } from './store/vault.ts'

export type LoopName =
  | 'services'
  | 'volumes'
  | 'backups'
  | 'ports'
  | 'proxy'
  | 'registry'
  | 'nodes'
  | 'watch'
  | 'starts'
  | 'events'
  | 'conditions'
  | 'clock'
  | 'charge'
  | 'housekeeping'
  | 'confirmation'

/**
 * The functions of src/backups that the code in src/databases calls. src/databases is a lower layer and cannot import
 * src/backups, so app.ts passes these functions.
 */
export interface BackupHooks {
  /** Returns the running restore that has exclusive use of the database; undefined if there is none. */
  lockingRestore(db: Reader, databaseId: string): Promise<{ id: string } | undefined>
  /**
   * Interrupts the dumps that read the database now, because a deployment begins. They restart after the deployment.
   * Returns whether a dump was interrupted.
   */
  interruptDumps(tx: Writer, databaseId: string): Promise<boolean>
  /** Disables the backup schedules of a database that is being removed. */
  disableBackups(tx: Writer, databaseId: string): Promise<void>
}

export interface Runtime {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  /** The engine behind the gate: it throws GateClosed instead of a change. */
  engine: Engine
  /** Whether Berth may change anything now. A loop asks it before it begins work that changes something. */
  gate: Gate
  /**
   * Creates the swarm and the network if they are missing. After a success, further calls do nothing. After a failed
   * turn of any loop, the next call checks again. Does nothing while changes are held back.
   */
  ensureEngine(): Promise<void>
  installationId: string
  backups: BackupHooks
  /** Options of requests to storages: the rule for allowed addresses, timeouts and retries. */
  storage: StorageOptions
  /** `clock.now`. */
  now(): Date
  clock: Clock
  /** Detects that `now` was set forward or back. */
  clockSet: ClockSet
  newId(): string
  /** Requests a turn of a loop, now or `inMs` milliseconds from now. See lib/async/loop.ts. */
  wake(loop: LoopName, inMs?: number): void
}
