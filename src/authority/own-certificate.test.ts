import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDue } from './own-certificate.ts'

const dayMs = 24 * 3600_000
const now = new Date('2030-01-01T00:00:00.000Z')
/** A certificate for 90 days that began so many days ago. */
const certificate = (ageDays: number, more: { host?: string; generation?: number } = {}) => ({
  host: 'a.example',
  generation: 1,
  notBefore: new Date(now.getTime() - ageDays * dayMs),
  notAfter: new Date(now.getTime() + (90 - ageDays) * dayMs),
  ...more,
})

test('a certificate is replaced when a third of its time is left, or the host or the authority has changed', () => {
  const cases: [title: string, present: ReturnType<typeof certificate>, expected: boolean][] = [
    ['a new one', certificate(0), false],
    ['one with more than a third', certificate(59), false],
    ['one with a third', certificate(60), true],
    ['an expired one', certificate(91), true],
    ['one that is not valid yet, because the clock was ahead', certificate(-1), true],
    ['one of another host', certificate(0, { host: 'b.example' }), true],
    ['one of an older generation', certificate(0, { generation: 0 }), true],
    ['one of a generation that does not sign yet', certificate(0, { generation: 2 }), true],
  ]
  for (const [title, present, expected] of cases) assert.equal(isDue(present, 'a.example', 1, now), expected, title)
})
