/** What of an engine can be looked at: nothing here changes anything. */
import type { Engine, FoundTask } from './engine.ts'

export interface EngineView extends Pick<Engine, 'logs' | 'stats' | 'nodes' | 'joining'> {
  /** Of these services, newest first. */
  tasks(names: string[]): Promise<FoundTask[]>
  /** What the files below the path take, in the task's container; null where they could not be counted in time. */
  usedBytes(task: FoundTask, path: string): Promise<number | null>
}

const countMs = 8000

export function viewOf(engine: Engine): EngineView {
  return {
    tasks: (names) => engine.tasks(names),
    logs: (serviceName, asked, signal) => engine.logs(serviceName, asked, signal),
    stats: (task) => engine.stats(task),
    nodes: () => engine.nodes(),
    joining: (role) => engine.joining(role),
    // Files come and go meanwhile: it complains of those, and counts all the same.
    usedBytes: async (task, path) =>
      bytesFrom((await engine.run(task, { argv: ['du', '-sk', path], env: {} }, countMs)).stdout),
  }
}

/** As GNU and busybox print it: KiB, a tab, the path. */
export function bytesFrom(text: string): number | null {
  const kibibytes = /^(\d+)\s/.exec(text)?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
