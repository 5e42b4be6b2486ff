import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMissing, isOutOfSequence, refusalOf, unavailable } from './errors.ts'
import { EngineFailure, type EngineFailureReason, EngineUnavailable } from '../../failures.ts'

const said = (message: string) => JSON.stringify({ message })
const cases: [status: number, body: string, kind: string, message: string][] = [
  [404, said('No such container: x'), 'EngineFailure', 'No such container: x'],
  [409, said('rpc error: code = AlreadyExists desc = name conflicts'), 'EngineFailure', 'name conflicts'],
  [400, 'plain words\n', 'EngineFailure', 'plain words'],
  [418, 'no', 'EngineFailure', 'no'],
  [501, 'no', 'EngineFailure', 'no'],
  [500, '', 'EngineFailure', 'status 500 without a word'],
  [500, '{"error":"of a proxy"}', 'EngineFailure', 'status 500 without a word'],
  [
    503,
    said('This node is not a swarm manager.'),
    'EngineUnavailable',
    'The engine cannot do it now: This node is not a swarm manager.',
  ],
  [
    500,
    said("rpc error: code = Unknown desc = The swarm does not have a leader. It's possible"),
    'EngineUnavailable',
    "The engine cannot do it now: The swarm does not have a leader. It's possible",
  ],
  [
    500,
    said('rpc error: code = DeadlineExceeded desc = context deadline exceeded'),
    'EngineUnavailable',
    'The engine cannot do it now: context deadline exceeded',
  ],
]
const reasons: Record<number, EngineFailureReason> = {
  400: 'rejected',
  404: 'missing',
  409: 'conflict',
  418: 'rejected',
  500: 'failed',
  501: 'failed',
}
for (const [status, body, kind, message] of cases) {
  test(`an answer of ${status}: ${body.slice(0, 60)}`, () => {
    const error = refusalOf(status, body)
    assert.deepEqual({ kind: error.name, message: error.message }, { kind, message })
    if (error instanceof EngineFailure) assert.equal(error.reason, reasons[status])
  })
}

test('translates a broken connection to EngineUnavailable once', () => {
  const error = unavailable(new Error('connect ENOENT /x'))
  assert.equal(error.message, 'The engine does not answer: connect ENOENT /x')
  assert.equal(unavailable(error), error)
})

test('recognizes missing objects and concurrent updates', () => {
  assert.ok(isOutOfSequence(refusalOf(500, said('rpc error: code = Unknown desc = update out of sequence'))))
  assert.ok(!isOutOfSequence(new EngineUnavailable('update out of sequence')))
  assert.ok(isMissing(refusalOf(404, said('network berth not found'))))
  assert.ok(isMissing(refusalOf(400, said('config not found: x'))))
  assert.ok(!isMissing(refusalOf(409, said('in use'))))
})
