/** The comparison of findings with the table of conditions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import { conditionChanges, type FirstSeen, hasChanges } from './changes.ts'
import type { Finding } from './finding.ts'
import type { ConditionReason } from './reason.ts'
import type { ConditionTable } from './table.ts'

const now = new Date('2030-01-01T12:00:00.000Z')
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()
const never = () => false

const down: Finding = {
  name: 'DatabaseDown',
  severity: 'critical',
  subject: { kind: 'database', id: 'db1', name: 'orders' },
  projectId: 'shop',
  since: secondsAgo(20),
  reason: { reason: 'DatabaseDown', cause: null },
}
const proxyDown: Finding = {
  name: 'ProxyDown',
  severity: 'critical',
  subject: { kind: 'proxy', id: 'proxy', name: 'proxy' },
  projectId: null,
  since: null,
  reason: { reason: 'ProxyFailed', detail: 'no answer' },
}
const row: ConditionTable = {
  id: 'c1',
  name: 'DatabaseDown',
  severity: 'critical',
  subjectKind: 'database',
  subjectId: 'db1',
  subjectName: 'orders',
  projectId: 'shop',
  adminOnly: 0,
  reason: toJson<ConditionReason>(down.reason),
  since: secondsAgo(60),
  endedAt: null,
}

test('begins a condition that was found', () => {
  const { id: _, ...columns } = row
  const { begun, changed, endedIds } = conditionChanges([], [down], never, new Map(), now)
  assert.deepEqual([begun, changed, endedIds], [[{ ...columns, since: secondsAgo(20) }], [], []])
})

test('changes nothing if the same condition is present', () => {
  const changes = conditionChanges([row], [down], never, new Map(), now)
  assert.deepEqual([changes.begun, changes.changed, changes.endedIds, hasChanges(changes)], [[], [], [], false])
})

test('changes the reason and the severity of a present condition, but not its beginning', () => {
  const reason: ConditionReason = { reason: 'DatabaseDown', cause: { reason: 'Moving', node: 'web-2' } }
  const { changed } = conditionChanges([row], [{ ...down, severity: 'warning', reason }], never, new Map(), now)
  assert.deepEqual(changed, [
    { id: 'c1', severity: 'warning', subjectName: 'orders', projectId: 'shop', reason: toJson(reason) },
  ])
})

test('ends a condition that was not found, unless it is kept', () => {
  assert.deepEqual(conditionChanges([row], [], never, new Map(), now).endedIds, ['c1'])
  assert.deepEqual(conditionChanges([row], [], ({ subjectId }) => subjectId === 'db1', new Map(), now).endedIds, [])
})

test('tells conditions with the same name and another subject apart', () => {
  const other = { ...down, subject: { ...down.subject, id: 'db2' } }
  const { begun, endedIds } = conditionChanges([row], [other], never, new Map(), now)
  assert.deepEqual([begun.map(({ subjectId }) => subjectId), endedIds], [['db2'], ['c1']])
})

test('marks the conditions that only administrators may read', () => {
  const found = [down, { ...down, name: 'SignInsFailing' as const }]
  const { begun } = conditionChanges([], found, never, new Map(), now)
  assert.deepEqual(
    begun.map(({ name, adminOnly }) => [name, adminOnly]),
    [
      ['DatabaseDown', 0],
      ['SignInsFailing', 1],
    ],
  )
})

const delays: [title: string, firstSeen: number | null, isBegun: boolean][] = [
  ['does not begin when it is first seen', null, false],
  ['does not begin after 29 seconds', 29, false],
  ['begins after 30 seconds', 30, true],
  ['begins at once if the clock was set back', -3600, true],
]
for (const [title, seenSecondsAgo, isBegun] of delays) {
  test(`a condition with a delay ${title}`, () => {
    const firstSeen: FirstSeen = new Map(
      seenSecondsAgo === null ? [] : [['ProxyDown proxy proxy', secondsAgo(seenSecondsAgo)]],
    )
    const { begun, firstSeen: next } = conditionChanges([], [proxyDown], never, firstSeen, now)
    const expected = secondsAgo(seenSecondsAgo ?? 0)
    assert.deepEqual(
      begun.map(({ since }) => since),
      isBegun ? [expected] : [],
    )
    assert.equal(next.get('ProxyDown proxy proxy'), expected)
  })
}

test('forgets when a finding was first seen as soon as it is gone', () => {
  const firstSeen: FirstSeen = new Map([['ProxyDown proxy proxy', secondsAgo(15)]])
  assert.equal(conditionChanges([], [], never, firstSeen, now).firstSeen.size, 0)
})
