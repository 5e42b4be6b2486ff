/** Finds and removes volumes. Only the engine of a node knows the node's volumes. */
import { isMissing } from './transport/errors.ts'
import type { NodeClients } from './nodes/node-clients.ts'
import type { Engine } from '../engine.ts'

export function volumeMethods(nodes: NodeClients): Pick<Engine, 'removeVolume' | 'hasVolume'> {
  const request = async (method: 'GET' | 'DELETE', name: string, nodeId: string) => {
    const engine = await nodes.of(nodeId)
    await engine.call({ method, path: `/volumes/${encodeURIComponent(name)}` })
  }
  return {
    removeVolume: async (name, nodeId) => {
      await falseIfMissing(request('DELETE', name, nodeId))
    },
    hasVolume: (name, nodeId) => falseIfMissing(request('GET', name, nodeId)),
  }
}

/** Returns true after a successful request, and false if the volume does not exist. Throws every other failure. */
async function falseIfMissing(request: Promise<void>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
