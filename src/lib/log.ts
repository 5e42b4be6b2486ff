/**
 * JSON lines by pino. What may be logged is a flat record of plain values, never a request, a row or a setting:
 * a secret has no way in. Texts of errors are scrubbed of tokens and of passwords in URLs all the same.
 */
import { type Logger, pino } from 'pino'

export type Fields = Record<string, string | number | boolean | null | undefined>

export interface Log {
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  /** The error's name, message, stack and causes; nothing else that hangs on it. */
  error(event: string, error: unknown, fields?: Fields): void
  flush(): void
}

/** `path` '' or absent: standard output. */
export function openLog(path?: string): Log {
  const destination = pino.destination({ dest: path ?? 1, sync: false, minLength: 0 })
  const logger: Logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    error: (event, error, fields) => logger.error({ ...fields, error: describe(error) }, event),
    flush: () => destination.flushSync(),
  }
}

/** Removes whatever looks like one of Berth's tokens or like a password in a URL. */
export function scrub(text: string): string {
  return text.replace(/berth_(inst|2fa|sess|api)_[\w-]+/g, 'berth_$1_********')
    .replace(/(\w+:\/\/[^\s:/@]*:)[^\s@]*@/g, '$1********@')
}

function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  const cause = error.cause === undefined || depth > 4 ? undefined : describe(error.cause, depth + 1)
  return { name: error.name, message: scrub(error.message), stack: scrub(error.stack ?? ''), cause }
}
