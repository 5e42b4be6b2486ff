import assert from 'node:assert/strict'
import test from 'node:test'
import { adviceFor, driftOutcome } from './advice.ts'

test('a reason has advice, a good state has none', () => {
  assert.equal(adviceFor(null), null)
  assert.equal(adviceFor('Recovered'), null)
  assert.equal(adviceFor('ImageMissing')?.tab, 'settings')
  assert.equal(adviceFor('NodeDown')?.screen, '/nodes')
})

test('drift says what happens about it, also for a code of a later Berth', () => {
  assert.match(driftOutcome('ServiceMissing'), /by itself/)
  assert.equal(driftOutcome('SomethingNew'), driftOutcome('Legacy'))
})
