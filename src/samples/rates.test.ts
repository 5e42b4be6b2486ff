import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figureValues, usageValues } from './rates.ts'

const usage = (seconds: number, cpuSeconds: number) => ({
  atMs: seconds * 1000,
  cpuNanoseconds: cpuSeconds * 1e9,
  memoryBytes: 100,
})

test('processor time becomes cores between two readings', () => {
  assert.deepEqual(usageValues(usage(60, 10), null), { memoryBytes: 100 })
  assert.deepEqual(usageValues(usage(120, 40), usage(60, 10)), { cpuCores: 0.5, memoryBytes: 100 })
})

test('there is no rate after a counter began again, over a quarter of an hour, and without time in between', () => {
  assert.deepEqual(usageValues(usage(120, 1), usage(60, 10)), { memoryBytes: 100 })
  assert.deepEqual(usageValues(usage(2000, 40), usage(60, 10)), { memoryBytes: 100 })
  assert.deepEqual(usageValues(usage(60, 10), usage(60, 10)), { memoryBytes: 100 })
})

const reading = (seconds: number, figures: Parameters<typeof figureValues>[0]['figures']) => ({
  atMs: seconds * 1000,
  figures,
})

test('counters of a server become rates, and the present figures stay as they are', () => {
  const before = reading(0, { transactions: 100, cacheHits: 0, cacheMisses: 0 })
  const now = reading(60, {
    connections: 3,
    connectionsAllowed: 100,
    transactions: 700,
    cacheHits: 180,
    cacheMisses: 60,
  })
  assert.deepEqual(figureValues(now, before), {
    connections: 3,
    connectionsAllowed: 100,
    transactionsPerSecond: 10,
    cacheHitRatio: 0.75,
  })
  assert.deepEqual(figureValues(now, null), { connections: 3, connectionsAllowed: 100 })
})

test('without a read there is no ratio of the cache, and without the counter no rate', () => {
  const same = { transactions: 100, cacheHits: 5, cacheMisses: 5 }
  assert.deepEqual(figureValues(reading(60, same), reading(0, same)), { transactionsPerSecond: 0 })
  assert.deepEqual(figureValues(reading(60, { connections: 1 }), reading(0, same)), { connections: 1 })
})
