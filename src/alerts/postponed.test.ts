/** Which news is postponed, and until when. Nothing is postponed that would cause no message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionTable } from '../conditions/table.ts'
import { toJson } from '../lib/json.ts'
import { planFor } from './plan.ts'
import type { MuteTable, NotificationTable } from './table.ts'

const startMs = Date.parse('2030-01-01T00:00:00.000Z')
const at = (minutes: number) => new Date(startMs + minutes * 60_000)

const channel = { id: 'channel1', minSeverity: 'info', projectIds: null, conditions: null, repeatHours: 24 } as const

const condition: ConditionTable = {
  id: 'a',
  name: 'DiskFilling',
  severity: 'warning',
  subjectKind: 'node',
  subjectId: 'node1',
  subjectName: 'web-1',
  projectId: null,
  adminOnly: 1,
  reason: toJson({ reason: 'DatabaseDown', cause: null }),
  since: at(0).toISOString(),
  endedAt: null,
}

const mute: MuteTable = {
  id: 'mute1',
  subjectKind: 'node',
  subjectId: 'node1',
  condition: null,
  until: at(60).toISOString(),
  createdAt: at(0).toISOString(),
}

/** The notification after a message in the minute 0. */
const notified = (columns: Partial<NotificationTable> = {}): NotificationTable => ({
  channelId: channel.id,
  key: 'disk',
  state: 'raised',
  severity: 'warning',
  conditionIds: toJson<readonly string[]>(['a']),
  firstRaisedAt: at(0).toISOString(),
  lastSentAt: at(0).toISOString(),
  nextChangeAt: at(10).toISOString(),
  ...columns,
})

const cases: [title: string, row: NotificationTable, present: ConditionTable[], mutes: MuteTable[], about: string[]][] =
  [
    ['the same state', notified(), [condition], [], []],
    ['its end', notified(), [], [], ['resolved']],
    ['its return', notified({ state: 'resolved' }), [{ ...condition, id: 'b' }], [], ['raised']],
    ['a higher severity', notified(), [{ ...condition, severity: 'critical' }], [], ['raised']],
    ['a lower severity', notified(), [{ ...condition, severity: 'info' }], [], []],
    ['a condition that joins', notified(), [condition, { ...condition, id: 'b' }], [], []],
    ['the end of a mute', notified({ state: 'muted' }), [condition], [], ['repeated']],
    ['a muted condition', notified(), [condition], [mute], []],
  ]

for (const [title, row, present, mutes, about] of cases) {
  test(`${title}: ${about.length === 0 ? 'nothing is postponed' : `${about.join()} is postponed for 10 minutes`}`, () => {
    const found = present.map((each) => ({ condition: each, key: 'disk' }))
    const [early, late] = [9, 10].map((minutes) => planFor(channel, found, mutes, [row], at(minutes)))
    const { key, lastSentAt } = row
    const until = at(10).toISOString()
    assert.deepEqual(
      early!.postponed,
      about.map((each) => ({ channelId: channel.id, key, lastSentAt, about: each, until })),
    )
    assert.deepEqual(early!.messages, [])
    assert.deepEqual(late!.postponed, [])
    assert.deepEqual(
      late!.messages.map(({ state }) => state),
      about,
    )
  })
}
