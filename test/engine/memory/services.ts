/** The services and volumes of the in-memory engine, with the errors of the swarm. */
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundService, FoundTask, NamedService } from '../../../src/engine/engine.ts'
import { isOurs } from '../../../src/engine/labels.ts'
import { checkContainer, endTask, failOnce, isLive, settle, startTask } from './tasks.ts'
import { checkReached } from './nodes.ts'
import { copyOf, foundOf } from './state.ts'
import type { Behaviour, MemoryService, Runtime } from './state.ts'
import { containerDigestOf } from '../../../src/engine/spec.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

export function allServices(runtime: Runtime): FoundService[] {
  return [...runtime.services.values()].map(({ found, spec, tasks }) => {
    const running = tasks.filter(({ state }) => state === 'running').length
    const { labels, published } = found
    const copy = { ...found, labels: { ...labels }, published: published.map((it) => ({ ...it })) }
    return spec === null ? copy : { ...copy, running }
  })
}

export function namedServices(runtime: Runtime, names: string[]): NamedService[] {
  return names
    .flatMap((name) => runtime.services.get(name) ?? [])
    .map(({ found: { id, name, labels, digest } }) => ({ id, name, labels: { ...labels }, digest }))
}

/** Newest first. Without names, only the tasks that are wanted running. */
export function tasksNamed(runtime: Runtime, names?: string[]): FoundTask[] {
  const services = (names ?? [...runtime.services.keys()]).flatMap((name) => runtime.services.get(name) ?? [])
  for (const it of services) failOnce(runtime, it)
  return services
    .flatMap((it) => it.tasks.map((task) => ({ ...task })))
    .filter((it) => names !== undefined || it.desired === 'running')
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
}

export function create(runtime: Runtime, spec: ServiceSpec): void {
  if (isTaken(runtime, spec.name)) {
    throw new EngineFailure('conflict', `name conflicts with an existing object: service ${spec.name} already exists`)
  }
  const id = `service${runtime.nextNumber()}`
  const it: MemoryService = { found: foundOf(runtime, id, spec), spec: copyOf(spec), tasks: [] }
  runtime.services.set(spec.name, it)
  runtime.emit({ serviceName: spec.name, action: 'create' })
  if (spec.replicas === 1) startTask(runtime, it, spec)
}

/** Names in a swarm are unique regardless of case. */
function isTaken({ services }: Runtime, name: string): boolean {
  if (services.has(name)) return true
  const lower = name.toLowerCase()
  for (const other of services.keys()) if (other.length === name.length && other.toLowerCase() === lower) return true
  return false
}

export function update(runtime: Runtime, spec: ServiceSpec): void {
  const it = own(runtime, spec.name)
  if (!it?.spec) throw new EngineFailure('missing', `service ${spec.name} not found`)
  change(runtime, it, spec, { ...foundOf(runtime, it.found.id, spec), createdAt: it.found.createdAt })
}

/** Changes a service as someone else would: Berth's labels stay. */
export function alter(runtime: Runtime, name: string, more: Partial<ServiceSpec>): void {
  const it = runtime.services.get(name)
  if (!it?.spec) throw new Error(`${name} is no service of Berth's`)
  const spec = { ...it.spec, ...more }
  const { labels, createdAt } = it.found
  change(runtime, it, spec, { ...foundOf(runtime, it.found.id, spec), labels, createdAt, digest: null })
}

function change(runtime: Runtime, it: MemoryService, spec: ServiceSpec, found: FoundService): void {
  const isNew = containerDigestOf(spec) !== containerDigestOf(it.spec!)
  const isStart = spec.replicas > it.spec!.replicas
  Object.assign(it, { spec: copyOf(spec), found })
  runtime.emit({ serviceName: spec.name, action: 'update' })
  if (spec.replicas === 0) it.tasks = remainingOf(runtime, it.tasks)
  else if (isNew || isStart) {
    endTask(it)
    startTask(runtime, it, spec)
  }
}

export function remove(runtime: Runtime, name: string): void {
  const it = own(runtime, name)
  if (!it) return
  runtime.services.delete(name)
  it.tasks = remainingOf(runtime, it.tasks)
  if (it.tasks.length > 0) runtime.removed.add(it)
  runtime.emit({ serviceName: name, action: 'remove' })
}

/** The tasks whose containers do not end at once, because their node is down or lingering. */
function remainingOf(runtime: Runtime, tasks: FoundTask[]): FoundTask[] {
  const remaining = tasks.filter(
    (it) =>
      it.containerId &&
      isLive(it) &&
      (runtime.lingering.has(it.nodeId ?? '') || runtime.nodes.get(it.nodeId ?? '')?.ready === false),
  )
  for (const it of remaining) it.desired = 'shutdown'
  return remaining
}

export function live(runtime: Runtime, serviceName: string): string[] {
  const removed = [...runtime.removed].filter(({ found }) => found.name === serviceName)
  const tasks = [...(runtime.services.get(serviceName)?.tasks ?? []), ...removed.flatMap((it) => it.tasks)]
  return tasks.filter((it) => it.containerId && isLive(it)).map((it) => `${serviceName}.1.${it.id}`)
}

export function removeVolume(runtime: Runtime, name: string, nodeId: string): void {
  checkReached(runtime, nodeId)
  for (const it of runtime.removed) it.tasks = it.tasks.filter(isLive)
  for (const { spec, tasks } of [...runtime.services.values(), ...runtime.removed]) {
    const user = spec?.mounts.some((it) => it.name === name) && tasks.find((it) => it.containerId)
    if (user) throw new EngineFailure('conflict', `remove ${name}: volume is in use - [${user.containerId}]`)
  }
  loseVolume(runtime, name)
}

/** Removes a volume with its content, as someone else would. */
export function loseVolume({ volumes, marks }: Runtime, name: string): void {
  volumes.delete(name)
  for (const place of marks.keys()) if (place.startsWith(`${name}:`)) marks.delete(place)
}

export function hasVolume(runtime: Runtime, name: string, nodeId: string): boolean {
  checkReached(runtime, nodeId)
  return runtime.volumes.has(name)
}

export function dataMark(runtime: Runtime, task: FoundTask, folder: string, fresh: string | null): string | null {
  checkReached(runtime, task.nodeId)
  checkContainer(runtime, task)
  const mounts = runtime.services.get(task.serviceName)?.spec?.mounts ?? []
  const mount = mounts.find(({ type, path }) => type === 'volume' && `${folder}/`.startsWith(`${path}/`))
  if (mount === undefined) throw new EngineFailure('missing', `Nothing is mounted at ${folder} of ${task.containerId}`)
  const place = `${mount.name}:${folder.slice(mount.path.length)}`
  if (fresh !== null && !runtime.marks.has(place)) runtime.marks.set(place, fresh)
  return runtime.marks.get(place) ?? null
}

/** Replaces the container at once, as the swarm does by itself. */
export function replaceTask(runtime: Runtime, name: string): void {
  const it = runtime.services.get(name)
  if (!it?.spec) throw new Error(`${name} is no service of Berth's`)
  endTask(it)
  startTask(runtime, it, it.spec)
}

export function detached(runtime: Runtime): Set<string> {
  const containers = [...runtime.services.values()]
    .flatMap(({ tasks }) => tasks)
    .filter((it) => it.desired === 'running')
    .flatMap(({ containerId }) => containerId ?? [])
  return new Set(containers.filter((id) => runtime.detached.has(id)))
}

/** One address for each running container. */
export function addresses(runtime: Runtime): Map<string, string> {
  const tasks = [...runtime.services.values()]
    .flatMap((service) => service.tasks)
    .filter(({ state }) => state === 'running')
  return new Map(tasks.map(({ containerId }, at) => [containerId!, `127.1.${at >> 8}.${at & 255}`]))
}

export function detach(runtime: Runtime, serviceName: string): void {
  for (const { containerId } of runtime.services.get(serviceName)?.tasks ?? []) {
    if (containerId !== null) runtime.detached.add(containerId)
  }
  runtime.emit({ serviceName: null, action: 'disconnect' })
}

export function behave(runtime: Runtime, serviceName: string, how: Behaviour): void {
  runtime.behaviours.set(serviceName, how)
  const it = runtime.services.get(serviceName)
  if (it) settle(runtime, it)
}

export function putForeign(runtime: Runtime, name: string, more: Partial<FoundService> = {}): void {
  const before = runtime.services.get(name)?.found
  const found = {
    id: `service${runtime.nextNumber()}`,
    name,
    labels: {},
    digest: null,
    createdAt: runtime.now().toISOString(),
    published: [],
    onNetwork: false,
    replicas: 1,
    running: 1,
    ...before,
    ...more,
  }
  runtime.services.set(name, { found, spec: null, tasks: [] })
  runtime.emit({ serviceName: name, action: before === undefined ? 'create' : 'update' })
}

export function takeForeign(runtime: Runtime, name: string): void {
  if (runtime.services.get(name)?.spec !== null) throw new Error(`${name} is no service of someone else's`)
  runtime.services.delete(name)
  runtime.emit({ serviceName: name, action: 'remove' })
}

function own(runtime: Runtime, name: string): MemoryService | undefined {
  const it = runtime.services.get(name)
  if (!it || isOurs(it.found.labels, runtime.installationId)) return it
  throw new EngineFailure('conflict', `service ${name} was not made by this installation of Berth`)
}
