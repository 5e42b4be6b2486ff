/** The operation that moves a database to another node. The operation checks and records the move; step.ts runs it. */
import { action, type Operation } from '../../api/contract.ts'
import { NodeText } from '../columns.ts'
import { statusAnswer } from '../status-message.ts'
import { reasonMessage } from '../../deployments/reason-message.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { FoundNode } from '../../engine/node.ts'
import { usableNodes } from '../../engine/placement.ts'
import type { Kind } from '../../kinds/kind.ts'
import { insertMove } from './queries.ts'
import { leavingNodes } from '../../cluster/queries.ts'
import type { Writer } from '../../store/schema.ts'
import { idIn, inputOf, record } from '../operations/fields.ts'
import { findRow, type Row, toRecord } from '../operations/records.ts'
import { begin } from '../begin-work.ts'

/** The move operation of a kind. Empty for a kind whose servers cannot be copied completely. */
export function moveOperations(kind: Kind): Operation[] {
  const serverInventory = kind.backup?.serverInventory
  if (serverInventory === undefined) return []
  const aboutAccounts =
    serverInventory.exportEntries === undefined
      ? 'Accounts other than those of the record cannot be copied.'
      : 'Accounts and roles are copied with their passwords and settings.'
  return [
    action({
      name: `${kind.name}.move`,
      summary: 'Move the service with its data to another node',
      description:
        'The database is unavailable during the copy. Berth stops the service, dumps each database of its server, ' +
        'restores the dumps into a server on a new volume on the other node, and compares both servers. If they are ' +
        'equal, the service starts on the new volume. Its name and its external port stay the same, and the port is ' +
        `then open on the new node. ${aboutAccounts} Before Berth stops the service, it checks whether the server ` +
        'contains anything that cannot be copied; if so, the move ends in error, and the reason names this content. ' +
        'If the copy fails, the service starts on its old volume again, and the deployment ends in error. ' +
        'After a successful move the old volume is kept; volume.all lists it. During a move, other calls that begin a ' +
        'deployment of the service are refused with CONFLICT.',
      access: 'user:admin',
      input: inputOf(kind, { node: NodeText.describe('Id or host name of the new node') }),
      output: record(kind),
      refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
      async run(context, input) {
        await findRow(context.db, kind, idIn(kind, input))
        const nodes = await context.cluster.nodes()
        const node = nodeNamed(nodes, input.node)
        return context.conclude(async (tx, wake, follow) => {
          const row = await findRow(tx, kind, idIn(kind, input))
          await checkMove(tx, row, node, nodes)
          const started = await begin({ ...context, tx, wake, follow }, row, 'move', {})
          await insertMove(tx, {
            databaseId: row.id,
            deploymentId: started.deploymentId!,
            nodeId: node.id,
            nodeName: node.hostname,
            nodeAddress: node.address,
            volumeId: null,
            step: 'prepare',
            restoreRunId: null,
            inventorySum: null,
          })
          return toRecord({ ...context, db: tx }, started, kind, false)
        })
      },
      finalAnswer: async (context, input) =>
        toRecord(context, await findRow(context.db, kind, idIn(kind, input)), kind, false),
    }),
  ]
}

function nodeNamed(nodes: FoundNode[], idOrName: string): FoundNode {
  const matches = nodes.filter(({ id, hostname }) => id === idOrName || hostname === idOrName)
  if (matches.length > 1) refuseField('node', 'Several nodes have this host name. Give the id of one node')
  return matches[0] ?? refuseField('node', 'No node has this id or host name. cluster.getNodes lists all', 'NOT_FOUND')
}

/** Refuses a move to this node if it cannot begin now. */
async function checkMove(tx: Writer, row: Row, node: FoundNode, nodes: FoundNode[]): Promise<void> {
  if (row.deploymentId !== null) {
    refuse('CONFLICT', `Work on this service is in progress (deployment ${row.deploymentId}). Wait until it has ended`)
  }
  if (row.goal === 'up' && row.observed === 'unproven') {
    const { statusReason, statusCode } = statusAnswer(row.statusReason)
    refuse('CONFLICT', `${statusReason}. Move this service when its applicationStatus is done`, { reason: statusCode })
  }
  if (row.goal !== 'up' || row.observed !== 'up' || row.volumeId === null) {
    refuse('CONFLICT', `This service does not run. Call ${row.kind}.deploy and move it when the deployment is done`)
  }
  const { nodeId } = await tx
    .selectFrom('volume')
    .select('nodeId')
    .where('id', '=', row.volumeId)
    .executeTakeFirstOrThrow()
  if (nodeId === node.id) refuse('CONFLICT', `The service is on ${node.hostname} already. Choose another node`)
  checkUsable(nodes, nodeId)
  checkUsable(nodes, node.id)
  if ((await leavingNodes(tx)).has(node.id)) {
    refuse('CONFLICT', `Node ${node.hostname} is being removed from the swarm. Choose another node`)
  }
  const run = await tx
    .selectFrom('backupRun')
    .select(['id', 'action'])
    .where('databaseId', '=', row.id)
    .where('status', 'in', ['waiting', 'running'])
    .where('action', '!=', 'verify')
    .executeTakeFirst()
  if (run !== undefined) {
    refuse(
      'CONFLICT',
      `The run ${run.id} (${run.action}) is under way. Wait until it has ended, or cancel it with backup.cancel`,
    )
  }
}

/** Refuses a node that cannot run containers. Call this for both nodes, because a rollback needs the old one. */
function checkUsable(nodes: FoundNode[], nodeId: string): void {
  const usable = usableNodes(nodes, { node: nodeId, nodeLabel: null })
  if ('reason' in usable) refuse('CONFLICT', reasonMessage(usable), { reason: usable.reason })
}
