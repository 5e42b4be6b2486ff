import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantOf } from './instants.ts'

const now = new Date('2030-01-02T00:00:00.500Z')

const table: [text: string, instant: string | null][] = [
  ['90s', '2030-01-01T23:58:30.500000000Z'],
  ['15m', '2030-01-01T23:45:00.500000000Z'],
  ['2h', '2030-01-01T22:00:00.500000000Z'],
  ['1d', '2030-01-01T00:00:00.500000000Z'],
  ['0s', '2030-01-02T00:00:00.500000000Z'],
  ['999999999d', '1970-01-01T00:00:00.000000000Z'],
  ['2030-01-01T12:00:00Z', '2030-01-01T12:00:00.000000000Z'],
  ['2030-01-01T12:00Z', '2030-01-01T12:00:00.000000000Z'],
  ['2030-01-01T12:00:00.123456789Z', '2030-01-01T12:00:00.123456789Z'],
  ['2030-01-01T12:00:00.5+02:00', '2030-01-01T10:00:00.500000000Z'],
  ['1969-12-31T23:59:59Z', null],
  ['2030-02-31T25:00:00Z', null],
  ['2030-01-01', null],
  ['2030-01-01T12:00:00', null],
  ['2030-01-01T12:00:00.1234567890Z', null],
  ['', null],
  ['15', null],
  ['m', null],
  ['15M', null],
  ['-15m', null],
  ['1.5h', null],
  ['15m ', null],
  ['9999999999s', null],
]

for (const [text, instant] of table) {
  test(`${JSON.stringify(text)} is ${instant}`, () => assert.equal(instantOf(text, now), instant))
}
