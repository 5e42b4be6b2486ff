/** What the loops reach. Put together in app.ts. */
import type { Config } from './config.ts'
import type { Engine } from './engine/engine.ts'
import type { ClockSet } from './lib/async/clock-set.ts'
import type { Log } from './lib/log.ts'
import type { Options as StorageOptions } from './lib/s3/s3.ts'
import type { Reader, Transact } from './store/schema.ts'
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

export interface Runtime {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  engine: Engine
  /** Makes the swarm and the network where they are missing; asks again after the engine was away. */
  ensureEngine(): Promise<void>
  installationId: string
  /** How patient runs are with a storage, where it is not as usual. */
  storage: StorageOptions
  now(): Date
  /** Whether the clock behind `now` was set. */
  clockSet: ClockSet
  newId(): string
  /** Asks for a turn of a loop, `inMs` from now at the latest; see lib/async/loop.ts. */
  wake(loop: LoopName, inMs?: number): void
}
