/**
 * The tasks of the remembering engine. A service that crashes or is rejected has one more failed task each time its
 * tasks are looked at, up to the swarm's history of five: no time has to pass.
 */
import { taskFailureOf } from '../../../src/engine/docker/services/task-failure.ts'
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundTask, TaskState } from '../../../src/engine/engine.ts'
import type { Behaviour, Held, World } from './state.ts'
import { containerDigestOf } from '../../../src/engine/spec.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

const mostTasks = 5
const failing = new Set(['rejected', 'failed', 'crash', 'out of memory'])
const withoutContainer = new Set(['rejected', 'pending', 'preparing'])

export function startTask(world: World, it: Held, spec: ServiceSpec): void {
  const number = world.nextNumber()
  const now = world.now().toISOString()
  const task: FoundTask = {
    id: `task${number}`,
    serviceName: spec.name,
    state: 'new',
    desired: 'running',
    failure: null,
    exitCode: null,
    containerId: null,
    nodeId: null,
    address: `10.200.${number >> 8}.${number & 255}`,
    digest: containerDigestOf(spec),
    createdAt: now,
    updatedAt: now,
  }
  it.tasks = [task, ...it.tasks].slice(0, mostTasks)
  settle(world, it)
}

/** Brings the newest task to where its service's behaviour lets it come. */
export function settle(world: World, { spec, tasks: [task] }: Held): void {
  if (!spec || task?.desired !== 'running') return
  const nodeId = task.nodeId ?? nodeFor(world, spec)
  const [how, words] = nodeId === null ? nowhere(world) : behaviourOf(world, spec)
  const hasContainer = !withoutContainer.has(how)
  if (hasContainer) for (const it of spec.mounts) if (it.type === 'volume') world.volumes.add(it.name)
  const isStart = task.state !== 'running' && how === 'running'
  if (task.state !== stateOf(how)) task.updatedAt = world.now().toISOString()
  task.state = stateOf(how)
  task.failure = how === 'pending' ? taskFailureOf(words) : null
  task.containerId = hasContainer ? `container-of-${task.id}` : null
  task.nodeId = how === 'pending' ? null : nodeId
  if (isStart) world.emit({ serviceName: spec.name, action: 'start' })
}

/** The one that it is pinned to, where that takes tasks. */
function nodeFor(world: World, { nodeId }: ServiceSpec): string | null {
  const node = world.nodes.get(nodeId)
  return node?.ready && node.active ? nodeId : null
}

const nowhere = ({ nodes }: World): [how: string, words: string] => [
  'pending',
  `no suitable node (scheduling constraints not satisfied on ${nodes.size} nodes)`,
]

/** Its container may still be there. */
export function isLive({ state }: FoundTask): boolean {
  return !['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'].includes(state)
}

/** Ends the newest task where its service's behaviour has it fail, and starts the next. */
export function failOnce(world: World, it: Held): void {
  const task = it.tasks[0]
  if (!it.spec || !task) return
  const [how, words] = behaviourOf(world, it.spec)
  if (!failing.has(how)) return
  settle(world, it)
  const exitCode = how === 'crash' ? Number(words) : how === 'out of memory' ? 137 : null
  const failure = taskFailureOf(exitCode === null ? words : `task: non-zero exit (${exitCode})`)
  const state = how === 'rejected' ? 'rejected' : 'failed'
  Object.assign(task, { state, desired: 'shutdown', exitCode, failure, updatedAt: world.now().toISOString() })
  if (how === 'out of memory') world.outOfMemory.add(task.id)
  world.emit({ serviceName: it.spec.name, action: 'die' })
  startTask(world, it, it.spec)
}

export function endTask({ tasks: [task] }: Held): void {
  if (task?.desired === 'running') Object.assign(task, { state: 'shutdown', desired: 'shutdown', exitCode: 0 })
}

/** Throws where the task's container is not there or not running. */
export function checkContainer(world: World, task: FoundTask): void {
  const now = world.held.get(task.serviceName)?.tasks.find((it) => it.id === task.id)
  if (!task.containerId) throw new EngineFailure('conflict', `The task of ${task.serviceName} has no container.`)
  if (!now) throw new EngineFailure('missing', `No such container: ${task.containerId}`)
  if (now.desired !== 'running') throw new EngineFailure('conflict', `Container ${task.containerId} is not running`)
}

function behaviourOf(world: World, spec: ServiceSpec): [how: string, words: string] {
  const missing: Behaviour = `rejected:No such image: ${spec.image}`
  const behaviour = world.isPresent(spec.image) ? (world.behaviours.get(spec.name) ?? 'running') : missing
  const at = behaviour.indexOf(':')
  return at < 0 ? [behaviour, ''] : [behaviour.slice(0, at), behaviour.slice(at + 1)]
}

function stateOf(how: string): TaskState {
  if (how === 'running' || how === 'pending') return how
  return withoutContainer.has(how) ? 'preparing' : 'starting'
}
