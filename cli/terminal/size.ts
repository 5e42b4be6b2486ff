/** Writes sizes and times for people. Pure. */

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** For example 1.5 GiB. */
export function readableSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** For example `3 min ago`, or `in 2 h`. */
export function readableTime(at: string | null, now = Date.now()): string {
  if (at === null) return '-'
  const text = readableDistance(at, now)
  return isAhead(at, now) ? `in ${text}` : `${text} ago`
}

/** The time between `at` and now, without a direction, for example `2 h`. */
export const readableDistance = (at: string, now = Date.now()): string =>
  readableDuration(Math.abs(Math.round((now - Date.parse(at)) / 1000)))

/** For example `ends in 2 h`, or `ended 3 min ago`. */
export const endText = (at: string, now = Date.now()): string =>
  `${isAhead(at, now) ? 'ends' : 'ended'} ${readableTime(at, now)}`

const isAhead = (at: string, now: number) => Math.round((now - Date.parse(at)) / 1000) < 0

const durationUnits = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const

/** In the largest unit of which the duration has at least one, for example `3 min`. */
export function readableDuration(seconds: number): string {
  const [size, unit] = durationUnits.find(([each]) => seconds >= each) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}
