/** Checks time zones and cron expressions (five fields, or a name such as @daily), and computes next times. Pure. */
import { Cron } from 'croner'

/** Returns what is wrong with a time zone, for the caller, or null if it is an IANA time zone. */
export function zoneFault(timezone: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
    return null
  } catch {
    return 'must be a time zone such as UTC or Europe/Berlin'
  }
}

/** Returns what is wrong with a cron expression, for the caller, or null if it is valid and has a next time. */
export function cronFault(expression: string): string | null {
  try {
    return parse(expression, 'UTC').nextRun(new Date(0)) === null ? 'has no next time: use a date that exists' : null
  } catch {
    return 'must be a cron expression of five fields, like "0 3 * * *", or @hourly, @daily, @weekly, @monthly, @yearly'
  }
}

/** Returns the first time after `after`, or null if there is none. */
export const nextTime = (expression: string, timezone: string, after: Date): Date | null =>
  parse(expression, timezone).nextRun(after)

function parse(expression: string, timezone: string): Cron {
  const text = expression.trim()
  // The package would also accept an ISO 8601 time.
  if (!text.startsWith('@') && text.split(/\s+/).length !== 5) throw new Error('not five fields')
  // Paused, because the package would otherwise start a timer.
  return new Cron(text, { timezone, mode: '5-part', paused: true })
}
