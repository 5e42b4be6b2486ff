/** Tests whether two sets of times differ: the Mann-Whitney test. Pure, except for random numbers. */
import { median } from './table.ts'

/** Below this probability the sets count as different. This is wrong in one of a thousand runs. */
export const alpha = 0.001

/** A difference counts as detectable if this part of the drawings shows it. */
const power = 0.9
const drawings = 100
const halvings = 16

/**
 * The probability, two-sided, that two sets of the same origin differ at least this much in their ranks. A few
 * outliers have no effect. Normal approximation, corrected for ties and for continuity; good from 20 values on. Source: Mann and
 * Whitney, "On a test of whether one of two random variables is stochastically larger than the other" (1947).
 */
export function probabilityOfChance(one: number[], other: number[]): number {
  const all = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ].sort((a, b) => a.value - b.value)
  let [rankSum, ties] = [0, 0]
  for (let at = 0; at < all.length; ) {
    let end = at
    while (end < all.length && all[end]!.value === all[at]!.value) end++
    const [rank, tied] = [(at + 1 + end) / 2, end - at]
    rankSum += rank * all.slice(at, end).filter(({ isOne }) => isOne).length
    ties += tied ** 3 - tied
    at = end
  }
  const [product, total] = [one.length * other.length, all.length]
  const apart = Math.abs(rankSum - (one.length * (one.length + 1)) / 2 - product / 2) - 0.5
  const variance = (product / 12) * (total + 1 - ties / (total * (total - 1)))
  return variance === 0 ? 1 : Math.min(1, complementaryError(Math.max(0, apart) / Math.sqrt(2 * variance)))
}

/**
 * Returns the smallest difference that the test would detect in nine of ten cases: the times are distributed to two sets
 * at random, and the second set is shifted by the difference.
 * @param random returns a number from 0 to 1
 */
export function smallestShown(one: number[], other: number[], random = Math.random): number {
  const [middle, otherMiddle] = [median(one), median(other)]
  const pool = [...one.map((value) => value - middle), ...other.map((value) => value - otherMiddle)]
  const dealt = Array.from({ length: drawings }, () => shuffled(pool, random))
  const isApart = (values: number[], by: number) =>
    probabilityOfChance(
      values.slice(0, one.length),
      values.slice(one.length).map((value) => value + by),
    ) < alpha
  const isShown = (by: number) => dealt.filter((values) => isApart(values, by)).length >= power * drawings
  let [least, most] = [0, Math.max(...pool) - Math.min(...pool)]
  for (let left = halvings; left > 0; left--) {
    const half = (least + most) / 2
    if (isShown(half)) most = half
    else least = half
  }
  return most
}

/** Returns the values in random order (Fisher and Yates). */
export function shuffled<T>(values: readonly T[], random = Math.random): T[] {
  const result = [...values]
  for (let at = result.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[result[at], result[other]] = [result[other]!, result[at]!]
  }
  return result
}

/**
 * The complementary error function for x >= 0, with an error below 2e-7. Source: Abramowitz and Stegun, "Handbook of
 * Mathematical Functions", 7.1.26.
 */
function complementaryError(x: number): number {
  const t = 1 / (1 + 0.3275911 * x)
  const terms = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
  return terms.reduceRight((sum, term) => (sum + term) * t, 0) * Math.exp(-x * x)
}
