/** The services and volumes of the in-memory engine, with the errors of the swarm. */
import { type DataPlace, mountOf } from '../../../src/engine/data/data-places.ts'
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundService, FoundTask, NamedService } from '../../../src/engine/engine.ts'
import { isOwnObject } from '../../../src/engine/labels.ts'
import { checkContainer, endTask, failTask, isLive, startTask, updateNewestTask } from './tasks.ts'
import { checkReached } from './nodes.ts'
import { pick } from '../../../src/databases/columns.ts'
import { copyOf, observedService } from './state.ts'
import type { Behaviour, MemoryService, Runtime } from './state.ts'
import { containerDigestOf, foundParts } from '../../../src/engine/spec.ts'
import type { FoundSpec, ServiceSpec } from '../../../src/engine/spec.ts'

export function allServices(runtime: Runtime): FoundService[] {
  return [...runtime.services.values()].map(({ observed, spec, tasks }) => {
    const running = tasks.filter(({ state }) => state === 'running').length
    const { labels, published } = observed
    const copy = { ...observed, labels: { ...labels }, published: published.map((it) => ({ ...it })) }
    return spec === null ? copy : { ...copy, running }
  })
}

export function namedServices(runtime: Runtime, names: string[]): NamedService[] {
  return names.flatMap((name) => runtime.services.get(name) ?? []).map(({ observed }) => namedFrom(observed))
}

export const namedFrom = ({ id, name, labels, digest, volumes, nodeId, replicas }: FoundService): NamedService => ({
  id,
  name,
  labels: { ...labels },
  digest,
  volumes: [...volumes],
  nodeId,
  replicas,
})

export function foundSpec(runtime: Runtime, name: string): FoundSpec | null {
  const spec = runtime.services.get(name)?.spec
  if (spec == null) return null
  const mounts = spec.mounts.map(({ type, path, name: source }) => ({ type, path, name: source }))
  return copyOf({ ...pick(spec, foundParts), mounts })
}

/** Returns tasks, newest first. Without names, only the tasks that the swarm wants running. */
export function tasksNamed(runtime: Runtime, names?: string[]): FoundTask[] {
  const services = (names ?? [...runtime.services.keys()]).flatMap((name) => runtime.services.get(name) ?? [])
  for (const service of services) failTask(runtime, service)
  return services
    .flatMap(({ tasks }) => tasks.map((task) => ({ ...task })))
    .filter(({ desired }) => names !== undefined || desired === 'running')
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
}

export function create(runtime: Runtime, spec: ServiceSpec): void {
  if (isTaken(runtime, spec.name)) {
    throw new EngineFailure('conflict', `name conflicts with an existing object: service ${spec.name} already exists`)
  }
  const id = `service${runtime.nextNumber()}`
  const service: MemoryService = { observed: observedService(runtime, id, spec), spec: copyOf(spec), tasks: [] }
  runtime.services.set(spec.name, service)
  runtime.emit({ serviceName: spec.name, action: 'create', isForeign: false })
  if (spec.replicas === 1) startTask(runtime, service, spec)
}

/** Names in a swarm are unique regardless of case. */
function isTaken({ services }: Runtime, name: string): boolean {
  if (services.has(name)) return true
  const lower = name.toLowerCase()
  for (const other of services.keys()) if (other.length === name.length && other.toLowerCase() === lower) return true
  return false
}

export function update(runtime: Runtime, spec: ServiceSpec): void {
  const service = ownService(runtime, spec.name)
  if (!service?.spec) throw new EngineFailure('missing', `service ${spec.name} not found`)
  applyChange(runtime, service, spec, {
    ...observedService(runtime, service.observed.id, spec),
    createdAt: service.observed.createdAt,
  })
}

/** Changes a service as someone else would. Berth's labels stay, and the service has no digest any more. */
export function alter(runtime: Runtime, name: string, changes: Partial<ServiceSpec>): void {
  const service = runtime.services.get(name)
  if (!service?.spec) throw new Error(`${name} is not a service of Berth`)
  const spec = { ...service.spec, ...changes }
  const { labels, createdAt } = service.observed
  applyChange(runtime, service, spec, {
    ...observedService(runtime, service.observed.id, spec),
    labels,
    createdAt,
    digest: null,
  })
}

function applyChange(runtime: Runtime, service: MemoryService, spec: ServiceSpec, observed: FoundService): void {
  const isContainerChanged = containerDigestOf(spec) !== containerDigestOf(service.spec!)
  const isStart = spec.replicas > service.spec!.replicas
  Object.assign(service, { spec: copyOf(spec), observed })
  runtime.emit({ serviceName: spec.name, action: 'update', isForeign: false })
  if (spec.replicas === 0) service.tasks = remainingOf(runtime, service.tasks)
  else if (isContainerChanged || isStart) {
    endTask(service)
    startTask(runtime, service, spec)
  }
}

export function remove(runtime: Runtime, name: string): void {
  const service = ownService(runtime, name)
  if (!service) return
  runtime.services.delete(name)
  service.tasks = remainingOf(runtime, service.tasks)
  if (service.tasks.length > 0) runtime.removed.add(service)
  runtime.emit({ serviceName: name, action: 'remove', isForeign: false })
}

/** Returns the tasks whose containers do not end now, because their node is down or lingering, and shuts them down. */
function remainingOf(runtime: Runtime, tasks: FoundTask[]): FoundTask[] {
  const canEnd = (nodeId: string) => !runtime.lingering.has(nodeId) && runtime.nodes.get(nodeId)?.ready !== false
  const remaining = tasks.filter((task) => task.containerId && isLive(task) && !canEnd(task.nodeId ?? ''))
  for (const task of remaining) task.desired = 'shutdown'
  return remaining
}

/** Returns the names of the containers that may still run. */
export function liveContainers(runtime: Runtime, serviceName: string): string[] {
  const removed = [...runtime.removed].filter(({ observed }) => observed.name === serviceName)
  const tasks = [...(runtime.services.get(serviceName)?.tasks ?? []), ...removed.flatMap((service) => service.tasks)]
  return tasks.filter((task) => task.containerId && isLive(task)).map(({ id }) => `${serviceName}.1.${id}`)
}

export function dataMark(runtime: Runtime, task: FoundTask, folder: string, fresh: string | null): string | null {
  checkReached(runtime, task.nodeId)
  checkContainer(runtime, task)
  const mounts = runtime.services.get(task.serviceName)?.spec?.mounts ?? []
  const mount = mounts.find(({ type, path }) => type === 'volume' && `${folder}/`.startsWith(`${path}/`))
  if (mount === undefined) throw new EngineFailure('missing', `Container ${task.containerId} has no mount at ${folder}`)
  const key = `${mount.name}:${folder.slice(mount.path.length)}`
  if (fresh !== null && !runtime.marks.has(key)) {
    runtime.marks.set(key, fresh)
    runtime.filled.add(mount.name)
  }
  return runtime.marks.get(key) ?? null
}

export function dataPlaces(runtime: Runtime, task: FoundTask, paths: string[]): DataPlace[] {
  checkReached(runtime, task.nodeId)
  checkContainer(runtime, task)
  const mounts = (runtime.services.get(task.serviceName)?.spec?.mounts ?? []).map(({ path }) => path)
  return paths.map((path) => {
    const target = runtime.links.get(path) ?? path
    return { path, target, mount: mountOf(target, ['/', ...mounts]) }
  })
}

/** Does not wait: a test that changes the behaviour is then noticed at the next call. */
export function awaitAnswer(runtime: Runtime, task: FoundTask): number | null {
  checkReached(runtime, task.nodeId)
  checkContainer(runtime, task)
  return runtime.behaviours.get(task.serviceName) === 'answering' ? 0 : null
}

export function clear(runtime: Runtime, task: FoundTask, folder: string, fresh: string | null): string | null {
  const mark = dataMark(runtime, task, folder, fresh)
  if (runtime.behaviours.get(task.serviceName) === 'answering') behave(runtime, task.serviceName, 'running')
  return mark
}

/** Replaces the container, as the swarm does without a request when a container ends. */
export function replaceTask(runtime: Runtime, name: string): void {
  const service = runtime.services.get(name)
  if (!service?.spec) throw new Error(`${name} is not a service of Berth`)
  endTask(service)
  startTask(runtime, service, service.spec)
}

export function detached(runtime: Runtime): Set<string> {
  const containers = [...runtime.services.values()]
    .flatMap(({ tasks }) => tasks)
    .filter(({ desired }) => desired === 'running')
    .flatMap(({ containerId }) => containerId ?? [])
  return new Set(containers.filter((id) => runtime.detached.has(id)))
}

/** One address for each running container. */
export function hostAddresses(runtime: Runtime): Map<string, string> {
  const tasks = [...runtime.services.values()]
    .flatMap((service) => service.tasks)
    .filter(({ state }) => state === 'running')
  return new Map(tasks.map(({ containerId }, at) => [containerId!, `127.1.${at >> 8}.${at & 255}`]))
}

export function detach(runtime: Runtime, serviceName: string): void {
  for (const { containerId } of runtime.services.get(serviceName)?.tasks ?? []) {
    if (containerId !== null) runtime.detached.add(containerId)
  }
  runtime.emit({ serviceName: null, action: 'disconnect', isForeign: true })
}

export function behave(runtime: Runtime, serviceName: string, behaviour: Behaviour): void {
  runtime.behaviours.set(serviceName, behaviour)
  const service = runtime.services.get(serviceName)
  if (service) updateNewestTask(runtime, service)
}

export function putForeign(runtime: Runtime, name: string, changes: Partial<FoundService> = {}): void {
  const before = runtime.services.get(name)?.observed
  const observed = {
    id: `service${runtime.nextNumber()}`,
    name,
    labels: {},
    digest: null,
    createdAt: runtime.now().toISOString(),
    published: [],
    onNetwork: false,
    volumes: [],
    nodeId: null,
    replicas: 1,
    running: 1,
    image: '',
    ...before,
    ...changes,
  }
  runtime.services.set(name, { observed, spec: null, tasks: [] })
  runtime.emit({ serviceName: name, action: before === undefined ? 'create' : 'update', isForeign: false })
}

export function takeForeign(runtime: Runtime, name: string): void {
  if (runtime.services.get(name)?.spec !== null) throw new Error(`${name} is not someone else's service`)
  runtime.services.delete(name)
  runtime.emit({ serviceName: name, action: 'remove', isForeign: false })
}

/** Returns the service, if there is one. Throws EngineFailure `conflict` if it is someone else's. */
function ownService(runtime: Runtime, name: string): MemoryService | undefined {
  const service = runtime.services.get(name)
  if (!service || isOwnObject(service.observed.labels, runtime.installationId)) return service
  throw new EngineFailure('conflict', `The service ${name} does not belong to this Berth installation`)
}
