/** The logs of the in-memory engine: the lines that tests print, and their followers. */
import type { FoundTask, LogLine, LogOptions, Usage } from '../../../src/engine/engine.ts'
import { isOurs } from '../../../src/engine/labels.ts'
import { checkContainer } from './tasks.ts'
import type { Runtime } from './state.ts'

interface Listener {
  serviceName: string
  hear(line: LogLine): void
  end(error?: Error): void
}

export interface Voices {
  /** Prints a line in a container of the service. */
  say(serviceName: string, line: string, stream?: LogLine['stream']): void
  logs(serviceName: string, options: LogOptions, signal: AbortSignal): AsyncIterable<LogLine>
  /** Ends the followers of this service, or with an error all followers. */
  hush(serviceName: string | null, error?: Error): void
  /** The number of followers. */
  count(): number
}

export function voicesIn(runtime: Runtime): Voices {
  const printed = new Map<string, LogLine[]>()
  const listeners = new Set<Listener>()
  const add = (listener: Listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    say(serviceName, line, stream = 'stdout') {
      const one = { at: runtime.now().toISOString().replace('Z', '000000Z'), stream, line }
      printed.set(serviceName, [...(printed.get(serviceName) ?? []), one])
      for (const it of listeners) if (it.serviceName === serviceName) it.hear(one)
    },
    logs(serviceName, { tail, since, follow }, signal) {
      const service = runtime.services.get(serviceName)?.found
      const isOwn = service !== undefined && isOurs(service.labels, runtime.installationId)
      const lines = (printed.get(serviceName) ?? []).filter(({ at }) => isOwn && at >= (since ?? '')).slice(-tail)
      return follow && isOwn ? following(lines, serviceName, add, signal) : each(lines)
    },
    hush(serviceName, error) {
      for (const it of listeners) if (error !== undefined || it.serviceName === serviceName) it.end(error)
    },
    count: () => listeners.size,
  }
}

async function* each(lines: LogLine[]): AsyncGenerator<LogLine> {
  yield* lines
}

/** Collects lines from the call on, not from the first read. */
function following(
  past: LogLine[],
  serviceName: string,
  add: (listener: Listener) => () => void,
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const waiting = [...past]
  const end = Promise.withResolvers<void>()
  let news = Promise.withResolvers<void>()
  let isOver = false
  end.promise.catch(() => undefined)
  const hear = (line: LogLine) => {
    waiting.push(line)
    news.resolve()
  }
  const forget = add({ serviceName, hear, end: (error) => over(error) })
  if (signal.aborted) over()
  else signal.addEventListener('abort', () => over(), { once: true })
  return lines()

  function over(error?: Error) {
    isOver = true
    forget()
    if (error === undefined) end.resolve()
    else end.reject(error)
  }

  async function* lines(): AsyncGenerator<LogLine> {
    try {
      for (;;) {
        while (waiting.length > 0 && !isOver) yield waiting.shift()!
        if (isOver) return await end.promise
        news = Promise.withResolvers()
        await Promise.race([news.promise, end.promise])
      }
    } finally {
      over()
    }
  }
}

export function usageOf(runtime: Runtime, task: FoundTask, told: (task: FoundTask) => Partial<Usage>): Usage {
  checkContainer(runtime, task)
  const memoryLimitBytes = runtime.services.get(task.serviceName)?.spec?.memoryLimitBytes ?? null
  return { cpuCores: 0.25, memoryBytes: 64 * 1024 * 1024, memoryLimitBytes, startedAt: task.updatedAt, ...told(task) }
}
