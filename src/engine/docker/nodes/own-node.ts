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

/**
 * Concurrent calls share one request. If a later request fails, the id read before stays: the id of a node is the same
 * for as long as its engine is in the swarm.
 *
 * @param nowMs a clock that is never set back
 */
export function cachedOwnNodeId(client: DockerClient, nowMs = () => performance.now()): OwnNodeId {
  let [id, readAt] = ['', 0]
  let pending: Promise<string> | null = null
  const read = async () => {
    try {
      id = (await client.call<ApiInfo>({ path: '/info' })).Swarm.NodeID
    } catch (error) {
      if (id === '') throw error
    } finally {
      readAt = nowMs()
      pending = null
    }
    return id
  }
  return async () => {
    if (id !== '' && nowMs() - readAt <= cacheMs) return id
    pending ??= read()
    return pending
  }
}
