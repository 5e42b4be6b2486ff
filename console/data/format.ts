/** Sizes, numbers and times as a person reads them. All functions are pure. */

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** 1536 is "1.5 KiB", and 1010 is "1 KiB": a size has at most three digits. */
export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${byteUnits[unit]}`
}

/** 1234 is "1,234". */
export const numberText = (value: number): string => value.toLocaleString('en')

/** 95,000 is "1 min 35 s". Two units at most. */
export function durationText(ms: number): string {
  if (ms < 950) return `${Math.max(0, Math.round(ms / 10) * 10)} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 10) return `${(ms / 1000).toFixed(1)} s`
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return withRest(minutes, 'min', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return withRest(hours, 'h', minutes % 60, 'min')
  return withRest(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** 1,900 is "1 s": whole seconds, for time that passes while a person looks. Null in the first second. */
export function elapsedText(ms: number): string | null {
  if (ms < 1000) return null
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : durationText(Math.floor(ms / 1000) * 1000)
}

const withRest = (value: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${value} ${unit}` : `${value} ${unit} ${rest} ${restUnit}`

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** "3 minutes ago" or "in 2 days". */
export function relativeText(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const size = Math.abs(seconds)
  // The present time of the page is up to ten seconds old.
  if (size < 45) return seconds <= 10 ? 'just now' : 'in a moment'
  if (size < 45 * 60) return relative.format(Math.round(seconds / 60) || Math.sign(seconds), 'minute')
  if (size < 22 * 3600) return relative.format(Math.round(seconds / 3600) || Math.sign(seconds), 'hour')
  if (size < 45 * 86_400) return relative.format(Math.round(seconds / 86_400) || Math.sign(seconds), 'day')
  if (size < 18 * 30.4 * 86_400) return relative.format(Math.round(seconds / (30.4 * 86_400)), 'month')
  return relative.format(Math.round(seconds / (365.25 * 86_400)), 'year')
}

/** The exact time in the person's time zone, with the zone. */
export const exactText = (at: number): string =>
  new Date(at).toLocaleString('en-GB', {
    ...{ year: 'numeric', month: 'short', day: 'numeric', weekday: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  })

/** "1 database", "2 databases". */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`
