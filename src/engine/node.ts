/** What Berth asks of an engine about the nodes of its cluster, beside what runs on them. Part of engine.ts. */
import type { FoundTask } from './engine.ts'

export type NodeRole = 'worker' | 'manager'
export type Availability = 'active' | 'pause' | 'drain'

export interface FoundNode {
  id: string
  /** Empty until the node has told of itself, for a moment after it joined. */
  hostname: string
  /** The address by which the swarm knows it, without a port. */
  address: string
  /** What it is to be; a change takes the swarm a moment. */
  role: NodeRole
  availability: Availability
  /** `disconnected`: a manager has lost sight of it only just now. */
  state: 'unknown' | 'down' | 'ready' | 'disconnected'
  /** Its state is ready. */
  ready: boolean
  /** Takes new tasks. */
  active: boolean
  /** The node that the engine's API stands on. */
  local: boolean
  /** Of a member of the managers' group; null for one that is none, or no longer. */
  manager: { leader: boolean; reachable: boolean } | null
  engineVersion: string
  cpuCores: number
  memoryBytes: number
  labels: Record<string, string>
}

/** By what another machine becomes a node. */
export interface Joining {
  token: string
  /** Where the swarm listens, as it advertises itself: host and port, an IPv6 host in brackets. */
  address: string
  /** Of the engine that answers there. */
  engineVersion: string
}

/** What is absent stays. */
export interface NodeChange {
  role?: NodeRole
  availability?: Availability
  /** All of them: one that is not there goes. */
  labels?: Record<string, string>
}

export interface NodeEngine {
  nodes(): Promise<FoundNode[]>
  /** What has not ended on that node, whosever it is, wanted or not. Nothing where there is no such node. */
  tasksOn(nodeId: string): Promise<FoundTask[]>
  joining(role: NodeRole): Promise<Joining>
  /** From then on the token before lets nobody in. Nodes that joined by it stay. */
  rotateToken(role: NodeRole): Promise<void>
  /** Reads the node again and retries when another writer was first; EngineFailure `missing` where it is gone. */
  updateNode(id: string, change: NodeChange): Promise<void>
  /**
   * Done when it is gone already. EngineFailure where it is a manager, and, without `force`, while it is not down. With
   * `force` nothing is waited for.
   */
  removeNode(id: string, force: boolean): Promise<void>
}
