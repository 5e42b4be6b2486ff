/** A read-only part of the Engine interface, for operations that only inspect. */
import type { Engine, FoundTask } from './engine.ts'

export interface EngineView extends Pick<Engine, 'logs' | 'stats' | 'nodes' | 'joining'> {
  /** All tasks of these services, newest first. */
  tasks(names: string[]): Promise<FoundTask[]>
  /** The disk usage in bytes below a path of the task's container; null if counting took too long. */
  usedBytes(task: FoundTask, path: string): Promise<number | null>
}

export function viewOf(engine: Engine): EngineView {
  return {
    tasks: (names) => engine.tasks(names),
    logs: (serviceName, asked, signal) => engine.logs(serviceName, asked, signal),
    stats: (task) => engine.stats(task),
    usedBytes: async (task, path) => bytesFrom(await engine.diskUsage(task, path)),
    nodes: () => engine.nodes(),
    joining: (role) => engine.joining(role),
  }
}

/** Parses the output of `du -sk` of GNU and busybox (KiB, a tab, the path) to bytes; null if it has no number. */
export function bytesFrom(text: string): number | null {
  const kibibytes = /^(\d+)\s/.exec(text)?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
