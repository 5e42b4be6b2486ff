/**
 * The changes to the swarm that operations make directly: join tokens, and the availability and labels of nodes. Longer
 * work is done by the loop in nodes/loop.ts. Engine failures become refusals with the engine's message.
 */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import type { NodeEngine } from '../engine/node.ts'
import { refuse } from '../errors.ts'

export type ClusterChanges = Pick<NodeEngine, 'nodes' | 'joining' | 'rotateToken' | 'updateNode'>

export function clusterOn(engine: NodeEngine): ClusterChanges {
  return {
    nodes: () => engine.nodes().catch(refuseFor),
    joining: (role) => engine.joining(role).catch(refuseFor),
    rotateToken: (role) => engine.rotateToken(role).catch(refuseFor),
    updateNode: (id, change) => engine.updateNode(id, change).catch(refuseFor),
  }
}

function refuseFor(error: unknown): never {
  if (error instanceof EngineUnavailable) refuse('SERVICE_UNAVAILABLE', error.message)
  if (!(error instanceof EngineFailure)) throw error
  if (error.reason === 'missing') refuse('NOT_FOUND', error.message)
  refuse('BAD_GATEWAY', error.message, { cause: error })
}
