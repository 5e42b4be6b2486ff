/** Tests valid and invalid cron expressions, and their next times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cronFault, nextTime, zoneFault } from './cron.ts'

const saturday = new Date('2026-11-21T23:00:00.000Z')

const good: [expression: string, next: string][] = [
  ['0 3 * * *', '2026-11-22T03:00:00.000Z'],
  [' */5  * * * * ', '2026-11-21T23:05:00.000Z'],
  ['@daily', '2026-11-22T00:00:00.000Z'],
  ['@hourly', '2026-11-22T00:00:00.000Z'],
  ['@weekly', '2026-11-22T00:00:00.000Z'],
  ['@yearly', '2027-01-01T00:00:00.000Z'],
  ['0 0 * * MON-FRI', '2026-11-23T00:00:00.000Z'],
  ['0 0 1,15 jan *', '2027-01-01T00:00:00.000Z'],
  ['0 22-23/1 * * 6,0', '2026-11-22T22:00:00.000Z'],
  ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
]
for (const [expression, next] of good) {
  test(`"${expression}" next occurs at ${next}`, () => {
    assert.equal(cronFault(expression), null)
    assert.equal(nextTime(expression, 'UTC', saturday)?.toISOString(), next)
  })
}

const bad = [
  '',
  '* * * *',
  '0 0 3 * * *',
  '0 3 * * * 2030',
  '61 * * * *',
  'a b c d e',
  '@reboot',
  '@never',
  '2026-11-22T00:00:00Z',
  '0 0 31 2 *',
  '; reboot',
  '* * * * * && x',
  '\n',
]
for (const expression of bad) {
  test(`refuses ${JSON.stringify(expression)}`, () => assert.match(cronFault(expression) ?? '', /^(must be|has no)/))
}

test('computes times in the time zone, in summer and winter', () => {
  const at = (after: string) => nextTime('30 8 * * *', 'Europe/Berlin', new Date(after))?.toISOString()
  assert.equal(at('2026-07-01T00:00:00Z'), '2026-07-01T06:30:00.000Z')
  assert.equal(at('2026-12-01T00:00:00Z'), '2026-12-01T07:30:00.000Z')
})

test('returns one time for an hour that the clock skips or repeats', () => {
  const times = (from: string, count: number) => {
    const results: string[] = []
    let after = new Date(from)
    while (results.length < count) {
      after = nextTime('30 2 * * *', 'Europe/Berlin', after)!
      results.push(after.toISOString())
    }
    return results
  }
  assert.deepEqual(times('2026-03-28T12:00:00Z', 2), ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'])
  assert.deepEqual(times('2026-10-24T12:00:00Z', 2), ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'])
})

test('accepts time zones by name', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York']) assert.equal(zoneFault(zone), null)
  for (const zone of ['', 'Mars', '../etc/passwd']) assert.match(zoneFault(zone) ?? '', /time zone/)
})
