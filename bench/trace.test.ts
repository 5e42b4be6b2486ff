import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxTaskMs, scriptMs, type TraceEvent } from './trace.ts'

const event = (name: string, ts: number, dur: number, tid = 1): TraceEvent => ({ name, ph: 'X', pid: 1, tid, ts, dur })

test('sums scripts of all threads, and counts an event inside another one once', () => {
  const events = [
    event('ThreadControllerImpl::RunTask', 0, 9000),
    event('FunctionCall', 1000, 4000),
    event('RunMicrotasks', 2000, 1000),
    { ...event('MinorGC', 5000, 2000), tdur: 1000 },
    event('FunctionCall', 1000, 3000, 2),
    event('Layout', 7000, 1000),
  ]
  assert.equal(scriptMs(events), 8)
})

test('the longest task is one of a thread with scripts', () => {
  const events = [
    event('ThreadControllerImpl::RunTask', 0, 70_000),
    event('FunctionCall', 10, 10),
    event('ThreadControllerImpl::RunTask', 0, 90_000, 2),
  ]
  assert.equal(maxTaskMs(events), 70)
})
