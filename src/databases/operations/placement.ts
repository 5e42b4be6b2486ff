/** The requested node or node label of a service. Once the volume exists, only a move changes it. */
import type { CommandContext } from '../../api/contract.ts'
import { checkAllProjects } from '../../api/reach/reach.ts'
import { initialColumns, type Placement, type PlacementInput, pick, placementNames } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Reader } from '../../store/schema.ts'
import type { Row } from './records.ts'

/**
 * The placement to store.
 *
 * @param input an absent field keeps its stored value
 * @param row the stored service, or null for a new one
 */
export async function placementFrom(
  { tx: db, actor }: Pick<CommandContext, 'tx' | 'actor'>,
  input: PlacementInput,
  row: Row | null,
  kind: Kind,
): Promise<Placement> {
  const before = pick(row ?? initialColumns, placementNames)
  if (row !== null && row.volumeId !== null) {
    await checkFixed(db, input, row, row.volumeId, kind)
    return before
  }
  const { node = before.node, nodeLabel = before.nodeLabel } = input
  // Nodes belong to no project: the answer must not tell which there are.
  if (node !== before.node) checkAllProjects(actor.reach, 'node: the choice of a node')
  if (nodeLabel !== before.nodeLabel) checkAllProjects(actor.reach, 'nodeLabel: the choice of nodes')
  if (node !== null && nodeLabel !== null) {
    refuseField(
      input.nodeLabel == null ? 'node' : 'nodeLabel',
      'Give only one of node and nodeLabel; send null for the other',
    )
  }
  if (node !== null && node !== before.node) await checkNode(db, node)
  return { node, nodeLabel }
}

/** Refuses a placement other than that of the existing volume. Accepts the placement as the record shows it. */
async function checkFixed(db: Reader, { node, nodeLabel }: PlacementInput, row: Row, volumeId: string, kind: Kind) {
  const { nodeId, nodeName } = await db
    .selectFrom('volume')
    .select(['nodeId', 'nodeName'])
    .where('id', '=', volumeId)
    .executeTakeFirstOrThrow()
  const isSameNode = node === undefined || node === nodeId || node === nodeName
  const isSameLabel = nodeLabel === undefined || nodeLabel === row.nodeLabel
  if (isSameNode && isSameLabel) return
  const path = isSameNode ? 'nodeLabel' : 'node'
  const advice =
    kind.backup?.serverInventory === undefined
      ? 'Create a new service there'
      : `Call ${kind.name}.move, or restore a backup into a new service with this ${path}`
  refuse('PRECONDITION_FAILED', `The volume is on ${nodeName} already, so ${path} cannot change. ${advice}`, {
    issues: [{ path, message: `cannot change: the volume is on ${nodeName}` }],
  })
}

/** Refuses an unknown or ambiguous node. If Berth has not recorded any node yet, the deploy checks the node. */
async function checkNode(db: Reader, idOrName: string): Promise<void> {
  const nodes = await db.selectFrom('node').select(['id', 'hostname']).execute()
  const matches = nodes.filter(({ id, hostname }) => id === idOrName || hostname === idOrName)
  if (matches.length === 0 && nodes.length > 0) {
    refuseField('node', 'No node has this id or host name. cluster.getNodes lists all', 'NOT_FOUND')
  }
  if (matches.length > 1) refuseField('node', 'Several nodes have this host name. Give the id of one node')
}
