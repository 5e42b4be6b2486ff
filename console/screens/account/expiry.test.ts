import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiresAt } from './expiry.ts'

const now = Date.UTC(2030, 0, 31, 12)

test('counts days from now', () => {
  const cases: [choice: string, result: string][] = [
    ['7', '2030-02-07T12:00:00.000Z'],
    ['30', '2030-03-02T12:00:00.000Z'],
    ['365', '2031-01-31T12:00:00.000Z'],
  ]
  for (const [choice, result] of cases) assert.equal(expiresAt(choice, '', now), result, choice)
})

test('has no time for a token that never expires', () => {
  assert.equal(expiresAt('never', '2030-01-31', now), undefined)
})

test('ends a day at its last second in the zone of the browser', () => {
  assert.equal(expiresAt('date', '2030-02-01', now), new Date(2030, 1, 1, 23, 59, 59).toISOString())
})

test('knows no end for a text that is no day', () => {
  for (const day of ['', 'tomorrow', '2030-13-01', '2030-1-1', '2030-02-01T00:00:00Z'])
    assert.equal(expiresAt('date', day, now), null, day)
})
