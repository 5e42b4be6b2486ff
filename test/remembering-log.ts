/** A log that keeps its lines, for tests that ask what was logged. */
import { inspect } from 'node:util'
import type { Fields, Log } from '../src/lib/log.ts'

export interface LoggedLine {
  level: 'info' | 'warn' | 'error'
  event: string
  fields: Fields
  error?: string
}

export function rememberingLog(lines: LoggedLine[]): Log {
  return {
    info: (event, fields = {}) => void lines.push({ level: 'info', event, fields }),
    warn: (event, fields = {}) => void lines.push({ level: 'warn', event, fields }),
    error: (event, error, fields = {}) => void lines.push({ level: 'error', event, fields, error: inspect(error) }),
    flush: () => undefined,
  }
}
