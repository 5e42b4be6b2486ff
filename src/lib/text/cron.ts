/** Cron expressions of five fields, and their next times. Pure. */
import { Cron } from 'croner'

/** What is wrong with a time zone, for who gave it; null where it is one (IANA). */
export function zoneFault(timezone: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
    return null
  } catch {
    return 'must be a time zone such as UTC or Europe/Berlin'
  }
}

/** What is wrong with an expression, for who gave it; null where it has times to come. */
export function cronFault(expression: string): string | null {
  try {
    return parse(expression, 'UTC').nextRun(new Date(0)) === null ? 'has no time to come' : null
  } catch {
    return 'must be a cron expression of five fields, like "0 3 * * *", or @hourly, @daily, @weekly, @monthly, @yearly'
  }
}

/** The first time after that one; null where there is none. */
export const nextTime = (expression: string, timezone: string, after: Date): Date | null =>
  parse(expression, timezone).nextRun(after)

/** Paused: nothing is started by it. */
function parse(expression: string, timezone: string): Cron {
  const text = expression.trim()
  // The package would take a single point in time too.
  if (!text.startsWith('@') && text.split(/\s+/).length !== 5) throw new Error('not five fields')
  return new Cron(text, { timezone, mode: '5-part', paused: true })
}
