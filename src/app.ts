/** Composes the parts; the only place that constructs a dependency. */
import type { Config } from './config.ts'
import type { LoopName } from './contract.ts'
import type { Engine } from './engine/engine.ts'
import { idGenerator } from './lib/id.ts'
import type { Log } from './lib/log.ts'
import { openKeys } from './store/keys.ts'
import { openStore } from './store/open-sqlite.ts'
import type { DeploymentTable, Reader, Transact } from './store/schema.ts'
import { hashOf } from './store/tokens.ts'
import { type Vault, vaultOf } from './store/vault.ts'

export interface App {
  config: Config
  log: Log
  db: Reader
  transact: Transact
  vault: Vault
  installationTokenHash: string
  now(): Date
  newId(): string
  wake(loop: LoopName): void
  /** How the work ended; null where the time was up first. */
  settled(deploymentId: string, timeoutMs: number): Promise<Pick<DeploymentTable, 'state' | 'reason'> | null>
  /** Idempotency keys of calls under way. */
  inFlight: Set<string>
  /** Whether store and engine answer: '' or what is wrong. */
  readiness(): Promise<{ store: string; engine: string }>
  close(): Promise<void>
}

/** Opens the store and the engine and starts the loops. Throws, in a sentence for the operator, where that cannot be. */
export async function openApp(config: Config, log: Log, engine: Engine): Promise<App> {
  const keys = openKeys(config)
  const vault = vaultOf(keys.masterKey)
  const store = await openStore(config.dataFolder)
  const { db, transact } = store
  return {
    config,
    log,
    db,
    transact,
    vault,
    installationTokenHash: hashOf(keys.installationToken),
    now: () => new Date(),
    newId: idGenerator(),
    wake: () => undefined,
    settled: async () => null,
    inFlight: new Set(),
    readiness: async () => ({ store: '', engine: '' }),
    close: () => store.close(),
  }
}
