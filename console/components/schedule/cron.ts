/** Schedules: what is wrong with one, its next times, and its words. Berth computes times with the same package. Pure. */
import { Cron } from 'croner'

/** What is wrong with a cron expression; null: it is valid. */
export function cronFault(expression: string): string | null {
  try {
    return parse(expression, 'UTC').nextRun(new Date(0)) === null ? 'This date never comes.' : null
  } catch {
    return 'Five fields are needed: minute, hour, day of the month, month and day of the week, such as 0 3 * * *.'
  }
}

/** What is wrong with the name of a time zone; null: it is known. */
export function zoneFault(timezone: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
    return null
  } catch {
    return 'This time zone is unknown. Examples: UTC, Europe/Berlin.'
  }
}

/** The first `count` times after `after`, in milliseconds; none if the schedule or the zone is invalid. */
export function nextTimes(expression: string, timezone: string, after: number, count: number): number[] {
  try {
    return parse(expression, timezone)
      .nextRuns(count, new Date(after))
      .map((at) => at.getTime())
  } catch {
    return []
  }
}

/** Whether the schedule has a time from `from` until before `to`, both in milliseconds. */
export function hasTimeIn(expression: string, timezone: string, from: number, to: number): boolean {
  const [next] = nextTimes(expression, timezone, from - 1, 1)
  return next !== undefined && next < to
}

function parse(expression: string, timezone: string): Cron {
  const text = expression.trim()
  // The package also accepts an ISO 8601 time. Berth does not.
  if (!text.startsWith('@') && text.split(/\s+/).length !== 5) throw new Error('not five fields')
  // Paused, because the package would otherwise start a timer.
  return new Cron(text, { timezone, mode: '5-part', paused: true })
}

/** Usual schedules for the choice in a form. */
export const presets: readonly { value: string; text: string }[] = [
  { value: '0 3 * * *', text: 'Every day at 03:00' },
  { value: '0 * * * *', text: 'Every hour' },
  { value: '0 */6 * * *', text: 'Every 6 hours' },
  { value: '30 1 * * 1-5', text: 'Monday to Friday at 01:30' },
  { value: '0 5 * * 0', text: 'Every Sunday at 05:00' },
  { value: '0 4 1 * *', text: 'On the first day of each month at 04:00' },
]

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const named: Record<string, string> = {
  '@hourly': 'every hour',
  '@daily': 'every day at 00:00',
  '@midnight': 'every day at 00:00',
  '@weekly': 'every Sunday at 00:00',
  '@monthly': 'on day 1 of each month at 00:00',
  '@yearly': 'once a year, on 1 January',
  '@annually': 'once a year, on 1 January',
}

/** A schedule in words, such as "every day at 03:00". Unusual schedules stay as they are. */
export function cronText(expression: string): string {
  const text = expression.trim()
  const known = named[text.toLowerCase()]
  if (known !== undefined) return known
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.split(/\s+/)
  if (month !== '*' || (day !== '*' && weekday !== '*')) return text
  const when = dayText(day, weekday)
  if (when === null) return text
  if (isNumber(minute) && isNumber(hour)) return `${when} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (when !== 'every day') return text
  const minutes = /^\*\/(\d+)$/.exec(minute)
  if (minutes !== null && hour === '*') return `every ${minutes[1]} minutes`
  if (!isNumber(minute)) return text
  const past = minute === '0' || minute === '00' ? '' : `, ${minute} min past the hour`
  const hours = /^\*\/(\d+)$/.exec(hour)
  if (hours !== null) return `every ${hours[1]} hours${past}`
  return hour === '*' ? `every hour${past}` : text
}

const isNumber = (field: string) => /^\d{1,2}$/.test(field)

function dayText(day: string, weekday: string): string | null {
  if (day === '*' && weekday === '*') return 'every day'
  if (isNumber(day)) return `on day ${day} of each month`
  if (day !== '*') return null
  if (weekday === '1-5') return 'Monday to Friday'
  return /^[0-7]$/.test(weekday) ? `every ${weekdays[Number(weekday)]}` : null
}
