/** Finds and removes volumes, on the engine's own node and on other nodes. */
import type { DockerClient } from './transport/client.ts'
import { isMissing } from './transport/errors.ts'
import type { OwnNodeId } from './nodes/own-node.ts'
import type { RemoteNode } from './nodes/remote-node.ts'
import type { Engine } from '../engine.ts'

export function volumeMethods(
  client: DockerClient,
  ownNodeId: OwnNodeId,
  remote: RemoteNode,
): Pick<Engine, 'removeVolume' | 'hasVolume'> {
  const remove = async (name: string, nodeId: string) => {
    if (nodeId === (await ownNodeId())) await client.call({ method: 'DELETE', path: pathOf(name) })
    else await remote.removeVolume(name, nodeId)
  }
  const inspect = async (name: string, nodeId: string) => {
    if (nodeId === (await ownNodeId())) await client.call({ path: pathOf(name) })
    else await remote.findVolume(name, nodeId)
  }
  return {
    removeVolume: async (name, nodeId) => {
      await falseIfMissing(remove(name, nodeId))
    },
    hasVolume: (name, nodeId) => falseIfMissing(inspect(name, nodeId)),
  }
}

const pathOf = (name: string) => `/volumes/${encodeURIComponent(name)}`

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
