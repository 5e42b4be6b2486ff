/** How a failure is told: with the server's last words, and without the passwords that those may quote. Pure. */
import type { PostMortem } from '../engine/engine.ts'
import { kindNamed } from '../kinds/index.ts'
import { maskerOf } from '../lib/mask.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { secretsOf } from '../store/secrets.ts'
import type { Target } from '../store/targets.ts'
import type { Vault } from '../store/vault.ts'

/** What follows the reason: whether memory ran out, and the end of the log. */
export function lastWords({ outOfMemory, lastLines }: PostMortem, target: Target | null): string {
  const limit = target?.memoryLimit == null ? '' : ` (memoryLimit is ${target.memoryLimit} MiB)`
  const memory = outOfMemory ? `: out of memory${limit}` : ''
  return lastLines.length === 0 ? memory : `${memory}. Its last lines:\n${lastLines.join('\n')}`
}

/** Every password that is known of the database, wanted, tried or held, is masked. */
export function withoutSecrets(vault: Vault, text: string, row: DatabaseTable, volume: VolumeTable | null): string {
  return maskerOf(secretsOf(vault, row, volume, kindNamed(row.kind).secrets))(text)
}
