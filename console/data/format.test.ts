import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesText, countText, durationText, elapsedText, relativeText } from './format.ts'

const sizes: [bytes: number, text: string][] = [
  [0, '0 B'],
  [999, '999 B'],
  [1010, '1 KiB'],
  [1536, '1.5 KiB'],
  [150 * 1024, '150 KiB'],
  [1004 * 1024 ** 2, '1 GiB'],
  [1.25 * 1024 ** 4, '1.3 TiB'],
]
for (const [bytes, text] of sizes) test(`${bytes} bytes are ${text}`, () => assert.equal(bytesText(bytes), text))

const durations: [ms: number, text: string][] = [
  [-5, '0 ms'],
  [312, '310 ms'],
  [1000, '1.0 s'],
  [42_000, '42 s'],
  [95_000, '1 min 35 s'],
  [3_600_000, '1 h'],
  [50 * 3_600_000, '2 d 2 h'],
]
for (const [ms, text] of durations) test(`${ms} ms are ${text}`, () => assert.equal(durationText(ms), text))

const moments: [seconds: number, text: string][] = [
  [-2, 'just now'],
  [5, 'just now'],
  [30, 'in a moment'],
  [-180, '3 minutes ago'],
  [7200, 'in 2 hours'],
  [-86_400, 'yesterday'],
  [-100 * 86_400, '3 months ago'],
  [3650 * 86_400, 'in 10 years'],
]
for (const [seconds, text] of moments) {
  test(`${seconds} seconds from now is ${text}`, () => assert.equal(relativeText(seconds * 1000, 0), text))
}

test('a count has the singular or the plural', () => {
  assert.equal(countText(1, 'database'), '1 database')
  assert.equal(countText(1200, 'entry', 'entries'), '1,200 entries')
})

test('time that passes is told in whole seconds, after the first one', () => {
  const cases: [ms: number, text: string | null][] = [
    [-200, null],
    [999, null],
    [1900, '1 s'],
    [59_999, '59 s'],
    [95_900, '1 min 35 s'],
  ]
  for (const [ms, text] of cases) assert.equal(elapsedText(ms), text)
})
