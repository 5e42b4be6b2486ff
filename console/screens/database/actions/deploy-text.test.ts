import assert from 'node:assert/strict'
import test from 'node:test'
import { deployText } from './deploy-text.ts'

const facts = { lastDeployedAt: null, volume: null, pendingChanges: false, applicationStatus: 'idle' } as const
const at = '2030-01-01T00:00:00.000Z'

test('the text of a deploy fits what has happened before', () => {
  const cases = [
    [{}, /creates the volume/],
    [{ volume: 'v', applicationStatus: 'error' }, /same as at the last attempt/],
    [{ volume: 'v', applicationStatus: 'error', pendingChanges: true }, /changed since/],
    [{ volume: 'v', lastDeployedAt: at, pendingChanges: true }, /applies the saved changes/],
    [{ volume: 'v', lastDeployedAt: at, applicationStatus: 'error' }, /applies them again/],
    [{ volume: 'v', lastDeployedAt: at, applicationStatus: 'done' }, /same as what was deployed/],
  ] as const
  for (const [given, expected] of cases) assert.match(deployText({ ...facts, ...given }), expected)
})
