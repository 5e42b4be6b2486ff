/**
 * Which node of its swarm the engine itself is. It tells that only among all that it knows of itself, for which it runs
 * two programs each time (Docker 20.10: 12 ms of processor time), so what it told holds for a while.
 */
import type { ApiInfo } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'

/** For so long an engine that has left its swarm for another is taken for the node that it was. */
const holdsMs = 5000

/** The node's id; '' where the engine is in no swarm. */
export type OwnNode = () => Promise<string>

export function ownNode(client: DockerClient): OwnNode {
  let [known, toldAt] = ['', 0]
  return async () => {
    if (known === '' || performance.now() - toldAt > holdsMs) {
      const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
      ;[known, toldAt] = [Swarm.NodeID, performance.now()]
    }
    return known
  }
}
