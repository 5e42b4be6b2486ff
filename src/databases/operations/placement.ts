/** The requested node or node label of a service. The placement is fixed once the volume exists. */
import { initialColumns, type Placement, type PlacementInput, pick, placementNames } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Reader } from '../../store/schema.ts'
import type { Row } from './records.ts'

/**
 * The placement to store.
 *
 * @param given the fields of the input; an absent field keeps its stored value
 * @param row the stored service, or null for a new one
 */
export async function placementFrom(
  db: Reader,
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
  if (node !== null && nodeLabel !== null) {
    refuseField(input.nodeLabel == null ? 'node' : 'nodeLabel', 'Give node or nodeLabel, and null for the other')
  }
  if (node !== null && node !== before.node) await checkNode(db, node)
  return { node, nodeLabel }
}

/** Refuses a placement other than the existing volume's. Sending an answered record back unchanged is accepted. */
async function checkFixed(db: Reader, { node, nodeLabel }: PlacementInput, row: Row, volumeId: string, kind: Kind) {
  const { nodeId, nodeName } = await db
    .selectFrom('volume')
    .select(['nodeId', 'nodeName'])
    .where('id', '=', volumeId)
    .executeTakeFirstOrThrow()
  const isSame =
    (node === undefined || [nodeId, nodeName].includes(node ?? '')) &&
    (nodeLabel === undefined || nodeLabel === row.nodeLabel)
  if (isSame) return
  const path = node === undefined || [nodeId, nodeName].includes(node ?? '') ? 'nodeLabel' : 'node'
  const advice =
    kind.backup?.serverInventory === undefined
      ? 'Make a new service there'
      : `${kind.name}.move moves both; or restore a backup into a new service with this ${path}`
  refuse('PRECONDITION_FAILED', `The volume is on ${nodeName} already, and a service stays with its data. ${advice}`, {
    issues: [{ path, message: `must stay as it is: the volume is on ${nodeName}` }],
  })
}

/** Refuses an unknown or ambiguous node. Accepts any node before the first inventory; then the deploy checks it. */
async function checkNode(db: Reader, wanted: string): Promise<void> {
  const nodes = await db.selectFrom('node').select(['id', 'hostname']).execute()
  const matches = nodes.filter(({ id, hostname }) => id === wanted || hostname === wanted)
  if (matches.length === 0 && nodes.length > 0) {
    refuseField('node', 'There is no such node. cluster.getNodes lists those there are', 'NOT_FOUND')
  }
  if (matches.length > 1) refuseField('node', 'Several nodes have this host name. Give the id of one')
}
