/**
 * What operations may do to the swarm itself, at once and by the engine alone: its tokens, and how a node is used. What
 * takes longer is a loop's work. The engine's failures are refusals in its words.
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
