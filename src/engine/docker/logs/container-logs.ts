/**
 * Reads the logs of a service's containers from the engine of each container's node. logs.ts uses these logs if the
 * swarm's own log is incomplete. Throws EngineUnavailable if another node's logs cannot be read.
 */
import type { ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { RemoteNode, LogQuery } from '../nodes/remote-node.ts'
import { isMissing } from '../transport/errors.ts'
import type { OwnNodeId } from '../nodes/own-node.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'

/** Yields Docker's log frames, container by container. */
export type ContainerLogs = (serviceId: string, query: LogQuery, signal: AbortSignal) => AsyncIterable<Buffer>

export function containerLogs(client: DockerClient, ownNodeId: OwnNodeId, remote: RemoteNode): ContainerLogs {
  return async function* (serviceId, query, signal) {
    const tasks = await client.call<ApiTask[]>({ path: '/tasks', query: { filters: { service: [serviceId] } } })
    const local = await ownNodeId()
    for (const [nodeId, ids] of containersByNode(tasks)) {
      if (nodeId === local) for (const id of ids) yield* localLog(client, id, query, signal)
      else yield* await remote.logs(nodeId, ids, query).catch(throwIncomplete)
    }
  }
}

function containersByNode(tasks: ApiTask[]): Map<string, string[]> {
  const known = tasks.flatMap(({ NodeID, Status: { ContainerStatus } }) =>
    NodeID && ContainerStatus?.ContainerID ? [{ nodeId: NodeID, id: ContainerStatus.ContainerID }] : [],
  )
  const groups = Map.groupBy(known, ({ nodeId }) => nodeId)
  return new Map([...groups].map(([nodeId, group]) => [nodeId, group.map(({ id }) => id)]))
}

/** Yields nothing for a removed container, as the swarm's log does. */
async function* localLog(
  client: DockerClient,
  id: string,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* (await client.stream({ path: `/containers/${id}/logs`, query }, signal)) as AsyncIterable<Buffer>
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Throws EngineUnavailable for an EngineFailure, for example of a node that is unreachable or has left the swarm. */
function throwIncomplete(error: unknown): never {
  if (!(error instanceof EngineFailure)) throw error
  throw new EngineUnavailable(`The log of the service is incomplete: ${error.message}`, { cause: error })
}
