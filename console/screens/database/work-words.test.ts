import assert from 'node:assert/strict'
import test from 'node:test'
import { containerText, phaseText } from './work-words.ts'

const cases = [
  [{ action: 'deploy', phase: 'apply' }, { containerState: 'preparing' }, /image/],
  [{ action: 'deploy', phase: 'apply' }, { containerState: null }, /Preparing the container/],
  [{ action: 'start', phase: 'apply' }, { containerState: 'running' }, /Logging in/],
  [{ action: 'deploy', phase: 'rollback' }, { containerState: 'running' }, /going back/],
  [{ action: 'deploy', phase: 'halt' }, { containerState: 'running' }, /stopping/],
  [{ action: 'stop', phase: 'apply' }, { containerState: 'running' }, /Stopping/],
  [{ action: 'move', phase: 'apply' }, { containerState: 'running' }, /still runs/],
  [{ action: 'move', phase: 'apply' }, { containerState: null, statusCode: 'Moving' }, /copying/],
  [{ action: 'move', phase: 'apply' }, { containerState: 'starting' }, /Starting the database/],
  [{ action: 'restore', phase: 'apply' }, { containerState: 'running' }, /still runs/],
  [{ action: 'restore', phase: 'apply' }, { containerState: null, statusCode: 'Restoring' }, /copying/],
  [{ action: 'restore', phase: 'apply' }, { containerState: 'starting' }, /Starting the database/],
] as const

test('the phase of work is told in words', () => {
  for (const [work, server, expected] of cases) {
    assert.match(phaseText(work, { statusCode: null, ...server }), expected, JSON.stringify([work, server]))
  }
})

test('an unknown state of a later Berth is shown as it is', () => {
  assert.equal(containerText('paused'), 'paused')
})
