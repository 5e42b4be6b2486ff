/** The nodes of the remembering engine, with the refusals that the swarm has for them. */
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundTask } from '../../../src/engine/engine.ts'
import { endTask, isLive, settle, startTask } from './tasks.ts'
import { copyOf } from './state.ts'
import type { Runtime } from './state.ts'
import type { FoundNode, NodeChange, NodeEngine, NodeRole } from '../../../src/engine/node.ts'
import { hash } from '../../../src/engine/spec.ts'

/** What a test may say of a node. */
export type NodePatch = Partial<Omit<FoundNode, 'id' | 'ready' | 'active' | 'local'>>

/** The tokens of both roles begin alike, and end with a secret of their own. */
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
    joining: async (role) => {
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
  const of = (value: unknown) => `${hash(value)}${hash([value])}`
  return `SWMTKN-1-${of('cluster').slice(0, 50)}-${of([role, number]).slice(0, 25)}`
}

function tasksOn(runtime: Runtime, nodeId: string): FoundTask[] {
  const tasks = [...runtime.held.values()].flatMap((held) => held.tasks)
  return copyOf(tasks.filter((task) => task.nodeId === nodeId && isLive(task)))
}

/** Its manager's part goes and comes with the role at once. */
function reassign(runtime: Runtime, id: string, change: NodeChange): void {
  const node = known(runtime, id)
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
  const left = managers.filter((it) => it !== node && it.manager!.reachable).length
  if (left < Math.floor((managers.length - 1) / 2) + 1) {
    throw new EngineFailure('rejected', "can't remove member from the raft: this would result in a loss of quorum")
  }
  put(runtime, id, { ...change, manager: null })
}

/** As the swarm or somebody says it is; what runs there follows. */
export function put(runtime: Runtime, id: string, { ...patch }: NodePatch): void {
  const before = known(runtime, id)
  for (const name of Object.keys(patch) as (keyof NodePatch)[]) if (patch[name] === undefined) delete patch[name]
  const node = { ...before, ...copyOf(patch) }
  node.ready = node.state === 'ready'
  node.active = node.availability === 'active'
  runtime.nodes.set(id, node)
  follow(runtime, before, node)
  runtime.emit({ serviceName: null, action: 'update' })
}

/** Tasks leave a node that drains or is down; those that waited for it come when it takes them again. */
function follow(runtime: Runtime, before: FoundNode, now: FoundNode): void {
  const [had, has] = [before, now].map((node) => node.ready && node.availability !== 'drain')
  if (now.ready && !runtime.lingering.has(now.id)) endOn(runtime, now.id)
  for (const held of runtime.held.values()) {
    const [task] = held.tasks
    if (held.spec === null || task === undefined) continue
    if (had && !has && task.nodeId === now.id && task.desired === 'running') {
      // Of a node that is down, the swarm does not learn what becomes of its tasks.
      if (!now.ready || runtime.lingering.has(now.id)) task.desired = 'shutdown'
      else endTask(held)
      startTask(runtime, held, held.spec)
    }
    settle(runtime, held)
  }
}

/** The containers that were to end there have ended. */
export function endLingering(runtime: Runtime, nodeId: string): void {
  runtime.lingering.delete(nodeId)
  endOn(runtime, nodeId)
}

/** What is to end there has ended. */
function endOn(runtime: Runtime, nodeId: string): void {
  for (const { tasks } of [...runtime.held.values(), ...runtime.removed]) {
    for (const task of tasks) {
      if (task.nodeId === nodeId && task.desired === 'shutdown' && isLive(task)) task.state = 'shutdown'
    }
  }
}

/** What is on another node is reached by what is sent there. */
export function checkReached(runtime: Runtime, nodeId: string | null): void {
  const node = runtime.nodes.get(nodeId ?? runtime.nodeId)
  if (node === undefined) throw new EngineFailure('nodeMissing', `Node ${nodeId} is not in the swarm`)
  if (node.local) return
  const name = `Node ${node.hostname} (${node.address})`
  if (!node.ready) throw new EngineFailure('nodeUnreachable', `${name} is ${node.state}`)
  if (!node.active)
    throw new EngineFailure('nodeUnreachable', `${name} takes no tasks: its availability is ${node.availability}`)
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

export function take(runtime: Runtime, id: string): void {
  runtime.nodes.delete(id)
  for (const { tasks } of runtime.held.values()) {
    for (const task of tasks) {
      if (task.nodeId === id && isLive(task)) Object.assign(task, { state: 'orphaned', desired: 'shutdown' })
    }
  }
  runtime.emit({ serviceName: null, action: 'remove' })
}

function known(runtime: Runtime, id: string): FoundNode {
  const node = runtime.nodes.get(id)
  if (node === undefined) throw new EngineFailure('missing', `node ${id} not found`)
  return node
}
