import assert from 'node:assert/strict'
import test from 'node:test'
import { adviceFor, driftOutcome, exitCodeText } from './advice.ts'

test('a reason has advice, a good state has none', () => {
  assert.equal(adviceFor(null), null)
  assert.equal(adviceFor('Recovered'), null)
  assert.equal(adviceFor('ImageMissing')?.tab, 'settings')
  assert.equal(adviceFor('NodeDown')?.screen, '/nodes')
})

test('the exit code of a killed server is explained', () => {
  assert.match(exitCodeText('Running again. Before that: The server ended with exit code 137') ?? '', /memory/)
  for (const message of [null, 'The server ended with exit code 1', 'exit code 1370']) {
    assert.equal(exitCodeText(message), null)
  }
})

test('drift says what happens about it, also for a code of a later Berth', () => {
  assert.match(driftOutcome('ServiceMissing'), /by itself/)
  assert.equal(driftOutcome('SomethingNew'), driftOutcome('Legacy'))
})
