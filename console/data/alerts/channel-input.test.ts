/** The input of the API that the form of a channel makes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Channel, type ChannelValues, emptyChannel, inputOf, mask, valuesOf } from './channel-input.ts'

const stored: Channel = {
  ...{ channelId: 'c1', name: 'ops', type: 'webhook', url: mask, server: 'hooks.example.org', secret: mask },
  ...{ username: null, sender: null, recipients: [], minSeverity: 'critical', projectIds: ['p1'] },
  ...{ conditions: null, repeatHours: null, enabled: true, lastSuccessAt: null, lastErrorAt: null },
  ...{ lastError: null, lastErrorCode: null, queued: 0, oldestQueuedAt: null, gaveUp: 0, createdAt: '' },
}

test('a stored channel that nobody changed keeps its URL, secret and rules', () => {
  const { url, secret, minSeverity, projectIds, conditions, repeatHours } = inputOf(valuesOf(stored), stored)
  assert.deepEqual(
    [url, secret, minSeverity, projectIds, conditions, repeatHours],
    [mask, mask, 'critical', ['p1'], null, null],
  )
})

const cases: [title: string, Partial<ChannelValues>, Record<string, unknown>][] = [
  ['mail', { type: 'email', sender: ' a@x ', recipients: 'b@x,\nc@x' }, { sender: 'a@x', recipients: ['b@x', 'c@x'] }],
  ['a type without fields of mail', { sender: 'a@x', recipients: 'b@x' }, { sender: null, recipients: [] }],
  ['Telegram', { type: 'telegram', recipients: '-100' }, { url: 'https://api.telegram.org', recipients: ['-100'] }],
  ['all projects, though some were chosen before', { projectIds: ['p1'] }, { projectIds: null }],
  ['no secret', {}, { secret: null, repeatHours: 24 }],
]
for (const [title, values, expected] of cases) {
  test(`the input of ${title}`, () => {
    const input: Record<string, unknown> = inputOf({ ...emptyChannel, ...values }, null)
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, input[name]])), expected)
  })
}
