/** A read-only part of the Engine interface, for operations that only inspect. */
import { type Engine, EngineFailure, type FoundTask, type VolumeUse } from './engine.ts'

type Queries =
  | 'services'
  | 'foundSpec'
  | 'image'
  | 'ask'
  | 'logs'
  | 'stats'
  | 'nodes'
  | 'joinParameters'
  | 'ownVolumes'
  | 'volumeMark'

export interface EngineView extends Pick<Engine, Queries> {
  /** Returns all tasks of these services, newest first. */
  tasks(names: string[]): Promise<FoundTask[]>
  /** Returns the disk usage in bytes below a path of the task's container; null if `du` printed no size in time. */
  usedBytes(task: FoundTask, path: string): Promise<number | null>
  /** Returns the free bytes of the file system of a path; null if `df` printed none in time. */
  freeBytes(task: FoundTask, path: string): Promise<number | null>
  /** Returns who uses the volume; null if the node is not in the swarm or does not answer. */
  volumeUse(name: string, nodeId: string): Promise<VolumeUse | null>
}

export function viewOf(engine: Engine): EngineView {
  return {
    services: () => engine.services(),
    tasks: (names) => engine.tasks(names),
    foundSpec: (name) => engine.foundSpec(name),
    image: (reference) => engine.image(reference),
    ask: (task, program, timeoutMs) => engine.ask(task, program, timeoutMs),
    logs: (serviceName, options, signal) => engine.logs(serviceName, options, signal),
    stats: (task) => engine.stats(task),
    usedBytes: async (task, path) => bytesFrom(await engine.diskUsage(task, path)),
    freeBytes: async (task, path) => freeBytesFrom(await engine.diskFree(task, path)),
    nodes: () => engine.nodes(),
    volumeUse: (name, nodeId) => volumeUse(engine, name, nodeId),
    ownVolumes: (nodeId) => engine.ownVolumes(nodeId),
    volumeMark: (name, nodeId, folder, image) => engine.volumeMark(name, nodeId, folder, image),
    joinParameters: (role) => engine.joinParameters(role),
  }
}

async function volumeUse(engine: Engine, name: string, nodeId: string): Promise<VolumeUse | null> {
  try {
    return await engine.volumeUse(name, nodeId)
  } catch (error) {
    if (error instanceof EngineFailure && ['nodeMissing', 'nodeUnreachable'].includes(error.reason)) return null
    throw error
  }
}

/**
 * Converts the output of `du -sk` of GNU and busybox (a number of KiB, a tab, the path) to bytes. Returns null if the
 * output has no number.
 */
export function bytesFrom(text: string): number | null {
  const kibibytes = /^(\d+)\s/.exec(text)?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}

/** Finds the free bytes in the output of `df -Pk` of one file system. Returns null if the output has no such number. */
export function freeBytesFrom(text: string): number | null {
  const kibibytes = /\s\d+\s+\d+\s+(\d+)\s+\d+%\s+\/.*\n?$/.exec(text)?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
