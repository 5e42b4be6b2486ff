/**
 * Writes a log of JSON lines in pino's format. Fields are plain values and reasons, never a request, a row or a
 * setting, so no secret is logged by accident. In addition, Berth's tokens, and passwords in URLs, are masked in the
 * texts of errors.
 */
import { openLineFile } from './text/line-file.ts'

/** A reason with its parameters, as it is stored. */
type Reason = { readonly reason: string }

export type Fields = Record<string, string | number | boolean | null | undefined | Reason | readonly Reason[]>

export interface Log {
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  /** Logs the name, message, stack and causes of the error, and none of its other properties. */
  error(event: string, error: unknown, fields?: Fields): void
  /** Tries to write all waiting lines before it returns. Call this at the end of the process. */
  flush(): void
}

/** The numbers that pino uses. */
const levels = { info: 30, warn: 40, error: 50 } as const

/**
 * Lines are collected for this long, because one write of many lines costs as much as a write of one line. Warnings and
 * errors are written at once.
 */
const delayMs = 25
/** Collected lines are written at once if they have this many characters. */
const fullLength = 8 * 1024

/** @param path a file to append to; standard output by default */
export function openLog(path?: string): Log {
  const file = openLineFile(path ?? 1, (lost, error) => {
    add(levels.warn, 'log lines were lost', {
      lost,
      error: describe(error ?? 'lines came faster than they could be written'),
    })
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

  /** See docs/decisions/0042-own-code-or-a-library.md for why pino's own logger is not used. */
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

/** Returns a function for the time in ISO 8601. The text is cached for the current millisecond. */
function clock(): () => string {
  let [lastMs, text] = [0, '']
  return () => {
    const ms = Date.now()
    if (ms !== lastMs) [lastMs, text] = [ms, new Date(ms).toISOString()]
    return text
  }
}

/** Masks text that looks like a token of Berth or like a password in a URL. */
export function scrub(text: string): string {
  return text
    .replace(/berth_(inst|invt|2fa|sess|api)_[\w-]+/g, 'berth_$1_********')
    .replace(/(\w+:\/\/[^\s:/@]*:)[^\s@]*@/g, '$1********@')
}

function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  const cause = error.cause === undefined || depth > 4 ? undefined : describe(error.cause, depth + 1)
  return { name: error.name, message: scrub(error.message), stack: scrub(error.stack ?? ''), cause }
}
