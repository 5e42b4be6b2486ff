/** What a reason says beside its cause: how a container ended. Passwords that texts may quote are masked. */
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import { mapTexts } from '../../lib/json.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { secretsOf } from '../secrets.ts'
import type { Target } from '../targets.ts'
import type { Vault } from '../../store/vault.ts'
import type { Runtime } from '../../runtime.ts'

/** The reason with whether memory ran out and the end of the log, if the engine knows either. */
export async function reported(
  { engine }: Pick<Runtime, 'engine'>,
  reason: TaskReason,
  task: FoundTask | null,
  target: Target | null,
): Promise<TaskReason> {
  if (task === null) return reason
  const { outOfMemory, lastLines } = await engine.exitReport(task)
  if (!outOfMemory && lastLines.length === 0) return reason
  return { ...reason, report: { outOfMemory, memoryLimitMiB: target?.memoryLimit ?? null, lastLines } }
}

/** These fields hold names of closed unions, which a short password may be a part of. */
const names: ReadonlySet<string> = new Set(['reason', 'failure', 'state'])

/** The reason with every password masked that is known of the database: wanted, tried or held. */
export function withoutSecrets<T>(vault: Vault, reason: T, row: DatabaseTable, volume: VolumeTable | null): T {
  const masked = maskerOf(secretsOf(vault, row, volume, kindNamed(row.kind).secrets))
  return mapTexts(reason, (text, key) => (names.has(key) ? text : masked(text)))
}
