/**
 * The id of the engine's own node, cached for a few seconds. Only GET /info has the id, and the engine runs two
 * programs for each such request (Docker 20.10: 12 ms of CPU time).
 */
import type { ApiInfo } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'

/** The lifetime of the cached id. For this long, a change of the engine's swarm goes unnoticed. */
const cacheMs = 5000

/** Returns the node's id, or '' if the engine is in no swarm. */
export type OwnNode = () => Promise<string>

export function ownNode(client: DockerClient): OwnNode {
  let [id, readAt] = ['', 0]
  return async () => {
    if (id === '' || performance.now() - readAt > cacheMs) {
      const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
      ;[id, readAt] = [Swarm.NodeID, performance.now()]
    }
    return id
  }
}
