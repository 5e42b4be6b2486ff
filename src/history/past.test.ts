/** What the history tells about databases, and how rarely it is read for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Point } from './levels.ts'
import { pastFrom } from './past.ts'

const start = Date.parse('2030-01-01T12:00:00.000Z')
const latestOf = (volumeBytes: number) => ({
  at: new Date(start),
  databases: new Map([['db1', { volumeBytes }]]),
  nodes: new Map(),
})
const after = (minutes: number) => new Date(start + minutes * 60_000)
const noErrors = { error: assert.fail }
const point = (value: number | null): Point => ({ mean: value, max: value })

test('the maximum is that of the history or the present size, and is read again after ten minutes', () => {
  const ranges: [number, number][] = []
  const past = pastFrom(
    {
      read(subject, metric, { seconds }, from, until) {
        assert.deepEqual([subject, metric, seconds], ['db1', 'volumeBytes', 600])
        ranges.push([from, until])
        return [point(100), point(null)]
      },
    },
    null,
    noErrors,
  )
  const maxAt = (bytes: number, minutes: number) => past(latestOf(bytes), after(minutes)).dayMaxBytes.get('db1')
  assert.deepEqual([maxAt(40, 0), maxAt(40, 9)], [100, 100])
  assert.equal(ranges.length, 1)
  assert.equal(ranges[0]![1] - ranges[0]![0], 24 * 3600)
  assert.deepEqual([maxAt(40, 10), maxAt(150, 10)], [100, 150])
  assert.equal(ranges.length, 3)
  assert.equal(past(null, after(11)).dayMaxBytes.size, 0)
})

/** The steps of six hours, of which some were not measured. */
const six = (value: number, missing: number) => [...Array(36 - missing).fill(value), ...Array(missing).fill(null)]

const idle: [
  title: string,
  usual: (number | null)[],
  recent: (number | null)[],
  hours: number | null,
  expected: 'idle' | 'not idle' | 'unknown',
][] = [
  ['clients that left', [5, 3], six(0.2, 0), 6, 'idle'],
  ['clients that left, without the setting', [5, 3], six(0.2, 0), null, 'not idle'],
  ['clients that left, with a pause of half an hour', [5, 3], six(0.2, 3), 6, 'idle'],
  ['clients that left, with a longer pause', [5, 3], six(0.2, 4), 6, 'unknown'],
  ['the first steps after a stop', [5, 3], six(0, 35), 6, 'unknown'],
  ['some transactions', [5, 3], [...six(0.1, 1), 1.1], 6, 'not idle'],
  ['some transactions after a stop', [5, 3], [...six(0.1, 35), 1.1], 6, 'not idle'],
  ['few transactions before', [2, 1], six(0, 0), 6, 'not idle'],
  ['nothing measured before', [null], six(0, 0), 6, 'not idle'],
  ['nothing measured now', [5, 3], six(0, 36), 6, 'unknown'],
]
for (const [title, usual, recent, hours, expected] of idle) {
  test(`${title}: ${expected}`, () => {
    const read = (_: string, metric: string, __: unknown, from: number, until: number) =>
      metric === 'volumeBytes' ? [] : (until - from > 24 * 3600 ? usual : recent).map(point)
    const { idle: found } = pastFrom({ read }, hours, noErrors)(latestOf(1), after(0))
    const value = expected === 'idle' ? { hours: 6, perSecond: 4 } : null
    assert.deepEqual([...found], expected === 'unknown' ? [] : [['db1', value]])
  })
}

const windows: [minutes: number, untilMinutes: number][] = [
  [0, -10],
  [1, -10],
  [2, 0],
  [11, 0],
  [12, 10],
]
for (const [minutes, untilMinutes] of windows) {
  test(`${minutes} minutes after a step has ended, the steps until ${untilMinutes} minutes are complete`, () => {
    const ends: number[] = []
    const read = (_: string, metric: string, __: unknown, from: number, until: number) => {
      if (metric === 'transactionsPerSecond' && until - from === 3600) ends.push(until)
      return []
    }
    pastFrom({ read }, 1, noErrors)(latestOf(1), after(minutes))
    assert.deepEqual(ends, [after(untilMinutes).getTime() / 1000])
  })
}

test('a database whose history cannot be read has no past, and this is logged once until it can be read again', () => {
  const [errors, broken]: [string[], Set<string>] = [[], new Set(['db1'])]
  const read = (subject: string) => {
    if (broken.has(subject)) throw new Error('disk I/O error')
    return [point(100)]
  }
  const past = pastFrom({ read }, null, { error: (message) => errors.push(message) })
  const latest = { at: new Date(start), databases: new Map(['db1', 'db2'].map((id) => [id, {}])), nodes: new Map() }
  const known = (minutes: number) => {
    const { dayMaxBytes, idle } = past(latest, after(minutes))
    assert.deepEqual([...idle.keys()], [...dayMaxBytes.keys()])
    return [...dayMaxBytes.keys()]
  }
  assert.deepEqual([known(0), known(1)], [['db2'], ['db2']])
  assert.deepEqual(errors, ['the history cannot be read'])
  broken.clear()
  assert.deepEqual(known(2), ['db1', 'db2'])
  broken.add('db2')
  assert.deepEqual([known(11), known(12)], [['db1'], ['db1']])
  assert.equal(errors.length, 2)
})
