import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseState, databaseState } from './database-state.ts'

const cases: [status: 'done' | 'error' | 'running' | 'idle', container: string | null, state: DatabaseState][] = [
  ['done', 'running', 'up'],
  ['done', null, 'up'],
  ['done', 'starting', 'restarting'],
  ['done', 'missing', 'restarting'],
  ['error', 'running', 'down'],
  ['error', 'failed', 'down'],
  ['running', 'starting', 'working'],
  ['idle', null, 'stopped'],
]
for (const [applicationStatus, containerState, state] of cases) {
  test(`a database with the status ${applicationStatus} and the container state ${containerState} is ${state}`, () => {
    assert.equal(databaseState({ applicationStatus, containerState }), state)
  })
}
