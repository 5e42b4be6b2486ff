import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionState } from './session.ts'
import { stateText } from './state-text.ts'

test('each state has a word, and a client that failed tells its exit code', () => {
  const cases: [state: SessionState, tone: string, text: RegExp][] = [
    [{ state: 'connecting' }, 'working', /^connecting/],
    [{ state: 'connected' }, 'good', /^connected$/],
    [{ state: 'ended', exitCode: 0 }, 'neutral', /^ended$/],
    [{ state: 'ended', exitCode: 137 }, 'warning', /^ended with exit code 137$/],
    [{ state: 'failed', error: new Error('refused') }, 'critical', /^failed$/],
    [{ state: 'lost' }, 'critical', /^connection lost/],
    [{ state: 'closed' }, 'neutral', /^ended by you$/],
  ]
  for (const [state, tone, text] of cases) {
    const result = stateText(state)
    assert.equal(result.tone, tone)
    assert.match(result.text, text)
  }
})
