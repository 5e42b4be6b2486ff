import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure, EngineUnavailable, mayNeedPreparation } from './failures.ts'

const cases: [title: string, error: unknown, expected: boolean][] = [
  ['an engine that does not answer', new EngineUnavailable('no answer'), true],
  ['a missing network', new EngineFailure('missing', 'network berth not found'), true],
  ['a node that does not answer', new EngineFailure('nodeUnreachable', 'no route'), false],
  ['a taken name', new EngineFailure('conflict', 'taken'), false],
  ['an error of the store', new Error('no such table'), false],
]
for (const [title, error, expected] of cases) {
  test(`${expected ? 'prepares' : 'does not prepare'} the engine again after ${title}`, () => {
    assert.equal(mayNeedPreparation(error), expected)
  })
}
