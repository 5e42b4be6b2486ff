/** The logs of the in-memory engine: the lines that tests print, and the followers of the logs. */
import type { FoundTask, LogLine, LogOptions, Usage } from '../../../src/engine/engine.ts'
import { isOwnObject } from '../../../src/engine/labels.ts'
import { checkContainer } from './tasks.ts'
import type { Runtime } from './state.ts'

interface Follower {
  serviceName: string
  add(line: LogLine): void
  end(error?: Error): void
}

export interface Logs {
  /** Prints a line in a container of the service. */
  print(serviceName: string, line: string, stream?: LogLine['stream']): void
  /** Returns the lines of a service as `Engine.logs` does. */
  read(serviceName: string, options: LogOptions, signal: AbortSignal): AsyncIterable<LogLine>
  /** Without an error: ends the followers of this service. With an error: all followers fail. */
  endFollowers(serviceName: string | null, error?: Error): void
  /** The number of followers. */
  count(): number
}

export function logsIn(runtime: Runtime): Logs {
  const printed = new Map<string, LogLine[]>()
  const followers = new Set<Follower>()
  const add = (follower: Follower) => {
    followers.add(follower)
    return () => void followers.delete(follower)
  }
  return {
    print(serviceName, line, stream = 'stdout') {
      const logLine = { at: runtime.now().toISOString().replace('Z', '000000Z'), stream, line }
      printed.set(serviceName, [...(printed.get(serviceName) ?? []), logLine])
      for (const follower of followers) if (follower.serviceName === serviceName) follower.add(logLine)
    },
    read(serviceName, { tail, since, follow }, signal) {
      const service = runtime.services.get(serviceName)?.observed
      const isOwn = service !== undefined && isOwnObject(service.labels, runtime.installationId)
      const lines = (printed.get(serviceName) ?? []).filter(({ at }) => isOwn && at >= (since ?? '')).slice(-tail)
      return follow && isOwn ? following(lines, serviceName, add, signal) : each(lines)
    },
    endFollowers(serviceName, error) {
      for (const follower of followers) {
        if (error !== undefined || follower.serviceName === serviceName) follower.end(error)
      }
    },
    count: () => followers.size,
  }
}

async function* each(lines: LogLine[]): AsyncGenerator<LogLine> {
  yield* lines
}

/** Collects lines from the call on, even before the first read. */
function following(
  past: LogLine[],
  serviceName: string,
  addFollower: (follower: Follower) => () => void,
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const unread = [...past]
  const end = Promise.withResolvers<void>()
  let newLine = Promise.withResolvers<void>()
  let isOver = false
  end.promise.catch(() => undefined)
  const add = (line: LogLine) => {
    unread.push(line)
    newLine.resolve()
  }
  const forget = addFollower({ serviceName, add, end: (error) => finish(error) })
  if (signal.aborted) finish()
  else signal.addEventListener('abort', () => finish(), { once: true })
  return lines()

  function finish(error?: Error) {
    isOver = true
    forget()
    if (error === undefined) end.resolve()
    else end.reject(error)
  }

  async function* lines(): AsyncGenerator<LogLine> {
    try {
      for (;;) {
        while (unread.length > 0 && !isOver) yield unread.shift()!
        if (isOver) return await end.promise
        newLine = Promise.withResolvers()
        await Promise.race([newLine.promise, end.promise])
      }
    } finally {
      finish()
    }
  }
}

export function usageOf(runtime: Runtime, task: FoundTask, changesFor: (task: FoundTask) => Partial<Usage>): Usage {
  checkContainer(runtime, task)
  const memoryLimitBytes = runtime.services.get(task.serviceName)?.spec?.memoryLimitBytes ?? null
  return {
    cpuCores: 0.25,
    memoryBytes: 64 * 1024 * 1024,
    memoryLimitBytes,
    startedAt: task.updatedAt,
    ...changesFor(task),
  }
}
