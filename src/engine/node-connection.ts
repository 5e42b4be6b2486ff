/** How Berth connects to the Docker API of another node. src/nodes/engines provides the connections. */

/** An address with mutual TLS. All texts of keys and certificates are in PEM. */
export interface NodeConnection {
  host: string
  port: number
  /** The certificates of the authorities that may have signed the node's certificate. */
  ca: string
  /** Berth's client certificate. */
  certificate: string
  key: string
  /** The name that the node's certificate must have. */
  serverName: string
}

/**
 * Returns how to reach a node's engine.
 *
 * @throws EngineFailure `nodeMissing` if the node is not in the swarm, and `nodeUnreachable` if the node has no engine
 * port yet or is down
 */
export type ConnectionTo = (nodeId: string) => Promise<NodeConnection>
