/** The resolutions of the history, and how values of a finer one become one value of a coarser one. Pure. */

export interface Level {
  /** The time between two values. */
  seconds: 60 | 600 | 3600
  /** How many days are kept, with the present one. */
  days: number
}

/** The finest level first. A minute is kept for at least 24 hours. */
export const levels: readonly Level[] = [
  { seconds: 60, days: 2 },
  { seconds: 600, days: 31 },
  { seconds: 3600, days: 366 },
]

export const daySeconds = 86_400

/** How long a value is kept at any level. */
export const keptSeconds = levels.at(-1)!.days * daySeconds

/** The number of values of a day. */
export const slotsOf = ({ seconds }: Level): number => daySeconds / seconds

export interface Point {
  /** The mean and the maximum of the time; null: nothing was measured in it. */
  mean: number | null
  max: number | null
}

/** One point for several of equal length that follow each other. */
export function merged(points: readonly Point[]): Point {
  const known = points.filter((point): point is { mean: number; max: number } => point.mean !== null)
  if (known.length === 0) return { mean: null, max: null }
  return {
    mean: known.reduce((sum, { mean }) => sum + mean, 0) / known.length,
    max: Math.max(...known.map(({ max }) => max)),
  }
}

/** At most this many points are answered: more cannot be drawn beside each other. */
export const maxPoints = 1500

/**
 * The level that has all of a range, and how many of its values make one point of the answer.
 *
 * @param fromSeconds, untilSeconds, nowSeconds in seconds since the epoch
 */
export function resolutionFor(
  fromSeconds: number,
  untilSeconds: number,
  nowSeconds: number,
): { level: Level; each: number } {
  const age = nowSeconds - fromSeconds
  // A range that begins within a step has one step more.
  const most = maxPoints - 1
  const level = levels.find(({ days, seconds }) => age <= (days - 1) * daySeconds + seconds) ?? levels.at(-1)!
  return { level, each: Math.max(1, Math.ceil((untilSeconds - fromSeconds) / level.seconds / most)) }
}
