/** The cause of a condition: conditions with the same key are one message. Pure. */
import type { ConditionReason } from '../conditions/reason.ts'
import type { ConditionName, ConditionTable } from '../conditions/table.ts'
import { fromJson } from '../lib/json.ts'

/** A database that goes down again and again has these in turn. */
const downNames: readonly ConditionName[] = ['DatabaseDown', 'DatabaseRestarting', 'DatabaseLoginRefused']

/** The causes that concern a whole node, with its name. */
const nodeReasons: readonly string[] = ['NodeDown', 'NodeMissing']

/**
 * @param nodeNames the ids of nodes by their host names
 * @param destinationOf the destination of each backup, by the id of the backup
 */
export function groupKey(
  row: Pick<ConditionTable, 'name' | 'subjectKind' | 'subjectId' | 'subjectName' | 'reason'>,
  nodeNames: ReadonlyMap<string, string>,
  destinationOf: ReadonlyMap<string, string>,
): string {
  const { name, subjectKind, subjectId } = row
  const own = downNames.includes(name) ? `down ${subjectKind} ${subjectId}` : `${name} ${subjectKind} ${subjectId}`
  if (name === 'NodeDown') return `node ${subjectId}`
  if (name === 'DestinationUnreachable') return `destination ${subjectId}`
  const reason = fromJson(row.reason)
  const node = reason.reason === 'DatabaseDown' ? nodeOf(reason) : null
  if (node !== null) return `node ${nodeNames.get(node) ?? node}`
  const destinationId = destinationOf.get(subjectId)
  return subjectKind === 'backup' && destinationId !== undefined && isStorageFailure(reason)
    ? `destination ${destinationId}`
    : own
}

/** The name of the node whose loss caused the condition; null for another cause. */
function nodeOf({ cause }: Extract<ConditionReason, { reason: 'DatabaseDown' }>): string | null {
  return cause !== null && nodeReasons.includes(cause.reason) && 'node' in cause ? (cause.node ?? null) : null
}

const isStorageFailure = (reason: ConditionReason) =>
  'cause' in reason && reason.cause !== null && 'reason' in reason.cause && reason.cause.reason === 'StorageFailed'
