import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMissing, isOutOfSequence, errorForStatus, unavailable } from './errors.ts'
import { EngineFailure, type EngineFailureReason, EngineUnavailable } from '../../failures.ts'

const bodyOf = (message: string) => JSON.stringify({ message })
const cases: [status: number, body: string, kind: string, message: string][] = [
  [404, bodyOf('No such container: x'), 'EngineFailure', 'No such container: x'],
  [409, bodyOf('rpc error: code = AlreadyExists desc = name conflicts'), 'EngineFailure', 'name conflicts'],
  [400, 'plain text\n', 'EngineFailure', 'plain text'],
  [418, 'no', 'EngineFailure', 'no'],
  [501, 'no', 'EngineFailure', 'no'],
  [500, '', 'EngineFailure', 'HTTP status 500 without a message'],
  [500, '{"error":"of a proxy"}', 'EngineFailure', 'HTTP status 500 without a message'],
  [
    503,
    bodyOf('This node is not a swarm manager.'),
    'EngineUnavailable',
    'The engine cannot serve requests now: This node is not a swarm manager.',
  ],
  [
    500,
    bodyOf("rpc error: code = Unknown desc = The swarm does not have a leader. It's possible"),
    'EngineUnavailable',
    "The engine cannot serve requests now: The swarm does not have a leader. It's possible",
  ],
  [
    500,
    bodyOf('rpc error: code = DeadlineExceeded desc = context deadline exceeded'),
    'EngineUnavailable',
    'The engine cannot serve requests now: context deadline exceeded',
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
  test(`translates status ${status} with the body ${body.slice(0, 60)} to ${kind}`, () => {
    const error = errorForStatus(status, body)
    assert.deepEqual({ kind: error.name, message: error.message }, { kind, message })
    if (error instanceof EngineFailure) assert.equal(error.reason, reasons[status])
  })
}

test('translates a broken connection to EngineUnavailable, and keeps an EngineUnavailable', () => {
  const error = unavailable(new Error('connect ENOENT /x'))
  assert.equal(error.message, 'The engine does not answer: connect ENOENT /x')
  assert.equal(unavailable(error), error)
})

test('recognizes missing objects and concurrent updates', () => {
  assert.ok(isOutOfSequence(errorForStatus(500, bodyOf('rpc error: code = Unknown desc = update out of sequence'))))
  assert.ok(!isOutOfSequence(new EngineUnavailable('update out of sequence')))
  assert.ok(isMissing(errorForStatus(404, bodyOf('network berth not found'))))
  assert.ok(isMissing(errorForStatus(400, bodyOf('config not found: x'))))
  assert.ok(!isMissing(errorForStatus(409, bodyOf('in use'))))
})
