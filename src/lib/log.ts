/**
 * JSON lines as pino writes them. What may be logged is a flat record of plain values and of reasons, never a request, a
 * row or a setting: a secret has no way in. Texts of errors are scrubbed of tokens and of passwords in URLs all the same.
 */
import { openLineFile } from './text/line-file.ts'

/** A reason with its parameters, as it is stored. */
type Reason = { readonly reason: string }

export type Fields = Record<string, string | number | boolean | null | undefined | Reason | readonly Reason[]>

export interface Log {
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  /** The error's name, message, stack and causes; nothing else that hangs on it. */
  error(event: string, error: unknown, fields?: Fields): void
  /** At the end of the process. */
  flush(): void
}

/** pino's numbers. */
const levels = { info: 30, warn: 40, error: 50 } as const

/** Lines wait so long at most, for one write of many costs as much as one of one; warnings and errors do not wait. */
const delayMs = 25
const fullLength = 8 * 1024

/** To a file, or without `path` to standard output. */
export function openLog(path?: string): Log {
  const file = openLineFile(path ?? 1, (lost, error) => {
    add(levels.warn, 'lines of the log were lost', { lost, error: describe(error ?? 'they came too fast') })
    send()
  })
  const time = clock()
  let waiting = ''
  let timer: NodeJS.Timeout | null = null
  return {
    info(event, fields = {}) {
      add(levels.info, event, fields)
      if (waiting.length >= fullLength) send()
      else timer ??= setTimeout(send, delayMs)
    },
    warn(event, fields = {}) {
      add(levels.warn, event, fields)
      send()
    },
    error(event, error, fields = {}) {
      add(levels.error, event, { ...fields, error: describe(error) })
      send()
    },
    flush() {
      send()
      file.flush()
    },
  }

  /** Decision 0042 says why this is not pino's own logger. */
  function add(level: number, event: string, fields: Record<string, unknown>) {
    waiting += `${JSON.stringify({ level, time: time(), ...fields, msg: event })}\n`
  }

  function send() {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting !== '') file.add(waiting)
    waiting = ''
  }
}

/** The time in ISO 8601, written anew once a millisecond. */
function clock(): () => string {
  let [lastMs, text] = [0, '']
  return () => {
    const ms = Date.now()
    if (ms !== lastMs) [lastMs, text] = [ms, new Date(ms).toISOString()]
    return text
  }
}

/** Removes whatever looks like one of Berth's tokens or like a password in a URL. */
export function scrub(text: string): string {
  return text
    .replace(/berth_(inst|2fa|sess|api)_[\w-]+/g, 'berth_$1_********')
    .replace(/(\w+:\/\/[^\s:/@]*:)[^\s@]*@/g, '$1********@')
}

function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  const cause = error.cause === undefined || depth > 4 ? undefined : describe(error.cause, depth + 1)
  return { name: error.name, message: scrub(error.message), stack: scrub(error.stack ?? ''), cause }
}
