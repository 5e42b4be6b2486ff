import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cronFault, cronText, hasTimeIn, nextTimes, presets, zoneFault } from './cron.ts'

test('says schedules in words', () => {
  const cases: [string, string][] = [
    ['0 3 * * *', 'every day at 03:00'],
    ['@daily', 'every day at 00:00'],
    ['*/10 * * * *', 'every 10 minutes'],
    ['0 * * * *', 'every hour'],
    ['15 * * * *', 'every hour, 15 min past the hour'],
    ['0 */6 * * *', 'every 6 hours'],
    ['30 1 * * 1-5', 'Monday to Friday at 01:30'],
    ['0 5 * * 0', 'every Sunday at 05:00'],
    ['0 4 1 * *', 'on day 1 of each month at 04:00'],
    ['0 4 1 * 5', '0 4 1 * 5'],
    ['0 4 * 6 *', '0 4 * 6 *'],
    ['1,2 3 * * *', '1,2 3 * * *'],
    ['0 3-5 * * *', '0 3-5 * * *'],
    ['nonsense', 'nonsense'],
  ]
  for (const [expression, text] of cases) assert.equal(cronText(expression), text, expression)
})

test('finds what is wrong with schedules and zones', () => {
  for (const { value } of presets) assert.equal(cronFault(value), null, value)
  assert.equal(cronFault('@hourly'), null)
  assert.match(cronFault('0 3 * *')!, /Five fields/)
  assert.match(cronFault('2030-01-01T00:00:00Z')!, /Five fields/)
  assert.match(cronFault('0 0 30 2 *')!, /never comes/)
  assert.equal(zoneFault('Europe/Berlin'), null)
  assert.match(zoneFault('Mars/Olympus')!, /unknown/)
})

test('computes times in the zone of the schedule', () => {
  const after = Date.parse('2026-11-24T12:00:00Z')
  assert.deepEqual(
    nextTimes('0 3 * * *', 'Europe/Berlin', after, 2).map((at) => new Date(at).toISOString()),
    ['2026-11-25T02:00:00.000Z', '2026-11-26T02:00:00.000Z'],
  )
  assert.deepEqual(nextTimes('x', 'UTC', after, 3), [])
  assert.deepEqual(nextTimes('0 3 * * *', 'Nowhere/At-All', after, 3), [])
})

test('tells whether a schedule has a time in a span', () => {
  const day = Date.parse('2026-11-24T00:00:00Z')
  assert.equal(hasTimeIn('0 0 * * *', 'UTC', day, day + 1), true)
  assert.equal(hasTimeIn('0 0 * * *', 'UTC', day + 1000, day + 3600_000), false)
})
