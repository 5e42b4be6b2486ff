/** What of an engine can be looked at: nothing here changes anything. */
import type { Engine, FoundTask } from './engine.ts'

export interface EngineView extends Pick<Engine, 'logs' | 'stats' | 'nodes' | 'joining'> {
  /** Of these services, newest first. */
  tasks(names: string[]): Promise<FoundTask[]>
  /** What the files below the path take, in the task's container; null where they could not be counted in time. */
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

/** As GNU and busybox print it: KiB, a tab, the path. */
export function bytesFrom(text: string): number | null {
  const kibibytes = /^(\d+)\s/.exec(text)?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
