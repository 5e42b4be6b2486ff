import assert from 'node:assert/strict'
import test from 'node:test'
import { adviceFor, driftText } from './advice.ts'

test('a reason has advice, a good state has none', () => {
  assert.equal(adviceFor(null), null)
  assert.equal(adviceFor('Recovered'), null)
  assert.equal(adviceFor('ImageMissing')?.tab, 'settings')
  assert.equal(adviceFor('NodeDown')?.screen, '/nodes')
})

test('drift says what was expected, also for a code of a later Berth', () => {
  assert.match(driftText('ServiceMissing').outcome, /by itself/)
  assert.deepEqual(driftText('SomethingNew'), driftText('Legacy'))
})
