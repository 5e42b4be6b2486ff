/** The checks of a tested bucket: which one failed, and which were not run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FaultKind, StorageFault } from '../../lib/storage/faults.ts'
import { checksOf } from './checks.ts'

const failed = (kind: FaultKind) => new StorageFault(kind, 'The storage failed')

/** The results of the checks, by their first letters: done, failed, notRun. */
const resultsOf = (...steps: Parameters<typeof checksOf>[0]) =>
  checksOf(steps)
    .map(({ result }) => result[0])
    .join('')

test('assigns the failure of the first request to a check before it', () => {
  const cases: [FaultKind, string][] = [
    ['name', 'fnnnnnn'],
    ['egress', 'dfnnnnn'],
    ['proxy', 'dfnnnnn'],
    ['refused', 'dfnnnnn'],
    ['tls', 'dfnnnnn'],
    ['secretAccessKey', 'ddfnnnn'],
    ['clock', 'ddfnnnn'],
    ['bucket', 'dddfnnn'],
    ['timeout', 'dddfnnn'],
  ]
  for (const [kind, expected] of cases) {
    assert.equal(resultsOf({ did: 'write', tookMs: 3, fault: failed(kind) }), expected, kind)
  }
  const [, connect] = checksOf([{ did: 'write', tookMs: 3, fault: failed('refused') }])
  assert.deepEqual(connect, { check: 'connect', result: 'failed', tookMs: 3, error: connect!.error })
  assert.match(connect!.error!, /The storage failed/)
})

test('assigns later failures to their own request', () => {
  const done = { tookMs: 1, fault: null }
  const steps = [
    { did: 'write', ...done },
    { did: 'read', ...done },
  ] as const
  const removed = { did: 'delete', ...done } as const
  assert.equal(resultsOf(...steps, { did: 'list', ...done }, removed), 'ddddddd')
  assert.equal(resultsOf(...steps, { did: 'list', tookMs: 1, fault: failed('refused') }, removed), 'dddddfd')
  assert.equal(resultsOf(steps[0], { did: 'read', tookMs: 1, fault: failed('rights') }, removed), 'ddddfnd')
})
