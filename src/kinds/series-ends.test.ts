import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { kinds } from './index.ts'
import { hasEnded, type SeriesEnd } from './series-ends.ts'

const all: SeriesEnd[] = kinds.flatMap(({ seriesEnds }) => seriesEnds)

test('a series ends after its last day', () => {
  const end: SeriesEnd = { product: 'MySQL', series: '8.0', endsOn: '2026-04-30', next: '8.4' }
  assert.equal(hasEnded(end, new Date('2026-04-30T23:59:59Z')), false)
  assert.equal(hasEnded(end, new Date('2026-05-01T00:00:00Z')), true)
})

test('every series has the form of a version, a real day, and a next series that ends later or has no known end', () => {
  for (const kind of kinds) {
    for (const { product, series, endsOn, next } of kind.seriesEnds) {
      assert.equal(kind.versionOf(series), series)
      assert.equal(new Date(endsOn).toISOString().slice(0, 10), endsOn)
      const following = kind.seriesEnds.find((each) => each.product === product && each.series === next)
      assert.ok(following === undefined || following.endsOn >= endsOn, `${product} ${series}`)
    }
  }
})

test('the documentation lists the series that have not ended when the table was made', () => {
  const madeOn = new Date('2026-11-28T00:00:00Z')
  const expected = all
    .filter((end) => !hasEnded(end, madeOn))
    .map(({ product, series, endsOn }) => `| ${product} ${series} | ${endsOn} |`)
  const lines = readFileSync(new URL('../../docs/databases.md', import.meta.url), 'utf8').split('\n')
  assert.deepEqual(
    lines.filter((line) => /^\| \S+ [\d.]+ \| \d{4}-\d\d-\d\d \|$/.test(line)),
    expected,
  )
})
