/**
 * The id of the engine's own node, cached for a few seconds. Only GET /info has the id, and the engine runs two
 * programs for each such request (Docker 20.10: 12 ms of CPU time).
 */
import type { ApiInfo } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'

/** The lifetime of the cached id. A change of the engine's swarm can go unnoticed for this long. */
const cacheMs = 5000

/** Returns the node's id, or '' if the engine is in no swarm. */
export type OwnNodeId = () => Promise<string>

export function cachedOwnNodeId(client: DockerClient): OwnNodeId {
  let [id, readAt] = ['', 0]
  return async () => {
    if (id === '' || performance.now() - readAt > cacheMs) {
      const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
      ;[id, readAt] = [Swarm.NodeID, performance.now()]
    }
    return id
  }
}
