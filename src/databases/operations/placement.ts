/** Where a service's volume is to be made: asked for while there is none, and fixed from then on. */
import { initialColumns, type Placement, type PlacementInput, pick, placementNames } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Reader } from '../../store/schema.ts'
import type { Row } from './records.ts'

/** What is asked for from now on. `row`: the service as it is; null for one that is being made. */
export async function placementFrom(
  db: Reader,
  given: PlacementInput,
  row: Row | null,
  kind: Kind,
): Promise<Placement> {
  const before = pick(row ?? initialColumns, placementNames)
  if (row !== null && row.volumeId !== null) {
    await checkFixed(db, given, row, row.volumeId, kind)
    return before
  }
  const { node = before.node, nodeLabel = before.nodeLabel } = given
  if (node !== null && nodeLabel !== null) {
    refuseField(given.nodeLabel == null ? 'node' : 'nodeLabel', 'Give node or nodeLabel, and null for the other')
  }
  if (node !== null && node !== before.node) await checkNode(db, node)
  return { node, nodeLabel }
}

/** A record that is sent back as it was answered is no change. */
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
  const way =
    kind.backup?.beside === undefined
      ? 'Make a new service there'
      : `${kind.name}.move moves both; or restore a backup into a new service with this ${path}`
  refuse('PRECONDITION_FAILED', `The volume is on ${nodeName} already, and a service stays with its data. ${way}`, {
    issues: [{ path, message: `must stay as it is: the volume is on ${nodeName}` }],
  })
}

/** As far as Berth has seen nodes: before the first look at the swarm the deploy has to tell. */
async function checkNode(db: Reader, wanted: string): Promise<void> {
  const nodes = await db.selectFrom('node').select(['id', 'hostname']).execute()
  const found = nodes.filter(({ id, hostname }) => id === wanted || hostname === wanted)
  if (found.length === 0 && nodes.length > 0) {
    refuseField('node', 'There is no such node. cluster.getNodes lists those there are', 'NOT_FOUND')
  }
  if (found.length > 1) refuseField('node', 'Several nodes have this host name. Give the id of one')
}
