import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysUntil, expiryTone } from './expiry.ts'

const now = Date.parse('2030-01-10T12:00:00Z')

test('counts whole days until the end', () => {
  const cases: [string, number][] = [
    ['2030-01-11T11:59:59Z', 0],
    ['2030-01-11T12:00:00Z', 1],
    ['2030-01-10T11:59:59Z', -1],
  ]
  for (const [notAfter, days] of cases) assert.equal(daysUntil(notAfter, now), days, notAfter)
})

test('warns in the last month and alarms in the last week', () => {
  assert.deepEqual([-1, 6, 7, 29, 30].map(expiryTone), ['critical', 'critical', 'warning', 'warning', 'good'])
})
