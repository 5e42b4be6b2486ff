/** The nodes of the in-memory engine, with the errors of the swarm. */
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundTask } from '../../../src/engine/engine.ts'
import { endTask, isLive, updateNewestTask, startTask } from './tasks.ts'
import { copyOf } from './state.ts'
import type { Runtime } from './state.ts'
import type { FoundNode, NodeChange, NodeEngine, NodeRole } from '../../../src/engine/node.ts'
import { hash } from '../../../src/engine/spec.ts'

/** The fields of a node that a test can set. */
export type NodePatch = Partial<Omit<FoundNode, 'id' | 'ready' | 'active' | 'local'>>

/** The number of rotations of each token. Both tokens have the same beginning and end with different secrets. */
export interface Tokens {
  worker: number
  manager: number
}

const port = 2377

export function nodesIn(runtime: Runtime): NodeEngine {
  const tokens: Tokens = { worker: 0, manager: 0 }
  return {
    nodes: async () => [...runtime.nodes.values()].map((node) => copyOf(node)),
    tasksOn: async (nodeId) => tasksOn(runtime, nodeId),
    joinParameters: async (role) => {
      const { address, engineVersion } = runtime.nodes.get(runtime.nodeId)!
      const host = address.includes(':') ? `[${address}]` : address
      return { token: tokenOf(role, tokens[role]), address: `${host}:${port}`, engineVersion }
    },
    rotateToken: async (role) => {
      tokens[role]++
    },
    updateNode: async (id, change) =>
      change.role === undefined ? put(runtime, id, change) : reassign(runtime, id, change),
    removeNode: async (id, force) => removeNode(runtime, id, force),
  }
}

function tokenOf(role: NodeRole, number: number): string {
  const hexOf = (value: unknown) => `${hash(value)}${hash([value])}`
  return `SWMTKN-1-${hexOf('cluster').slice(0, 50)}-${hexOf([role, number]).slice(0, 25)}`
}

function tasksOn(runtime: Runtime, nodeId: string): FoundTask[] {
  const tasks = [...runtime.services.values()].flatMap((service) => service.tasks)
  return copyOf(tasks.filter((task) => task.nodeId === nodeId && isLive(task)))
}

/** Changes the role of a node. Its manager status changes at once. */
function reassign(runtime: Runtime, id: string, change: NodeChange): void {
  const node = existingNode(runtime, id)
  const managers = [...runtime.nodes.values()].filter(({ manager }) => manager !== null)
  if (node.manager === null) {
    const manager = change.role === 'worker' ? null : { leader: false, reachable: true }
    put(runtime, id, { ...change, manager })
    return
  }
  if (change.role === 'manager') {
    put(runtime, id, change)
    return
  }
  if (managers.length === 1) throw new EngineFailure('rejected', 'attempting to demote the last manager of the swarm')
  const reachable = managers.filter((it) => it !== node && it.manager!.reachable).length
  if (reachable < Math.floor((managers.length - 1) / 2) + 1) {
    throw new EngineFailure('rejected', "can't remove member from the raft: this would result in a loss of quorum")
  }
  put(runtime, id, { ...change, manager: null })
}

/** Adds a worker that equals the engine's own node except for `changes`. */
export function addNode(runtime: Runtime, id: string, changes: NodePatch = {}): void {
  const role = { role: 'worker', manager: null } as const
  runtime.nodes.set(id, { ...runtime.nodes.get(runtime.nodeId)!, ...role, id, hostname: id, local: false })
  put(runtime, id, changes)
}

/** Changes a node, and moves its tasks accordingly. */
export function put(runtime: Runtime, id: string, { ...patch }: NodePatch): void {
  const before = existingNode(runtime, id)
  for (const name of Object.keys(patch) as (keyof NodePatch)[]) if (patch[name] === undefined) delete patch[name]
  const node = { ...before, ...copyOf(patch) }
  node.ready = node.state === 'ready'
  node.active = node.availability === 'active'
  runtime.nodes.set(id, node)
  moveTasks(runtime, before, node)
  runtime.emit({ serviceName: null, action: 'update', isForeign: false })
}

/**
 * Moves tasks away from a node that is drained or down, and starts pending tasks on a node that accepts tasks again.
 */
function moveTasks(runtime: Runtime, before: FoundNode, node: FoundNode): void {
  const [couldRun, canRun] = [before, node].map((state) => state.ready && state.availability !== 'drain')
  if (node.ready && !runtime.lingering.has(node.id)) endOn(runtime, node.id)
  for (const service of runtime.services.values()) {
    const [task] = service.tasks
    if (service.spec === null || task === undefined) continue
    if (couldRun && !canRun && task.nodeId === node.id && task.desired === 'running') {
      // The swarm does not learn the state of tasks on a node that is down.
      if (!node.ready || runtime.lingering.has(node.id)) task.desired = 'shutdown'
      else endTask(service)
      startTask(runtime, service, service.spec)
    }
    updateNewestTask(runtime, service)
  }
}

/** Ends the containers that were lingering on the node. */
export function endLingering(runtime: Runtime, nodeId: string): void {
  runtime.lingering.delete(nodeId)
  endOn(runtime, nodeId)
}

/** Ends the tasks on the node whose desired state is `shutdown`. */
function endOn(runtime: Runtime, nodeId: string): void {
  for (const { tasks } of [...runtime.services.values(), ...runtime.removed]) {
    for (const task of tasks) {
      if (task.nodeId === nodeId && task.desired === 'shutdown' && isLive(task)) task.state = 'shutdown'
    }
  }
}

/** Throws EngineFailure if a remote command could not reach the node. */
export function checkReached(runtime: Runtime, nodeId: string | null): void {
  const node = runtime.nodes.get(nodeId ?? runtime.nodeId)
  if (node === undefined) throw new EngineFailure('nodeMissing', `Node ${nodeId} is not in the swarm`)
  if (node.local) return
  const name = `Node ${node.hostname} (${node.address})`
  if (!node.ready) throw new EngineFailure('nodeUnreachable', `${name} is ${node.state}`)
  if (!node.active) {
    throw new EngineFailure('nodeUnreachable', `${name} takes no tasks: its availability is ${node.availability}`)
  }
}

function removeNode(runtime: Runtime, id: string, force: boolean): void {
  const node = runtime.nodes.get(id)
  if (node === undefined) return
  if (node.role === 'manager') {
    throw new EngineFailure(
      'rejected',
      `node ${id} is a cluster manager and is a member of the raft cluster. ` +
        'It must be demoted to worker before removal',
    )
  }
  if (node.ready && !force) throw new EngineFailure('rejected', `node ${id} is not down and can't be removed`)
  take(runtime, id)
}

/** Removes a node without checks. Its tasks become orphaned. */
export function take(runtime: Runtime, id: string): void {
  runtime.nodes.delete(id)
  for (const { tasks } of runtime.services.values()) {
    for (const task of tasks) {
      if (task.nodeId === id && isLive(task)) Object.assign(task, { state: 'orphaned', desired: 'shutdown' })
    }
  }
  runtime.emit({ serviceName: null, action: 'remove', isForeign: false })
}

/** Gives a node another id. Its volumes stay on it. A swarm that was made anew has no services. */
export function rejoin(runtime: Runtime, id: string, newId: string): void {
  const node = existingNode(runtime, id)
  take(runtime, id)
  if (node.local) {
    runtime.nodeId = newId
    runtime.services.clear()
    runtime.removed.clear()
    runtime.charge = null
  }
  runtime.nodes.set(newId, { ...node, id: newId })
  for (const nodes of runtime.homes.values()) if (nodes.delete(id)) nodes.add(newId)
  runtime.emit({ serviceName: null, action: 'create', isForeign: false })
}

function existingNode(runtime: Runtime, id: string): FoundNode {
  const node = runtime.nodes.get(id)
  if (node === undefined) throw new EngineFailure('missing', `node ${id} not found`)
  return node
}
