/**
 * The loop over the nodes of the swarm. Each turn records which nodes joined, left, went down or became ready, looks for
 * the volumes of lost nodes, and takes one step of each node removal. The loop is idempotent: if a turn fails, the next
 * turn repeats its work.
 */
import type { FoundNode } from '../engine/node.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import type { NodeTable } from '../cluster/table.ts'
import { deleteNode, leavingNodes, recordNode } from '../cluster/queries.ts'
import type { Writer } from '../store/schema.ts'
import { returnedFinder } from './find-returned.ts'
import { stepRemoval } from './removal-step.ts'
import type { Runtime } from '../runtime.ts'

export function nodesLoop(runtime: Runtime): Loop<'nodes'> {
  const findReturned = returnedFinder(runtime)
  return { name: 'nodes', periodMs: 5000, minGapMs: 1000, againMs: 200, turn: () => nodesTurn(runtime, findReturned) }
}

async function nodesTurn(runtime: Runtime, findReturned: ReturnType<typeof returnedFinder>): Promise<Turn> {
  await runtime.ensureEngine()
  const nodes = await runtime.engine.nodes()
  await recordChanges(runtime, nodes)
  if (runtime.gate.reason() !== null) return 'idle'
  await findReturned(nodes)
  const leaving = await runtime.db.selectFrom('node').selectAll().where('deploymentId', 'is not', null).execute()
  // The steps run one after the other: a manager can be removed only if enough other managers are left.
  let turn: Turn = 'idle'
  for (const row of leaving) {
    const isFirst = row === leaving[0]
    if ((await stepRemoval(runtime, row, isFirst ? nodes : await runtime.engine.nodes())) === 'again') turn = 'again'
  }
  return turn
}

async function recordChanges({ db, transact, now, log }: Runtime, nodes: FoundNode[]): Promise<void> {
  const before = new Map((await db.selectFrom('node').selectAll().execute()).map((row) => [row.id, row]))
  const present = new Set(nodes.map(({ id }) => id))
  const changed = nodes.filter((node) => node.hostname !== '' && !isSame(before.get(node.id), node))
  // The removal step deletes the rows of nodes that are being removed.
  const departed = [...before.values()].filter(({ id, deploymentId }) => !present.has(id) && deploymentId === null)
  if (changed.length === 0 && departed.length === 0) return
  const since = now().toISOString()
  await transact(async (tx) => {
    for (const { id } of departed) {
      if (!(await leavingNodes(tx)).has(id)) await deleteNode(tx, id)
    }
    for (const node of changed) await recordState(tx, before.get(node.id), node, since)
  })
  for (const { id, hostname } of departed) log.warn('a node left the swarm', { nodeId: id, hostname })
  for (const { id, hostname, state } of changed) {
    const previous = before.get(id)
    if (previous?.state === state) continue
    const fields = { nodeId: id, hostname, state }
    if (previous === undefined) log.info('a node joined the swarm', fields)
    else if (state === 'ready') log.info('a node is ready again', { ...fields, since: previous.since })
    else log.warn('a node is not ready', fields)
  }
}

const isSame = (before: NodeTable | undefined, { hostname, state }: FoundNode) =>
  before?.state === state && before.hostname === hostname

async function recordState(
  tx: Writer,
  before: NodeTable | undefined,
  { id, hostname, state }: FoundNode,
  since: string,
) {
  await recordNode(tx, { id, hostname, state, since: before?.state === state ? before.since : since })
}
