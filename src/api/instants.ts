/** Parses points in time from callers: ISO 8601, or a duration before now (90s, 15m, 2h, 3d). Pure. */

const secondsOfUnit: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * The time in UTC with nine decimal places, so that results sort as text. Null if the text is in neither format or is a
 * time in ISO 8601 before 1970. A duration that reaches before 1970 gives 1970.
 */
export function instantOf(text: string, now: Date): string | null {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (count !== undefined) {
    const agoMs = Number(count) * secondsOfUnit[unit!]! * 1000
    return nanoseconds(new Date(Math.max(0, now.getTime() - agoMs)))
  }
  const match = iso.exec(text)
  const at = new Date(match === null ? NaN : text)
  if (Number.isNaN(at.getTime()) || at.getTime() < 0) return null
  return nanoseconds(at, match?.[1])
}

function nanoseconds(at: Date, digits = String(at.getMilliseconds()).padStart(3, '0')): string {
  return at.toISOString().replace(/\.\d{3}Z$/, `.${digits.padEnd(9, '0')}Z`)
}
