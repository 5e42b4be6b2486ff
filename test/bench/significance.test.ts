/** Tests the probability, the smallest detectable difference, and shuffling. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alpha, probabilityOfChance, shuffled, smallestShown } from '../../bench/significance.ts'

/** Returns the same random numbers in every run (Park and Miller's minimal standard). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Returns numbers with the distribution of login times: most are near the minimum, some are far above it. */
const times = (random: () => number, count = 200) =>
  Array.from({ length: count }, () => 20 - Math.log(random()) + (random() < 0.02 ? 30 : 0))

test('computes the same probability as by hand, in either order', () => {
  // Tortoises and hares: U = 25 of 36, the variance 36 / 12 * 13 = 39, so z = (7 - 0.5) / 6.245 = 1.041.
  const tortoises = [1, 7, 8, 9, 10, 11]
  const hares = [2, 3, 4, 5, 6, 12]
  assert.ok(Math.abs(probabilityOfChance(tortoises, hares) - 0.2979) < 0.0001)
  assert.equal(probabilityOfChance(tortoises, hares), probabilityOfChance(hares, tortoises))
})

test('gives ties their mean rank, and finds no difference between equal values', () => {
  assert.equal(probabilityOfChance([5, 5, 5], [5, 5, 5, 5]), 1)
  // By hand: U = 7 of 36, the variance 36 / 12 * (13 - (24 + 120 + 6) / 132) = 35.591, z = (11 - 0.5) / 5.966 = 1.760.
  assert.ok(Math.abs(probabilityOfChance([1, 2, 2, 3, 3, 3], [2, 3, 3, 4, 4, 5]) - 0.0784) < 0.0001)
})

test('finds almost no differences in a thousand pairs of the same distribution', () => {
  const random = numbersFrom(7)
  const found = Array.from({ length: 1000 }, () => probabilityOfChance(times(random), times(random)))
  assert.ok(found.filter((it) => it < alpha).length <= 4)
  const half = found.filter((it) => it < 0.5).length
  assert.ok(half > 440 && half < 560, `${half} of 1000 below one half`)
})

test('finds a shift in either direction', () => {
  const random = numbersFrom(11)
  const [one, other] = [times(random), times(random)]
  assert.ok(probabilityOfChance(one, other) > alpha)
  for (const by of [-1, 1])
    assert.ok(
      probabilityOfChance(
        one,
        other.map((time) => time + by),
      ) < alpha,
    )
})

test('detects the smallest detectable difference, and mostly not half of it', () => {
  const random = numbersFrom(13)
  const smallest = smallestShown(times(random), times(random), random)
  assert.ok(smallest > 0.1 && smallest < 1, `${smallest}`)
  const shown = (by: number) =>
    Array.from(
      { length: 200 },
      () =>
        probabilityOfChance(
          times(random),
          times(random).map((time) => time + by),
        ) < alpha,
    ).filter(Boolean).length / 200
  assert.ok(shown(smallest) > 0.8)
  assert.ok(shown(smallest / 2) < 0.4)
})

test('shuffling keeps all values and changes their order', () => {
  const values = Array.from({ length: 50 }, (_, at) => at)
  const mixed = shuffled(values, numbersFrom(3))
  assert.notDeepEqual(mixed, values)
  assert.deepEqual(
    mixed.toSorted((a, b) => a - b),
    values,
  )
})
