/**
 * The logs of a service's containers, each from the engine of its own node: the way to what the swarm does not give.
 * Whole or not at all.
 */
import type { ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { RemoteNode, LogQuery } from '../nodes/remote-node.ts'
import { isMissing } from '../transport/errors.ts'
import type { OwnNode } from '../nodes/own-node.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'

/** In frames, one container's after the other's. */
export type ContainerLogs = (serviceId: string, query: LogQuery, signal: AbortSignal) => AsyncIterable<Buffer>

export function containerLogs(client: DockerClient, own: OwnNode, far: RemoteNode): ContainerLogs {
  return async function* (serviceId, query, signal) {
    const tasks = await client.call<ApiTask[]>({ path: '/tasks', query: { filters: { service: [serviceId] } } })
    const local = await own()
    for (const [nodeId, ids] of containersByNode(tasks)) {
      if (nodeId === local) for (const id of ids) yield* logHere(client, id, query, signal)
      else yield* await far.logs(nodeId, ids, query).catch(refuseNotWhole)
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

/** Of a container that was removed nothing is left to read, here as in the swarm's log. */
async function* logHere(
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

/** Be it that the node is away, or that it has left the swarm. */
function refuseNotWhole(error: unknown): never {
  if (!(error instanceof EngineFailure)) throw error
  throw new EngineUnavailable(`The engine cannot give the whole log: ${error.message}`, { cause: error })
}
