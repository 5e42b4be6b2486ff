/**
 * Clients of the engines of other nodes. Each client talks to Docker's API of its node through the node's engine port,
 * with mutual TLS. A node whose engine does not answer is reported as EngineFailure `nodeUnreachable`, because
 * EngineUnavailable means the engine that Berth itself calls.
 */
import type { ApiInfo, ApiNode } from '../transport/api.ts'
import { clientOver } from '../transport/client.ts'
import type { DockerClient } from '../transport/client.ts'
import { dialNode } from '../transport/host.ts'
import { isMissing } from '../transport/errors.ts'
import { nodeFrom } from './nodes.ts'
import type { OwnNodeId } from './own-node.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { ConnectionTo, NodeConnection } from '../../node-connection.ts'

export interface NodeClients {
  /**
   * Returns the client of a node's engine.
   *
   * @param nodeId absent or null: the engine's own node
   * @throws EngineFailure `nodeMissing` or `nodeUnreachable`
   */
  of(nodeId?: string | null): Promise<DockerClient>
}

interface CheckedClient {
  /** The connection as text. Another text means another client. */
  key: string
  client: DockerClient
  /** Settles when the engine has reported the expected node. */
  checked: Promise<void>
}

export function nodeClients(
  own: DockerClient,
  ownNodeId: OwnNodeId,
  connectionTo: ConnectionTo,
  timeoutMs: number | undefined,
): NodeClients {
  const clients = new Map<string, CheckedClient>()
  const clientOf = (nodeId: string, connection: NodeConnection): CheckedClient => {
    const key = JSON.stringify(connection)
    const existing = clients.get(nodeId)
    if (existing?.key === key) return existing
    const client = explaining(own, nodeId, clientOver(dialNode(connection), timeoutMs), connection)
    const created = { key, client, checked: checkNode(client, nodeId) }
    clients.set(nodeId, created)
    created.checked.catch(() => {
      if (clients.get(nodeId) === created) clients.delete(nodeId)
    })
    return created
  }
  return {
    of: async (nodeId) => {
      if (!nodeId || nodeId === (await ownNodeId())) return own
      try {
        const { client, checked } = clientOf(nodeId, await connectionTo(nodeId))
        await checked
        return client
      } catch (error) {
        throw await explained(own, nodeId, error)
      }
    },
  }
}

/** Throws EngineFailure `nodeUnreachable` if the engine at the address belongs to another node. */
async function checkNode(client: DockerClient, nodeId: string): Promise<void> {
  const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
  if (Swarm.NodeID === nodeId) return
  throw new EngineFailure('nodeUnreachable', `The engine at the address of node ${nodeId} is of node ${Swarm.NodeID}`)
}

/** Turns EngineUnavailable of each method into EngineFailure `nodeUnreachable` with the address. */
function explaining(
  own: DockerClient,
  nodeId: string,
  client: DockerClient,
  { host, port }: NodeConnection,
): DockerClient {
  const explain = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      const message = `${host}:${port}: ${error.message}`
      throw await explained(own, nodeId, new EngineFailure('nodeUnreachable', message, { cause: error }))
    }
  }
  return {
    call: (call) => explain(client.call(call)),
    bytes: (call) => explain(client.bytes(call)),
    stream: (call, signal) => explain(client.stream(call, signal)),
    hijack: (call) => explain(client.hijack(call)),
    following: explain,
  }
}

/** Replaces `nodeUnreachable` by a better explanation, if the swarm knows one: the node is down, or not in the swarm. */
async function explained(own: DockerClient, nodeId: string, error: unknown): Promise<unknown> {
  if (!(error instanceof EngineFailure) || error.reason !== 'nodeUnreachable') return error
  try {
    const node = nodeFrom(await own.call<ApiNode>({ path: `/nodes/${encodeURIComponent(nodeId)}` }), '')
    if (node.ready) return error
    const message = `Node ${node.hostname} (${node.address}) is ${node.state}`
    return new EngineFailure('nodeUnreachable', message, { cause: error })
  } catch (failure) {
    if (isMissing(failure)) return new EngineFailure('nodeMissing', `Node ${nodeId} is not in the swarm`)
    return failure
  }
}
