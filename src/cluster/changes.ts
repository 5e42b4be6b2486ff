/**
 * The queries and changes of the swarm that operations call directly: nodes with their availability and labels, and
 * join tokens. The loop in nodes/loop.ts does longer work. Engine failures become refusals with the engine's message.
 */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import { refuse } from '../errors.ts'

export type ClusterChanges = Pick<Engine, 'nodes' | 'joinParameters' | 'rotateToken' | 'updateNode' | 'attachedJobs'>

export function clusterOn(engine: ClusterChanges): ClusterChanges {
  return {
    nodes: () => engine.nodes().catch(refuseFor),
    joinParameters: (role) => engine.joinParameters(role).catch(refuseFor),
    rotateToken: (role) => engine.rotateToken(role).catch(refuseFor),
    updateNode: (id, change) => engine.updateNode(id, change).catch(refuseFor),
    attachedJobs: (nodeId) => engine.attachedJobs(nodeId).catch(refuseFor),
  }
}

function refuseFor(error: unknown): never {
  if (error instanceof EngineUnavailable) refuse('SERVICE_UNAVAILABLE', error.message)
  if (!(error instanceof EngineFailure)) throw error
  if (error.reason === 'missing') refuse('NOT_FOUND', error.message)
  refuse('BAD_GATEWAY', error.message, { cause: error })
}
