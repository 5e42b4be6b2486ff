/** The part of the Engine interface (engine.ts) that reads and changes the nodes of the swarm. */
import type { FoundTask } from './engine.ts'

export type NodeRole = 'worker' | 'manager'
export type Availability = 'active' | 'pause' | 'drain'

export interface FoundNode {
  id: string
  /** Empty until a new node has reported its description to the swarm. */
  hostname: string
  /** The address under which the swarm knows the node, without a port. */
  address: string
  /** The wanted role. The swarm takes a moment to apply a change of the role. */
  role: NodeRole
  availability: Availability
  /** `disconnected`: the managers lost the connection to the node a moment ago. */
  state: 'unknown' | 'down' | 'ready' | 'disconnected'
  /** Whether `state` is `ready`. */
  ready: boolean
  /** Whether `availability` is `active`: the node accepts new tasks. */
  active: boolean
  /** Whether this is the node of the engine that Berth calls. */
  local: boolean
  /** The node's status as a member of the managers' Raft group; null if the node is not a member. */
  manager: { leader: boolean; reachable: boolean } | null
  engineVersion: string
  cpuCores: number
  memoryBytes: number
  labels: Record<string, string>
}

/** The token and address for `docker swarm join` on another machine, and the version of the manager's engine. */
export interface JoinParameters {
  token: string
  /** The advertised address of the manager: host and port, an IPv6 host in brackets. */
  address: string
  /** The version of the engine at `address`. */
  engineVersion: string
}

/** A change to a node. Absent fields stay as they are. */
export interface NodeChange {
  role?: NodeRole
  availability?: Availability
  /** The complete set of labels: labels that are not listed are removed. */
  labels?: Record<string, string>
}

export interface NodeEngine {
  nodes(): Promise<FoundNode[]>
  /**
   * Resolves if the engine of another node answers Berth's calls, and is the engine of that node.
   *
   * @throws NodeContactFailure if it does not answer; EngineFailure `nodeMissing` or `nodeUnreachable` if Berth cannot
   * connect to the node now
   */
  pingNode(nodeId: string): Promise<void>
  /** Returns the node's tasks that have not ended, of all services. Empty if the node does not exist. */
  tasksOn(nodeId: string): Promise<FoundTask[]>
  /** Returns the token and address with which a machine joins in this role. */
  joinParameters(role: NodeRole): Promise<JoinParameters>
  /** Replaces the join token of the role. The previous token becomes invalid; nodes that used it stay. */
  rotateToken(role: NodeRole): Promise<void>
  /**
   * Changes a node. Reads the node again and retries after a concurrent update. Throws EngineFailure `missing` if the
   * node does not exist.
   *
   * @param isWanted asked after each read. If it returns false, nothing is changed. A change of the node by somebody
   * else after `isWanted` returned true leads to another read, so it is never overwritten unseen
   */
  updateNode(id: string, change: NodeChange, isWanted?: () => Promise<boolean>): Promise<void>
  /**
   * Removes a node from the swarm. Succeeds if the node does not exist. Throws EngineFailure if the node is a manager,
   * or if it is not down and `force` is false.
   */
  removeNode(id: string, force: boolean): Promise<void>
}
