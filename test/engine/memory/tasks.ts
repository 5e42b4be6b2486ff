/**
 * The tasks of the in-memory engine. Each query of the tasks of a service that crashes or is rejected adds a failed
 * task, up to the swarm's history of five. So tests need not wait.
 */
import { taskFailureOf } from '../../../src/engine/docker/services/task-failure.ts'
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundTask, TaskState } from '../../../src/engine/engine.ts'
import type { Behaviour, MemoryService, Runtime } from './state.ts'
import { containerDigestOf } from '../../../src/engine/spec.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

const maxTasks = 5
const failing = new Set(['rejected', 'failed', 'crash', 'out of memory'])
const withoutContainer = new Set(['rejected', 'pending', 'preparing'])

export function startTask(runtime: Runtime, it: MemoryService, spec: ServiceSpec): void {
  const number = runtime.nextNumber()
  const now = runtime.now().toISOString()
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
  it.tasks = [task, ...it.tasks].slice(0, maxTasks)
  settle(runtime, it)
}

/** Moves the newest task to the state that its service's behaviour allows. */
export function settle(runtime: Runtime, { spec, tasks: [task] }: MemoryService): void {
  if (!spec || task?.desired !== 'running') return
  const nodeId = task.nodeId ?? nodeFor(runtime, spec)
  const [how, words] = nodeId === null ? noSuitableNode(runtime) : behaviourOf(runtime, spec)
  const hasContainer = !withoutContainer.has(how)
  if (hasContainer) for (const it of spec.mounts) if (it.type === 'volume') runtime.volumes.add(it.name)
  const isStart = task.state !== 'running' && how === 'running'
  if (task.state !== stateOf(how)) task.updatedAt = runtime.now().toISOString()
  task.state = stateOf(how)
  task.failure = how === 'pending' ? taskFailureOf(words) : null
  task.containerId = hasContainer ? `container-of-${task.id}` : null
  task.nodeId = how === 'pending' ? null : nodeId
  if (isStart) runtime.emit({ serviceName: spec.name, action: 'start' })
}

/** The node that the service is pinned to; null if that node accepts no tasks. */
function nodeFor(runtime: Runtime, { nodeId }: ServiceSpec): string | null {
  const node = runtime.nodes.get(nodeId)
  return node?.ready && node.active ? nodeId : null
}

const noSuitableNode = ({ nodes }: Runtime): [how: string, words: string] => [
  'pending',
  `no suitable node (scheduling constraints not satisfied on ${nodes.size} nodes)`,
]

/** Whether the task's container may still run. */
export function isLive({ state }: FoundTask): boolean {
  return !['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'].includes(state)
}

/** If the service's behaviour is a failure, fails the newest task and starts the next one. */
export function failOnce(runtime: Runtime, it: MemoryService): void {
  const task = it.tasks[0]
  if (!it.spec || !task) return
  const [how, words] = behaviourOf(runtime, it.spec)
  if (!failing.has(how)) return
  settle(runtime, it)
  const exitCode = how === 'crash' ? Number(words) : how === 'out of memory' ? 137 : null
  const failure = taskFailureOf(exitCode === null ? words : `task: non-zero exit (${exitCode})`)
  const state = how === 'rejected' ? 'rejected' : 'failed'
  Object.assign(task, { state, desired: 'shutdown', exitCode, failure, updatedAt: runtime.now().toISOString() })
  if (how === 'out of memory') runtime.outOfMemory.add(task.id)
  runtime.emit({ serviceName: it.spec.name, action: 'die' })
  startTask(runtime, it, it.spec)
}

export function endTask({ tasks: [task] }: MemoryService): void {
  if (task?.desired === 'running') Object.assign(task, { state: 'shutdown', desired: 'shutdown', exitCode: 0 })
}

/** Throws EngineFailure if the task's container is missing or does not run. */
export function checkContainer(runtime: Runtime, task: FoundTask): void {
  const now = runtime.services.get(task.serviceName)?.tasks.find((it) => it.id === task.id)
  if (!task.containerId) throw new EngineFailure('conflict', `The task of ${task.serviceName} has no container.`)
  if (!now) throw new EngineFailure('missing', `No such container: ${task.containerId}`)
  if (now.desired !== 'running') throw new EngineFailure('conflict', `Container ${task.containerId} is not running`)
}

function behaviourOf(runtime: Runtime, spec: ServiceSpec): [how: string, words: string] {
  const missing: Behaviour = `rejected:No such image: ${spec.image}`
  const behaviour = runtime.isPresent(spec.image) ? (runtime.behaviours.get(spec.name) ?? 'running') : missing
  const at = behaviour.indexOf(':')
  return at < 0 ? [behaviour, ''] : [behaviour.slice(0, at), behaviour.slice(at + 1)]
}

function stateOf(how: string): TaskState {
  if (how === 'running' || how === 'pending') return how
  return withoutContainer.has(how) ? 'preparing' : 'starting'
}
