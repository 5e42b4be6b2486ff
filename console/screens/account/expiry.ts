/** When a new API token expires, as a choice. */

export const expiries = [
  { value: '7', text: 'after 7 days' },
  { value: '30', text: 'after 30 days' },
  { value: '90', text: 'after 90 days' },
  { value: '365', text: 'after a year' },
  { value: 'date', text: 'on a day' },
  { value: 'never', text: 'never, until it is revoked' },
] as const

const dayMs = 86_400_000

/**
 * The input `expiresAt`. A day means its end in the zone of the browser.
 *
 * @param choice one of `expiries`
 * @param day such as 2030-01-31; for the choice "date"
 * @returns ISO 8601; undefined: never; null: the day is no date
 */
export function expiresAt(choice: string, day: string, now: number): string | undefined | null {
  if (choice === 'never') return undefined
  if (choice !== 'date') return new Date(now + Number(choice) * dayMs).toISOString()
  const end = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T23:59:59`) : Number.NaN
  return Number.isNaN(end) ? null : new Date(end).toISOString()
}
