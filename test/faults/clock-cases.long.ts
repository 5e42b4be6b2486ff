/** All cases of test/installation/clock.test.ts, of which the ordinary run has a few. */
process.env.BERTH_CLOCK_CASES = 'all'
await import('../installation/clock.test.ts')
