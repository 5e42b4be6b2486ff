/** Which messages a channel gets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionTable } from '../conditions/table.ts'
import { fromJson, toJson } from '../lib/json.ts'
import { type Plan, planFor } from './plan.ts'
import type { ChannelTable, MuteTable, NotificationTable } from './table.ts'

const minuteMs = 60_000
const startMs = Date.parse('2030-01-01T00:00:00.000Z')
const at = (minutes: number) => new Date(startMs + minutes * minuteMs)

const channel: Pick<ChannelTable, 'id' | 'minSeverity' | 'projectIds' | 'conditions' | 'repeatHours'> = {
  id: 'channel1',
  minSeverity: 'warning',
  projectIds: null,
  conditions: null,
  repeatHours: 24,
}

const condition = (id: string, columns: Partial<ConditionTable> = {}): ConditionTable => ({
  id,
  name: 'DatabaseDown',
  severity: 'critical',
  subjectKind: 'database',
  subjectId: `db-${id}`,
  subjectName: `orders-${id}`,
  projectId: 'shop',
  adminOnly: 0,
  reason: toJson({ reason: 'DatabaseDown', cause: null }),
  since: at(0).toISOString(),
  endedAt: null,
  ...columns,
})

const mute: MuteTable = {
  id: 'mute1',
  subjectKind: 'database',
  subjectId: 'db-a',
  condition: null,
  until: at(60).toISOString(),
  createdAt: at(0).toISOString(),
}

/** The notifications of one channel over time, as the loop writes them. */
function receiver(rules: Partial<typeof channel> = {}) {
  let rows = new Map<string, NotificationTable>()
  return {
    /** The messages at this minute, as `state key count`. */
    turn(minute: number, present: [key: string, row: ConditionTable][], mutes: MuteTable[] = []): string[] {
      const found = present.map(([key, row]) => ({ key, condition: row }))
      const plan: Plan = planFor({ ...channel, ...rules }, found, mutes, [...rows.values()], at(minute))
      const changed = [...plan.silent, ...plan.messages.map(({ notification }) => notification)]
      rows = new Map([...rows, ...changed.map((row) => [row.key, row] as const)])
      return plan.messages.map(
        ({ state, notification, conditionIds }) => `${state} ${notification.key} ${conditionIds.length}`,
      )
    },
    idsOf: (key: string) => fromJson(rows.get(key)!.conditionIds),
  }
}

const a = condition('a')

test('a condition causes one message, and its end another one', () => {
  const { turn } = receiver()
  assert.deepEqual(turn(0, [['a', a]]), ['raised a 1'])
  assert.deepEqual(turn(1, [['a', a]]), [])
  assert.deepEqual(turn(12, []), ['resolved a 1'])
  assert.deepEqual(turn(13, []), [])
})

test('500 conditions of one cause are one message, and later ones cause none', () => {
  const { turn, idsOf } = receiver()
  const many = Array.from({ length: 500 }, (_, i) => ['node n', condition(`c${i}`)] as [string, ConditionTable])
  assert.deepEqual(turn(0, many), ['raised node n 500'])
  assert.deepEqual(turn(1, [...many, ['node n', a]]), [])
  assert.equal(idsOf('node n').length, 501)
  assert.deepEqual(turn(2, many.slice(0, 1)), [])
  assert.deepEqual(turn(30, []), ['resolved node n 1'])
})

test('a condition whose cause becomes known later stays in the message that reported it', () => {
  const { turn } = receiver()
  assert.deepEqual(turn(0, [['a', a]]), ['raised a 1'])
  assert.deepEqual(turn(1, [['node n', a]]), [])
  assert.deepEqual(
    turn(2, [
      ['node n', a],
      ['node n', condition('b')],
    ]),
    ['raised node n 1'],
  )
  assert.deepEqual(turn(20, []).sort(), ['resolved a 1', 'resolved node n 1'])
})

test('a message is repeated after the time of the channel, or never', () => {
  const [daily, never] = [receiver(), receiver({ repeatHours: null })]
  for (const { turn } of [daily, never]) turn(0, [['a', a]])
  const day = 24 * 60
  assert.deepEqual(daily.turn(day - 1, [['a', a]]), [])
  assert.deepEqual(daily.turn(day, [['a', a]]), ['repeated a 1'])
  assert.deepEqual(daily.turn(day + 1, [['a', a]]), [])
  assert.deepEqual(daily.turn(2 * day, [['a', a]]), ['repeated a 1'])
  assert.deepEqual(daily.turn(2 * day + 1, []), [])
  assert.deepEqual(daily.turn(2 * day + 10, []), ['resolved a 1'])
  assert.deepEqual(never.turn(10 * day, [['a', a]]), [])
})

test('a condition that comes and goes for a day causes at most one message in 10 minutes', () => {
  const { turn } = receiver()
  const sent: number[] = []
  for (let minute = 0; minute < 24 * 60; minute++) {
    const isPresent = minute % 7 < 3 || minute % 2 === 0
    const present = isPresent ? [['a', condition(`a${minute}`)] as [string, ConditionTable]] : []
    for (const _ of turn(minute, present)) sent.push(minute)
  }
  assert.equal(sent[0], 0)
  for (const [i, minute] of sent.slice(1).entries()) assert.ok(minute - sent[i]! >= 10, sent.join(' '))
  assert.ok(sent.length > 20, sent.join(' '))
})

test('the end within 10 minutes is reported after them, and nothing if the condition is back by then', () => {
  const { turn } = receiver()
  turn(0, [['a', a]])
  assert.deepEqual(turn(1, []), [])
  assert.deepEqual(turn(2, [['a', condition('a2')]]), [])
  assert.deepEqual(turn(5, []), [])
  assert.deepEqual(turn(10, []), ['resolved a 1'])
  assert.deepEqual(turn(13, [['a', condition('a3')]]), [])
  assert.deepEqual(turn(14, []), [])
  assert.deepEqual(turn(30, [['a', condition('a4')]]), ['raised a 1'])
  assert.deepEqual(turn(41, []), ['resolved a 1'])
})

test('a higher severity is reported, a lower one is not', () => {
  const { turn } = receiver()
  const [warning, critical] = [condition('a', { severity: 'warning' }), a]
  assert.deepEqual(turn(0, [['a', warning]]), ['raised a 1'])
  assert.deepEqual(turn(1, [['a', critical]]), [])
  assert.deepEqual(turn(10, [['a', critical]]), ['raised a 1'])
  assert.deepEqual(turn(21, [['a', warning]]), [])
  assert.deepEqual(turn(22, [['a', critical]]), [])
})

const warningA = condition('a', { severity: 'warning' })

test('a rise of the severity is reported again after a lower one of 10 minutes', () => {
  const { turn } = receiver()
  assert.deepEqual(turn(0, [['a', a]]), ['raised a 1'])
  for (const minute of [2, 11, 12]) assert.deepEqual(turn(minute, [['a', warningA]]), [])
  assert.deepEqual(turn(13, [['a', a]]), ['raised a 1'])
  assert.deepEqual(turn(14, []), [])
  assert.deepEqual(turn(23, []), ['resolved a 1'])
})

test('a lower severity of less than 10 minutes changes nothing', () => {
  const { turn } = receiver()
  turn(0, [['a', a]])
  for (let minute = 1; minute < 12 * 60; minute++) {
    assert.deepEqual(turn(minute, [['a', minute % 10 === 0 ? a : warningA]]), [], String(minute))
  }
  assert.deepEqual(turn(12 * 60, []), ['resolved a 1'])
})

test('a severity that falls and rises for a day causes at most one message in 10 minutes', () => {
  const { turn } = receiver({ repeatHours: null })
  const sent: number[] = []
  for (let minute = 0; minute < 24 * 60; minute++) {
    const row = minute % 31 < 19 ? warningA : a
    for (const _ of turn(minute, [['a', row]])) sent.push(minute)
  }
  for (const [i, minute] of sent.slice(1).entries()) assert.ok(minute - sent[i]! >= 10, sent.join(' '))
  assert.ok(sent.length > 20, sent.join(' '))
})

test('a channel for critical conditions hears of each rise, and of the end', () => {
  for (const repeatHours of [24, null]) {
    const { turn } = receiver({ minSeverity: 'critical', repeatHours })
    assert.deepEqual(turn(0, [['a', a]]), ['raised a 1'])
    assert.deepEqual(turn(5, [['a', warningA]]), [])
    assert.deepEqual(turn(7, [['a', a]]), [])
    for (const minute of [20, 29, 30, 40]) assert.deepEqual(turn(minute, [['a', warningA]]), [])
    assert.deepEqual(turn(41, [['a', a]]), ['raised a 1'])
    assert.deepEqual(turn(60, [['a', warningA]]), [])
    assert.deepEqual(turn(61, []), ['resolved a 1'])
  }
})

test('the more severe condition of a cause is reported after its mute', () => {
  const { turn } = receiver()
  const both: [string, ConditionTable][] = [
    ['a', a],
    ['a', condition('b', { severity: 'warning' })],
  ]
  turn(0, both)
  for (const minute of [20, 30]) assert.deepEqual(turn(minute, both, [mute]), [])
  assert.deepEqual(turn(31, both), ['raised a 2'])
})

const rules: [title: string, rules: Partial<typeof channel>, row: Partial<ConditionTable>, isSent: boolean][] = [
  ['a severity below the minimum', {}, { severity: 'info' }, false],
  ['the minimum itself', {}, { severity: 'warning' }, true],
  ['info if the channel wants it', { minSeverity: 'info' }, { severity: 'info' }, true],
  ['a wanted project', { projectIds: toJson(['shop']) }, {}, true],
  ['another project', { projectIds: toJson(['blog']) }, {}, false],
  ['a record of no project to a channel of projects', { projectIds: toJson(['shop']) }, { projectId: null }, false],
  ['a record of no project to a channel of all', {}, { projectId: null }, true],
  ['a wanted condition', { conditions: toJson(['DatabaseDown'] as const) }, {}, true],
  ['another condition', { conditions: toJson(['NodeDown'] as const) }, {}, false],
]
for (const [title, changes, row, isSent] of rules) {
  test(`${title} ${isSent ? 'is' : 'is not'} sent`, () => {
    assert.equal(receiver(changes).turn(0, [['a', condition('a', row)]]).length, isSent ? 1 : 0)
  })
}

test('a muted condition causes a message only at the end of the mute', () => {
  const { turn } = receiver()
  assert.deepEqual(turn(0, [['a', a]], [mute]), [])
  assert.deepEqual(turn(1, [['a', a]]), ['raised a 1'])
})

test('a mute of one condition leaves the others, and the end of a reported condition is reported', () => {
  const { turn } = receiver()
  const only = { ...mute, condition: 'DatabaseDrifted' as const }
  assert.deepEqual(turn(0, [['a', a]], [only]), ['raised a 1'])
  assert.deepEqual(turn(24 * 60, [['a', a]], [mute]), [])
  assert.deepEqual(turn(24 * 60 + 11, [], [mute]), ['resolved a 1'])
})

test('a reported condition that is still present after a mute causes a message then', () => {
  for (const repeatHours of [24, null]) {
    const { turn } = receiver({ repeatHours })
    assert.deepEqual(turn(0, [['a', a]]), ['raised a 1'])
    assert.deepEqual(turn(20, [['a', a]], [mute]), [])
    assert.deepEqual(turn(48 * 60, [['a', a]], [mute]), [])
    assert.deepEqual(turn(48 * 60 + 1, [['a', a]]), ['repeated a 1'])
    assert.deepEqual(turn(48 * 60 + 2, [['a', a]]), [])
    assert.deepEqual(turn(48 * 60 + 20, []), ['resolved a 1'])
  }
})

test('a short mute causes a message 10 minutes after the last one', () => {
  const { turn } = receiver()
  turn(0, [['a', a]])
  turn(1, [['a', a]], [mute])
  assert.deepEqual(turn(2, [['a', a]]), [])
  assert.deepEqual(turn(10, [['a', a]]), ['repeated a 1'])
  assert.deepEqual(turn(21, [['a', a]]), [])
})

test('the end of a condition that was muted after its message is reported', () => {
  const { turn } = receiver()
  turn(0, [['a', a]])
  turn(20, [['a', a]], [mute])
  assert.deepEqual(turn(30, [], [mute]), ['resolved a 1'])
  assert.deepEqual(turn(31, [], []), [])
})

test('a cause that was muted in part or is no longer wanted causes no message after the mute', () => {
  const { turn } = receiver()
  const both: [string, ConditionTable][] = [
    ['a', a],
    ['a', condition('b')],
  ]
  turn(0, both)
  assert.deepEqual(turn(20, both, [mute]), [])
  assert.deepEqual(turn(40, both), [])
  const info = condition('a', { severity: 'info' })
  assert.deepEqual(turn(60, [['a', info]]), [])
  assert.deepEqual(turn(80, both), [])
})

test('a clock that is set back by a day holds back no end, no return and no repetition', () => {
  const day = 24 * 60
  const [ending, repeating] = [receiver(), receiver({ repeatHours: 1 })]
  for (const { turn } of [ending, repeating]) turn(day, [['a', a]])
  assert.deepEqual(ending.turn(1, []), ['resolved a 1'])
  assert.deepEqual(ending.turn(2, [['a', condition('a2')]]), [])
  assert.deepEqual(ending.turn(-day, [['a', condition('a2')]]), ['raised a 1'])
  assert.deepEqual(repeating.turn(1, [['a', a]]), ['repeated a 1'])
  assert.deepEqual(repeating.turn(2, [['a', a]]), [])
  assert.deepEqual(repeating.turn(61, [['a', a]]), ['repeated a 1'])
})

test('a clock that is set back by some minutes causes no further messages', () => {
  const { turn } = receiver({ repeatHours: 1 })
  turn(9, [['a', a]])
  assert.deepEqual(turn(0, [['a', a]]), [])
  assert.deepEqual(turn(1, []), [])
  assert.deepEqual(turn(19, []), ['resolved a 1'])
})

test('a channel that no longer wants a condition gets its end and no repeats', () => {
  const plan = planFor({ ...channel, minSeverity: 'critical' }, [], [], [], at(0))
  assert.deepEqual(plan, { messages: [], silent: [], postponed: [] })
})
