/**
 * The tasks of the in-memory engine. If a service crashes or is rejected, each query of its tasks adds a failed task,
 * up to the swarm's history of five. Therefore tests do not have to wait for failures.
 */
import { taskFailureOf } from '../../../src/engine/docker/services/task-failure.ts'
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundTask, TaskState } from '../../../src/engine/engine.ts'
import { placementOf } from './state.ts'
import type { Behaviour, MemoryService, Runtime } from './state.ts'
import { containerDigestOf } from '../../../src/engine/spec.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

const maxTasks = 5
const failing = new Set(['rejected', 'failed', 'crash', 'out of memory'])
const withoutContainer = new Set(['rejected', 'pending', 'preparing'])

export function startTask(runtime: Runtime, service: MemoryService, spec: ServiceSpec): void {
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
  service.tasks = [task, ...service.tasks].slice(0, maxTasks)
  runtime.mounted.set(task.id, placementOf(spec).volumes)
  updateNewestTask(runtime, service)
}

/** Moves the newest task to the state that its service's behaviour allows. */
export function updateNewestTask(runtime: Runtime, { spec, tasks: [task] }: MemoryService): void {
  if (!spec || task?.desired !== 'running') return
  const nodeId = task.nodeId ?? nodeFor(runtime, spec)
  const [behaviour, detail] = nodeId === null ? noSuitableNode(runtime) : behaviourOf(runtime, spec)
  const hasContainer = !withoutContainer.has(behaviour)
  if (hasContainer) {
    for (const { type, name } of spec.mounts) if (type === 'volume') addVolume(runtime, name, nodeId!)
  }
  const isStart = task.state !== 'running' && behaviour === 'running'
  if (task.state !== stateOf(behaviour)) task.updatedAt = runtime.now().toISOString()
  task.state = stateOf(behaviour)
  task.failure = behaviour === 'pending' ? taskFailureOf(detail) : null
  task.containerId = hasContainer ? `container-of-${task.id}` : null
  task.nodeId = behaviour === 'pending' ? null : nodeId
  if (isStart) runtime.emit({ serviceName: spec.name, action: 'start', isForeign: false })
}

function addVolume({ volumes, homes }: Runtime, name: string, nodeId: string): void {
  if (!volumes.has(name)) homes.set(name, new Set())
  volumes.add(name)
  homes.get(name)?.add(nodeId)
}

/** The node that the service is pinned to; null if that node accepts no tasks. */
function nodeFor(runtime: Runtime, { nodeId }: ServiceSpec): string | null {
  const node = runtime.nodes.get(nodeId)
  return node?.ready && node.active ? nodeId : null
}

const noSuitableNode = ({ nodes }: Runtime): [name: string, detail: string] => [
  'pending',
  `no suitable node (scheduling constraints not satisfied on ${nodes.size} nodes)`,
]

/** Whether the task's container may still run. */
export function isLive({ state }: FoundTask): boolean {
  return !['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'].includes(state)
}

/** If the service's behaviour is a failure, fails the newest task and starts the next task. */
export function failTask(runtime: Runtime, service: MemoryService): void {
  const task = service.tasks[0]
  if (!service.spec || !task) return
  const [behaviour, detail] = behaviourOf(runtime, service.spec)
  if (!failing.has(behaviour)) return
  updateNewestTask(runtime, service)
  const exitCode = behaviour === 'crash' ? Number(detail) : behaviour === 'out of memory' ? 137 : null
  const failure = taskFailureOf(exitCode === null ? detail : `task: non-zero exit (${exitCode})`)
  const state = behaviour === 'rejected' ? 'rejected' : 'failed'
  Object.assign(task, { state, desired: 'shutdown', exitCode, failure, updatedAt: runtime.now().toISOString() })
  if (behaviour === 'out of memory') runtime.outOfMemory.add(task.id)
  runtime.emit({ serviceName: service.spec.name, action: 'die', isForeign: false })
  startTask(runtime, service, service.spec)
}

export function endTask({ tasks: [task] }: MemoryService): void {
  if (task?.desired === 'running') Object.assign(task, { state: 'shutdown', desired: 'shutdown', exitCode: 0 })
}

/** Throws EngineFailure if the task's container is missing or does not run. */
export function checkContainer(runtime: Runtime, task: FoundTask): void {
  const current = runtime.services.get(task.serviceName)?.tasks.find(({ id }) => id === task.id)
  if (!task.containerId) throw new EngineFailure('conflict', `The task of ${task.serviceName} has no container.`)
  if (!current) throw new EngineFailure('missing', `No such container: ${task.containerId}`)
  if (current.desired !== 'running') throw new EngineFailure('conflict', `Container ${task.containerId} is not running`)
}

/** Splits the behaviour of the service's tasks into its name and its detail. */
function behaviourOf(runtime: Runtime, spec: ServiceSpec): [name: string, detail: string] {
  const missing: Behaviour = `rejected:No such image: ${spec.image}`
  const behaviour = runtime.isPresent(spec.image) ? (runtime.behaviours.get(spec.name) ?? 'running') : missing
  const at = behaviour.indexOf(':')
  return at < 0 ? [behaviour, ''] : [behaviour.slice(0, at), behaviour.slice(at + 1)]
}

function stateOf(behaviour: string): TaskState {
  if (behaviour === 'running' || behaviour === 'pending') return behaviour
  return withoutContainer.has(behaviour) ? 'preparing' : 'starting'
}
