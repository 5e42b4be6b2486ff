/** Restored states of random ages beside random work since. `./berth test faults` runs ten times as many. */
import { test } from 'node:test'
import { runTrials } from './random-restores.ts'

test('20 seeds: restored states stop nothing, lose nothing, and share no volume', async () => {
  await runTrials(Array.from({ length: 20 }, (_, seed) => seed + 1))
})
