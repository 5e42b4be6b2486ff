/** Restored states of random ages beside random work since, with 200 seeds. */
import { test } from 'node:test'
import { runTrials } from '../installation/random-restores.ts'

for (let first = 1; first <= 200; first += 20) {
  test(`seeds ${first} to ${first + 19}: restored states stop nothing, lose nothing, and share no volume`, async () => {
    await runTrials(Array.from({ length: 20 }, (_, seed) => first + seed))
  })
}
