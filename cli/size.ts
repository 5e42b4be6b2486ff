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
  const seconds = Math.round((now - Date.parse(at)) / 1000)
  const [size, unit] = (
    [
      [86_400, 'd'],
      [3600, 'h'],
      [60, 'min'],
      [1, 's'],
    ] as const
  ).find(([each]) => Math.abs(seconds) >= each) ?? [1, 's']
  const count = Math.floor(Math.abs(seconds) / size)
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`
}
