/** Adds exit reports to reasons, and masks passwords in the texts of reasons. */
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/kind.ts'
import { logFault } from '../../kinds/log-fault.ts'
import { mapTexts } from '../../lib/json.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { secretsOf } from '../login/secrets.ts'
import type { Target } from '../targets.ts'
import type { Vault } from '../../store/vault.ts'
import type { Runtime } from '../../runtime.ts'

/** The limits of the log lines in a reason. */
const maxLines = 20
const maxCharacters = 300

/**
 * Adds the exit report of the task's container (out of memory, fault, last log lines) to the reason, if there is one.
 *
 * @param kind the kind of the server; null for another container
 */
export async function addExitReport(
  { engine }: Pick<Runtime, 'engine'>,
  reason: TaskReason,
  task: FoundTask | null,
  target: Target | null,
  kind: Kind | null,
): Promise<TaskReason> {
  if (task === null) return reason
  const { outOfMemory, lastLines } = await engine.exitReport(task)
  if (!outOfMemory && lastLines.length === 0) return reason
  const fault = kind === null ? null : logFault(kind, lastLines)
  const report = {
    outOfMemory,
    memoryLimitMiB: target?.memoryLimit ?? null,
    lastLines: lastLines.slice(-maxLines).map((line) => line.slice(0, maxCharacters)),
  }
  return { ...reason, report: fault === null ? report : { ...report, fault } }
}

/** Fields whose values are codes. They are not masked, because a short password can be a part of a code. */
const codeFields: ReadonlySet<string> = new Set(['reason', 'failure', 'state'])

/** The reason with all known passwords of the database masked; see databases/secrets.ts. */
export function withoutSecrets<T>(vault: Vault, reason: T, row: DatabaseTable, volume: VolumeTable | null): T {
  const masked = maskerOf(secretsOf(vault, row, volume, kindNamed(row.kind).secrets))
  return mapTexts(reason, (text, key) => (codeFields.has(key) ? text : masked(text)))
}
