/** Kills at 20 random instants of starts that a file holds back, for each kind whose image initializes its data once. */
import { test } from 'node:test'
import { killHeldStarts } from './held-starts.ts'

const names = ['postgres', 'mysql', 'mariadb'] as const

for (let first = 1; first <= 20; first += 5) {
  test(`seeds ${first} to ${first + 4}: after a kill the data is whole, or the state says what to do`, async (t) => {
    const seeds = Array.from({ length: 5 }, (_, at) => first + at)
    await killHeldStarts(seeds, names, (text) => t.diagnostic(text))
  })
}
