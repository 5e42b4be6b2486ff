/** The operation that moves a database to another node. It checks and records the move; step.ts carries it out. */
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

/** The move operation of a kind; none for a kind whose servers cannot be copied completely. */
export function moveOperations(kind: Kind): Operation[] {
  const serverInventory = kind.backup?.serverInventory
  if (serverInventory === undefined) return []
  const aboutAccounts =
    serverInventory.give === undefined
      ? 'Accounts other than those of the record cannot be copied'
      : 'Roles, their passwords and settings come along'
  return [
    action({
      name: `${kind.name}.move`,
      summary: 'Move the service with its data to another node',
      description:
        'An outage as long as the copy takes: the service is stopped, each database of its server is dumped ' +
        'and restored into a server on a fresh volume there, both are compared, and only where they are equal does ' +
        'the service start on it, under the same name and with the same external port; that is on the new node then. ' +
        `${aboutAccounts}; before anything is stopped the move ends in error where the server holds what would ` +
        'not be there afterwards, and says what. Whatever fails later leads back: the service starts on its old ' +
        'volume, and the work ends in error. Afterwards the old volume is kept: volume.all lists it. Other calls for ' +
        'work on the service are refused meanwhile.',
      access: 'user:admin',
      input: inputOf(kind, { node: NodeText.describe('The id or the host name of the node') }),
      output: record(kind),
      refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
      async run(context, input) {
        await findRow(context.db, kind, idIn(kind, input))
        const nodes = await context.cluster.nodes()
        const node = nodeNamed(nodes, input.node)
        return context.conclude(async (tx, wake, follow) => {
          const row = await findRow(tx, kind, idIn(kind, input))
          await check(tx, row, node, nodes)
          const started = await begin({ ...context, tx, wake, follow }, row, 'move', {})
          await insertMove(tx, {
            databaseId: row.id,
            deploymentId: started.deploymentId!,
            nodeId: node.id,
            nodeName: node.hostname,
            nodeAddress: node.address,
            volumeId: null,
            step: 'prepare',
          })
          return toRecord({ ...context, db: tx }, started, kind, false)
        })
      },
      finalAnswer: async (context, input) =>
        toRecord(context, await findRow(context.db, kind, idIn(kind, input)), kind, false),
    }),
  ]
}

function nodeNamed(nodes: FoundNode[], wanted: string): FoundNode {
  const matches = nodes.filter(({ id, hostname }) => id === wanted || hostname === wanted)
  if (matches.length > 1) refuseField('node', 'Several nodes have this host name. Give the id of one')
  return matches[0] ?? refuseField('node', 'There is no such node. cluster.getNodes lists those there are', 'NOT_FOUND')
}

async function check(tx: Writer, row: Row, node: FoundNode, nodes: FoundNode[]): Promise<void> {
  if (row.deploymentId !== null) refuse('CONFLICT', 'Work on this service is under way. Wait until it has ended')
  if (row.goal === 'up' && row.observed === 'unproven') {
    refuse('CONFLICT', `${statusAnswer(row.statusReason).statusReason}. Move it once it is done`)
  }
  if (row.goal !== 'up' || row.observed !== 'up' || row.volumeId === null) {
    refuse('CONFLICT', `This service does not run. Call ${row.kind}.deploy, and move it once it is done`)
  }
  const { nodeId } = await tx
    .selectFrom('volume')
    .select('nodeId')
    .where('id', '=', row.volumeId)
    .executeTakeFirstOrThrow()
  if (nodeId === node.id) refuse('CONFLICT', `It is on ${node.hostname} already`)
  checkTakes(nodes, nodeId)
  checkTakes(nodes, node.id)
  if ((await leavingNodes(tx)).has(node.id)) {
    refuse('CONFLICT', `The node ${node.hostname} is being removed. Choose another`)
  }
  const run = await tx
    .selectFrom('backupRun')
    .select(['id', 'action'])
    .where('databaseId', '=', row.id)
    .where('status', 'in', ['waiting', 'running'])
    .where('action', '!=', 'verify')
    .executeTakeFirst()
  if (run !== undefined) {
    refuse('CONFLICT', `The run ${run.id} (${run.action}) is under way. Wait for it, or backup.cancel it`)
  }
}

/** Refuses a node that cannot run containers. A rollback needs the old node, so both nodes are checked. */
function checkTakes(nodes: FoundNode[], nodeId: string): void {
  const usable = usableNodes(nodes, { node: nodeId, nodeLabel: null })
  if ('reason' in usable) refuse('CONFLICT', reasonMessage(usable))
}
