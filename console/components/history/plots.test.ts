import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasePlans, drawnValues, nodePlans, type Series, seriesNames, summaryOf, valueText } from './plots.ts'

const texts: [value: number, unit: Series['unit'], expected: string][] = [
  [1536, 'bytes', '1.5 KiB'],
  [0.876, 'ratio', '88 %'],
  [1, 'flag', 'yes'],
  [0, 'flag', 'no'],
  [0.5, 'flag', 'partly'],
  [0.123, 'cores', '0.12 cores'],
  [12345, 'perSecond', '12,345/s'],
  [7, 'count', '7'],
  [0.5, 'seconds', '0.5 s'],
  [-3, 'seconds', '-3 s'],
  [753_664, 'seconds', '8 d 17 h'],
  [-90, 'seconds', '-1 min 30 s'],
]
for (const [value, unit, expected] of texts) {
  test(`${value} ${unit} reads ${expected}`, () => assert.equal(valueText(value, unit), expected))
}

test('the summary has the last and the highest value', () => {
  const series = { metric: 'connections', unit: 'count', mean: [1, 2, null], max: [9, 3, null] } as const
  assert.equal(summaryOf({ ...series, mean: [...series.mean], max: [...series.max] }), 'Last 2, highest 9')
  assert.equal(summaryOf({ ...series, mean: [null], max: [null] }), 'No values')
})

test('a plot has the peaks of what can be too much, and the means of what can be too little', () => {
  const values = { mean: [1, 0.9], max: [1, 1] }
  assert.deepEqual(drawnValues({ metric: 'up', unit: 'flag', ...values }), [1, 0.9])
  assert.deepEqual(drawnValues({ metric: 'cacheHitRatio', unit: 'ratio', ...values }), [1, 0.9])
  assert.deepEqual(drawnValues({ metric: 'cpuCores', unit: 'cores', ...values }), [1, 1])
})

test('the summary of what can be too little has the lowest value', () => {
  const values = { mean: [1, 0.4, null, 0.9], max: [1, 1, null, 1] }
  assert.equal(summaryOf({ metric: 'cacheHitRatio', unit: 'ratio', ...values }), 'Last 90 %, lowest 40 %')
})

test('a short outage is visible in the summary', () => {
  const up: Series = { metric: 'up', unit: 'flag', mean: [1, 0.9996, 1], max: [1, 1, 1] }
  assert.equal(summaryOf(up), 'Last yes, yes for 99.9 % of the time')
  assert.equal(summaryOf({ ...up, mean: [1, null, 1] }), 'Last yes, yes for 100 % of the time')
})

for (const [subject, plans] of Object.entries({ database: databasePlans, node: nodePlans })) {
  test(`each metric of a ${subject} is in one plot`, () => {
    const metrics = plans.flatMap((plan) => plan.metrics)
    assert.equal(new Set(metrics).size, metrics.length)
  })

  test(`each second metric in a plot of a ${subject} has a name`, () => {
    for (const { metrics } of plans) for (const metric of metrics.slice(1)) assert.ok(seriesNames[metric], metric)
  })
}
