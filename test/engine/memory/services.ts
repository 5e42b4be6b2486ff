/** The services and volumes of the remembering engine, with the refusals that the swarm has for them. */
import { EngineFailure } from '../../../src/engine/engine.ts'
import type { FoundService, FoundTask, NamedService } from '../../../src/engine/engine.ts'
import { isOurs } from '../../../src/engine/labels.ts'
import { checkContainer, endTask, failOnce, isLive, settle, startTask } from './tasks.ts'
import { checkReached } from './nodes.ts'
import { copyOf, foundOf } from './state.ts'
import type { Behaviour, Held, World } from './state.ts'
import { containerDigestOf } from '../../../src/engine/spec.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

export function allServices(world: World): FoundService[] {
  return [...world.held.values()].map(({ found, spec, tasks }) => {
    const running = tasks.filter(({ state }) => state === 'running').length
    const { labels, published } = found
    const copy = { ...found, labels: { ...labels }, published: published.map((it) => ({ ...it })) }
    return spec === null ? copy : { ...copy, running }
  })
}

export function namedServices(world: World, names: string[]): NamedService[] {
  return names
    .flatMap((name) => world.held.get(name) ?? [])
    .map(({ found: { id, name, labels, digest } }) => ({ id, name, labels: { ...labels }, digest }))
}

/** Newest first; of all services only those that are wanted running. */
export function tasksNamed(world: World, names?: string[]): FoundTask[] {
  const looked = (names ?? [...world.held.keys()]).flatMap((name) => world.held.get(name) ?? [])
  for (const it of looked) failOnce(world, it)
  return looked
    .flatMap((it) => it.tasks.map((task) => ({ ...task })))
    .filter((it) => names !== undefined || it.desired === 'running')
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
}

export function create(world: World, spec: ServiceSpec): void {
  if (isTaken(world, spec.name)) {
    throw new EngineFailure('conflict', `name conflicts with an existing object: service ${spec.name} already exists`)
  }
  const id = `service${world.nextNumber()}`
  const it: Held = { found: foundOf(world, id, spec), spec: copyOf(spec), tasks: [] }
  world.held.set(spec.name, it)
  world.emit({ serviceName: spec.name, action: 'create' })
  if (spec.replicas === 1) startTask(world, it, spec)
}

/** The swarm tells names apart by more than the case of their letters. */
function isTaken({ held }: World, name: string): boolean {
  if (held.has(name)) return true
  const lower = name.toLowerCase()
  for (const other of held.keys()) if (other.length === name.length && other.toLowerCase() === lower) return true
  return false
}

export function update(world: World, spec: ServiceSpec): void {
  const it = own(world, spec.name)
  if (!it?.spec) throw new EngineFailure('missing', `service ${spec.name} not found`)
  change(world, it, spec, { ...foundOf(world, it.found.id, spec), createdAt: it.found.createdAt })
}

/** As someone else changes it: what Berth noted on it stays. */
export function alter(world: World, name: string, more: Partial<ServiceSpec>): void {
  const it = world.held.get(name)
  if (!it?.spec) throw new Error(`${name} is no service of Berth's`)
  const spec = { ...it.spec, ...more }
  const { labels, createdAt } = it.found
  change(world, it, spec, { ...foundOf(world, it.found.id, spec), labels, createdAt, digest: null })
}

function change(world: World, it: Held, spec: ServiceSpec, found: FoundService): void {
  const isNew = containerDigestOf(spec) !== containerDigestOf(it.spec!)
  const isStart = spec.replicas > it.spec!.replicas
  Object.assign(it, { spec: copyOf(spec), found })
  world.emit({ serviceName: spec.name, action: 'update' })
  if (spec.replicas === 0) it.tasks = leftOf(world, it.tasks)
  else if (isNew || isStart) {
    endTask(it)
    startTask(world, it, spec)
  }
}

export function remove(world: World, name: string): void {
  const it = own(world, name)
  if (!it) return
  world.held.delete(name)
  it.tasks = leftOf(world, it.tasks)
  if (it.tasks.length > 0) world.removed.add(it)
  world.emit({ serviceName: name, action: 'remove' })
}

/** Containers that are to end: where their node is up and quick, none is left. */
function leftOf(world: World, tasks: FoundTask[]): FoundTask[] {
  const left = tasks.filter(
    (it) =>
      it.containerId &&
      isLive(it) &&
      (world.lingering.has(it.nodeId ?? '') || world.nodes.get(it.nodeId ?? '')?.ready === false),
  )
  for (const it of left) it.desired = 'shutdown'
  return left
}

export function live(world: World, serviceName: string): string[] {
  const removed = [...world.removed].filter(({ found }) => found.name === serviceName)
  const tasks = [...(world.held.get(serviceName)?.tasks ?? []), ...removed.flatMap((it) => it.tasks)]
  return tasks.filter((it) => it.containerId && isLive(it)).map((it) => `${serviceName}.1.${it.id}`)
}

export function removeVolume(world: World, name: string, nodeId: string): void {
  checkReached(world, nodeId)
  for (const it of world.removed) it.tasks = it.tasks.filter(isLive)
  for (const { spec, tasks } of [...world.held.values(), ...world.removed]) {
    const user = spec?.mounts.some((it) => it.name === name) && tasks.find((it) => it.containerId)
    if (user) throw new EngineFailure('conflict', `remove ${name}: volume is in use - [${user.containerId}]`)
  }
  loseVolume(world, name)
}

/** As someone else takes it away, with all that is in it. */
export function loseVolume({ volumes, marks }: World, name: string): void {
  volumes.delete(name)
  for (const place of marks.keys()) if (place.startsWith(`${name}:`)) marks.delete(place)
}

export function hasVolume(world: World, name: string, nodeId: string): boolean {
  checkReached(world, nodeId)
  return world.volumes.has(name)
}

export function dataMark(world: World, task: FoundTask, folder: string, fresh: string | null): string | null {
  checkReached(world, task.nodeId)
  checkContainer(world, task)
  const mounts = world.held.get(task.serviceName)?.spec?.mounts ?? []
  const mount = mounts.find(({ type, path }) => type === 'volume' && `${folder}/`.startsWith(`${path}/`))
  if (mount === undefined) throw new EngineFailure('missing', `Nothing is mounted at ${folder} of ${task.containerId}`)
  const place = `${mount.name}:${folder.slice(mount.path.length)}`
  if (fresh !== null && !world.marks.has(place)) world.marks.set(place, fresh)
  return world.marks.get(place) ?? null
}

/** The swarm starts another container by itself, before anybody could have looked. */
export function replaceTask(world: World, name: string): void {
  const it = world.held.get(name)
  if (!it?.spec) throw new Error(`${name} is no service of Berth's`)
  endTask(it)
  startTask(world, it, it.spec)
}

export function detached(world: World): Set<string> {
  const containers = [...world.held.values()]
    .flatMap(({ tasks }) => tasks)
    .filter((it) => it.desired === 'running')
    .flatMap(({ containerId }) => containerId ?? [])
  return new Set(containers.filter((id) => world.detached.has(id)))
}

/** One of their own for each container that runs. */
export function addresses(world: World): Map<string, string> {
  const tasks = [...world.held.values()].flatMap((held) => held.tasks).filter(({ state }) => state === 'running')
  return new Map(tasks.map(({ containerId }, at) => [containerId!, `127.1.${at >> 8}.${at & 255}`]))
}

export function detach(world: World, serviceName: string): void {
  for (const { containerId } of world.held.get(serviceName)?.tasks ?? []) {
    if (containerId !== null) world.detached.add(containerId)
  }
  world.emit({ serviceName: null, action: 'disconnect' })
}

export function behave(world: World, serviceName: string, how: Behaviour): void {
  world.behaviours.set(serviceName, how)
  const it = world.held.get(serviceName)
  if (it) settle(world, it)
}

export function putForeign(world: World, name: string, more: Partial<FoundService> = {}): void {
  const before = world.held.get(name)?.found
  const found = {
    id: `service${world.nextNumber()}`,
    name,
    labels: {},
    digest: null,
    createdAt: world.now().toISOString(),
    published: [],
    onNetwork: false,
    replicas: 1,
    running: 1,
    ...before,
    ...more,
  }
  world.held.set(name, { found, spec: null, tasks: [] })
  world.emit({ serviceName: name, action: before === undefined ? 'create' : 'update' })
}

export function takeForeign(world: World, name: string): void {
  if (world.held.get(name)?.spec !== null) throw new Error(`${name} is no service of someone else's`)
  world.held.delete(name)
  world.emit({ serviceName: name, action: 'remove' })
}

function own(world: World, name: string): Held | undefined {
  const it = world.held.get(name)
  if (!it || isOurs(it.found.labels, world.installationId)) return it
  throw new EngineFailure('conflict', `service ${name} was not made by this installation of Berth`)
}
