/** The dependencies of the loops. app.ts constructs them. */
import type { Config } from './config.ts'
import type { Engine } from './engine/engine.ts'
import type { ClockSet } from './lib/async/clock-set.ts'
import type { Log } from './lib/log.ts'
import type { Options as StorageOptions } from './lib/s3/s3.ts'
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
  | 'events'
  | 'housekeeping'

/** What databases, which lie below backups, have to ask or tell them. */
export interface BackupHooks {
  /** The restore that holds the database alone; undefined without. */
  lockingRestore(db: Reader, databaseId: string): Promise<{ id: string } | undefined>
  /** Ends the present try of the dumps that read the database. Gives whether there are any. */
  interruptDumps(tx: Writer, databaseId: string): Promise<boolean>
  /** Ends the schedules of a database that is removed. */
  disableBackups(tx: Writer, databaseId: string): Promise<void>
}

export interface Runtime {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  engine: Engine
  /** Creates the swarm and the network if they are missing. Checks again after the engine was unavailable. */
  ensureEngine(): Promise<void>
  installationId: string
  /** Through these, work on databases reaches the backups of a database. */
  backups: BackupHooks
  /** Timeouts and retries of storage requests that differ from the defaults. */
  storage: StorageOptions
  now(): Date
  /** Detects that the clock behind `now` was set. */
  clockSet: ClockSet
  newId(): string
  /** Requests a turn of a loop, at the latest in `inMs`. See lib/async/loop.ts. */
  wake(loop: LoopName, inMs?: number): void
}
