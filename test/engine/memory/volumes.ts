/** The volumes of the in-memory engine, on each of its nodes. */
import { EngineFailure, type VolumeUse } from '../../../src/engine/engine.ts'
import { checkReached } from './nodes.ts'
import { namedFrom } from './services.ts'
import type { Runtime } from './state.ts'
import { isLive } from './tasks.ts'

export function removeVolume(runtime: Runtime, name: string, nodeId: string): void {
  checkReached(runtime, nodeId)
  for (const service of runtime.removed) service.tasks = service.tasks.filter(isLive)
  const tasks = [...runtime.services.values(), ...runtime.removed].flatMap((service) => service.tasks)
  const user =
    tasks.find(({ id, containerId }) => containerId && runtime.mounted.get(id)?.includes(name))?.containerId ??
    foreignContainersOn(runtime, name)[0]
  if (user !== undefined && user !== null) {
    throw new EngineFailure('conflict', `remove ${name}: volume is in use - [${user}]`)
  }
  loseVolume(runtime, name)
}

/** Removes a volume with its content, as someone else would. */
export function loseVolume({ volumes, homes, filled, marks }: Runtime, name: string): void {
  volumes.delete(name)
  homes.delete(name)
  filled.delete(name)
  for (const key of marks.keys()) if (key.startsWith(`${name}:`)) marks.delete(key)
}

export function volumeUse(runtime: Runtime, name: string, nodeId: string): VolumeUse {
  checkReached(runtime, nodeId)
  const services = [...runtime.services.values()]
    .map(({ observed }) => observed)
    .filter((service) => service.volumes.includes(name) && (service.nodeId === null || service.nodeId === nodeId))
  const ofTasks = [...runtime.services.values(), ...runtime.removed].flatMap(({ observed, tasks }) =>
    tasks
      .filter((task) => task.containerId && isLive(task) && task.nodeId === nodeId)
      .filter(({ id }) => runtime.mounted.get(id)?.includes(name))
      .map(({ id }) => ({ name: `${observed.name}.1.${id}`, service: { name: observed.name, id: observed.id } })),
  )
  const foreign = foreignContainersOn(runtime, name).map((container) => ({ name: container, service: null }))
  return {
    exists: hasVolume(runtime, name, nodeId),
    labels: runtime.volumeLabels.get(name) ?? {},
    services: services.map(namedFrom),
    containers: [...ofTasks, ...foreign],
  }
}

export function isVolumeEmpty(runtime: Runtime, name: string, nodeId: string): boolean {
  checkReached(runtime, nodeId)
  if (!hasVolume(runtime, name, nodeId)) throw new EngineFailure('missing', `get ${name}: no such volume`)
  return !runtime.filled.has(name)
}

const hasVolume = ({ volumes, homes }: Runtime, name: string, nodeId: string) =>
  volumes.has(name) && (homes.get(name)?.has(nodeId) ?? true)

/** Volumes that somebody else made have no label of the installation. */
export function ownVolumes(runtime: Runtime, nodeId: string): string[] {
  checkReached(runtime, nodeId)
  return [...runtime.volumes].filter((name) => runtime.homes.get(name)?.has(nodeId) ?? false)
}

export function volumeMark(runtime: Runtime, name: string, nodeId: string, folder: string): string | null {
  checkReached(runtime, nodeId)
  if (!hasVolume(runtime, name, nodeId)) throw new EngineFailure('missing', `get ${name}: no such volume`)
  return runtime.marks.get(`${name}:${folder}`) ?? null
}

const foreignContainersOn = ({ foreignContainers }: Runtime, volume: string): string[] =>
  [...foreignContainers].filter(([, mounted]) => mounted === volume).map(([container]) => container)
