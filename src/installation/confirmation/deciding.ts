/** What decisions about a restored state need: the transaction, the facts and the verified services. */
import type { Config } from '../../config.ts'
import type { BackupHooks, LoopName } from '../../runtime.ts'
import type { VolumeTable, Writer } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import type { Adopted } from './adoption.ts'
import type { Facts } from './differences.ts'

export interface Deciding {
  tx: Writer
  vault: Vault
  config: Config
  backups: BackupHooks
  facts: Facts
  /** The services without a record to which Berth has logged in, by their names. */
  adopted: ReadonlyMap<string, Adopted>
  newId(): string
  wake(loop: LoopName): void
  /** Registers a deployment for which the call waits, if its caller asked for that. */
  follow(deploymentId: string): void
  at: Date
}

export const interrupted = { reason: 'InterruptedByRestore' } as const

/** The node as a volume records it. */
export function nodeOf({ facts }: Deciding, nodeId: string): Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'> {
  const node = facts.nodes.get(nodeId)
  return { nodeId, nodeName: node?.hostname ?? nodeId, nodeAddress: node?.address ?? '' }
}

/** The id of a volume that has this name; undefined if Berth did not name the volume. */
export const volumeIdIn = (name: string): string | undefined => /^berth-(.+)$/.exec(name)?.[1]
