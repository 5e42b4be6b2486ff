/** A read-only part of the Engine interface, for operations that only inspect. */
import type { Engine, FoundTask } from './engine.ts'

export interface EngineView extends Pick<Engine, 'logs' | 'stats' | 'nodes' | 'joinParameters'> {
  /** Returns all tasks of these services, newest first. */
  tasks(names: string[]): Promise<FoundTask[]>
  /** Returns the disk usage in bytes below a path of the task's container; null if `du` printed no size in time. */
  usedBytes(task: FoundTask, path: string): Promise<number | null>
}

export function viewOf(engine: Engine): EngineView {
  return {
    tasks: (names) => engine.tasks(names),
    logs: (serviceName, options, signal) => engine.logs(serviceName, options, signal),
    stats: (task) => engine.stats(task),
    usedBytes: async (task, path) => bytesFrom(await engine.diskUsage(task, path)),
    nodes: () => engine.nodes(),
    joinParameters: (role) => engine.joinParameters(role),
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
