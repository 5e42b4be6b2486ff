/** Messages about a cause of which some conditions were muted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionTable } from '../conditions/table.ts'
import { toJson } from '../lib/json.ts'
import { planFor } from './plan.ts'

const channel = { id: 'channel1', minSeverity: 'info', projectIds: null, conditions: null, repeatHours: 24 } as const
const now = new Date('2030-01-01T00:20:00.000Z')

const condition = (id: string): ConditionTable => ({
  id,
  name: 'BackupFailed',
  severity: 'warning',
  subjectKind: 'backup',
  subjectId: `backup-${id}`,
  subjectName: id,
  projectId: null,
  adminOnly: 0,
  reason: toJson({ reason: 'RunFailed', runId: 'run', at: now.toISOString(), cause: null }),
  since: now.toISOString(),
  endedAt: null,
})

const mute = {
  id: 'mute',
  subjectKind: 'backup',
  subjectId: 'backup-a',
  condition: null,
  until: '2030-01-02T00:00:00.000Z',
  createdAt: '2030-01-01T00:00:00.000Z',
} as const

const muted = {
  channelId: channel.id,
  key: 'destination 1',
  state: 'muted',
  severity: 'warning',
  conditionIds: toJson<readonly string[]>(['a']),
  firstRaisedAt: '2030-01-01T00:00:00.000Z',
  lastSentAt: '2030-01-01T00:00:00.000Z',
  nextChangeAt: '2030-01-01T00:10:00.000Z',
} as const

test('a condition that joins a cause whose others are muted is reported as new, and after the mute as still present', () => {
  const found = (...ids: string[]) => ids.map((id) => ({ condition: condition(id), key: muted.key }))
  const statesOf = (ids: string[], mutes: (typeof mute)[]) =>
    planFor(channel, found(...ids), mutes, [muted], now).messages.map(({ state, conditionIds }) => [
      state,
      conditionIds,
    ])
  assert.deepEqual(statesOf(['a', 'b'], [mute]), [['raised', ['b']]])
  assert.deepEqual(statesOf(['a'], []), [['repeated', ['a']]])
  assert.deepEqual(statesOf(['a', 'b'], []), [['repeated', ['a', 'b']]])
})
