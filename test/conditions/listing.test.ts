/** The list of conditions: filters, pages, rights and retention. The metric, and the events. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { adminOnlyNames } from '../../src/conditions/finding.ts'
import type { ConditionReason } from '../../src/conditions/reason.ts'
import { conditionNames, type ConditionTable } from '../../src/conditions/table.ts'
import { isReadable } from '../../src/events/filter.ts'
import { recordedEvents } from '../events/recorded.ts'
import { housekeep } from '../../src/installation/housekeeping.ts'
import { toJson } from '../../src/lib/json.ts'
import { type Failure, startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { afterTurn, type Condition, readConditions } from './conditions.ts'

let testBerth: TestBerth
before(async () => {
  testBerth = await startTestBerth()
  await afterTurn(testBerth)
  await testBerth.app.transact((tx) => tx.deleteFrom('condition').execute())
  await testBerth.app.transact((tx) => tx.insertInto('condition').values(rows).execute())
})
after(() => testBerth.close())

const at = (day: number) => `2029-12-0${day}T00:00:00.000Z`
const reason = toJson<ConditionReason>({ reason: 'DatabaseDown', cause: null })

/** Conditions that have ended, because the loop ends those whose subjects do not exist. */
const row = (id: string, day: number, change: Partial<ConditionTable> = {}): ConditionTable => ({
  id,
  name: 'DatabaseDown',
  severity: 'critical',
  subjectKind: 'database',
  subjectId: `db-${id}`,
  subjectName: 'orders',
  projectId: 'project1',
  adminOnly: 0,
  reason,
  since: at(day),
  endedAt: at(day),
  ...change,
})
const rows = [
  row('c1', 1),
  row('c2', 2, { severity: 'warning', name: 'DatabaseDrifted' }),
  row('c3', 3, { projectId: 'project2' }),
  row('c4', 4, { adminOnly: 1, name: 'NodeDown', projectId: null }),
]
const ended = { state: 'ended' }

async function idsOf(input: Record<string, unknown>, as?: string): Promise<string[]> {
  return (await readConditions(testBerth, { ...ended, ...input }, as)).map(({ conditionId }) => conditionId)
}

const lists: [title: string, input: Record<string, unknown>, ids: string[]][] = [
  ['all, oldest first', {}, ['c1', 'c2', 'c3', 'c4']],
  ['newest first', { order: 'desc' }, ['c4', 'c3', 'c2', 'c1']],
  ['those of a severity', { severity: 'warning' }, ['c2']],
  ['those of a project', { projectId: 'project2' }, ['c3']],
  ['a page', { limit: 2, cursor: 'c1' }, ['c2', 'c3']],
  ['a page, newest first', { limit: 2, cursor: 'c4', order: 'desc' }, ['c3', 'c2']],
]
for (const [title, input, ids] of lists) {
  test(`lists ${title}`, async () => assert.deepEqual(await idsOf(input), ids))
}

test('lists present conditions by default, and those that have ended on request', async () => {
  assert.deepEqual(await readConditions(testBerth), [])
  assert.equal((await readConditions(testBerth, { state: 'all' })).length, 4)
})

test('reports that the list continues', async () => {
  const { headers } = await testBerth.call('condition.all', { ...ended, limit: 3 })
  assert.equal(headers['berth-next-cursor'], 'c3')
})

test('hides the conditions for administrators from other accounts', async () => {
  assert.deepEqual(await idsOf({}, testBerth.user), ['c1', 'c2', 'c3'])
})

test('names the field of a wrong input', async () => {
  for (const [path, value] of [
    ['state', 'past'],
    ['severity', 'high'],
    ['order', 'up'],
  ] as const) {
    const { status, body } = await testBerth.call<Failure>('condition.all', { [path]: value })
    assert.deepEqual([status, body.issues.map((issue) => issue.path)], [400, [path]])
    if (path === 'severity') assert.match(body.message, /must be info, warning or critical/)
  }
})

test('names all severities if another one is given', async () => {
  const { body } = await testBerth.call<Failure>('condition.all', { severity: 'high' })
  assert.deepEqual(
    body.issues.map(({ message }) => message),
    ['must be info, warning or critical'],
  )
})

test('answers a complete record', async () => {
  const [first] = await testBerth.ok<Condition[]>('condition.all', { ...ended, limit: 1 })
  assert.deepEqual(first, {
    conditionId: 'c1',
    name: 'DatabaseDown',
    severity: 'critical',
    subjectKind: 'database',
    subjectId: 'db-c1',
    subjectName: 'orders',
    path: null,
    projectId: 'project1',
    reason: 'The database does not run',
    reasonCode: 'DatabaseDown',
    since: at(1),
    endedAt: at(1),
    mutedUntil: null,
  })
})

test('says until when a present condition is muted', async () => {
  const mute = { subjectKind: 'database', subjectId: 'db-c8' }
  const present = row('c8', 5, { endedAt: null })
  await testBerth.app.transact((tx) =>
    tx
      .insertInto('condition')
      .values([present, row('c9', 5, { subjectId: 'db-c8' })])
      .execute(),
  )
  const { until } = await testBerth.ok<{ until: string }>('alert.mute', mute)
  const found = await readConditions(testBerth, { state: 'all', projectId: 'project1' }, testBerth.user)
  const mutes = new Map(found.map(({ conditionId, mutedUntil }) => [conditionId, mutedUntil]))
  assert.deepEqual([mutes.get('c1'), mutes.get('c8'), mutes.get('c9')], [null, until, null])
  await testBerth.app.transact((tx) => tx.deleteFrom('condition').where('id', 'in', ['c8', 'c9']).execute())
})

test('counts present conditions by name and severity in /metrics', async () => {
  await testBerth.app.transact((tx) =>
    tx
      .insertInto('condition')
      .values(row('c5', 5, { name: 'ProxyDown', endedAt: null }))
      .execute(),
  )
  const text = await testBerth.app.metrics()
  assert.match(text, /^berth_conditions\{name="ProxyDown",severity="critical"\} 1$/m)
  assert.match(text, /^berth_conditions\{name="ProxyDown",severity="warning"\} 0$/m)
  assert.match(text, /^berth_conditions\{name="DatabaseDown",severity="critical"\} 0$/m)
  await testBerth.app.transact((tx) => tx.deleteFrom('condition').where('id', '=', 'c5').execute())
})

test('sends an event when a condition begins, changes and ends, with its rights', async () => {
  const { app } = testBerth
  await app.transact((tx) =>
    tx
      .insertInto('condition')
      .values(row('c6', 6, { adminOnly: 1 }))
      .execute(),
  )
  await app.transact((tx) =>
    tx
      .updateTable('condition')
      .set({ endedAt: at(7) })
      .where('id', '=', 'c6')
      .execute(),
  )
  const events = await recordedEvents(app, { kind: 'condition', recordId: 'c6' })
  assert.deepEqual(
    events.map(({ change, projectId, adminOnly }) => [change, projectId, adminOnly]),
    [
      ['created', 'project1', 1],
      ['changed', 'project1', 1],
    ],
  )
  assert.deepEqual(JSON.parse(events[1]!.data), {
    name: 'DatabaseDown',
    severity: 'critical',
    subjectKind: 'database',
    subjectId: 'db-c6',
    subjectName: 'orders',
    projectId: 'project1',
    since: at(6),
    endedAt: at(7),
  })
  assert.ok(!events.some((event) => isReadable(event, { rol: 'user', accountId: 'account1', reach: 'all' })))
  await app.transact((tx) => tx.deleteFrom('condition').where('id', '=', 'c6').execute())
})

test('docs/conditions.md describes every condition, and marks those for administrators', () => {
  const path = join(import.meta.dirname, '../../docs/conditions.md')
  const described = [...readFileSync(path, 'utf8').matchAll(/^\| `(\w+)`( †)? \|/gm)]
  assert.deepEqual(described.map(([, name]) => name).sort(), [...conditionNames].sort())
  const adminOnly = described.filter(([, , mark]) => mark !== undefined).map(([, name]) => name)
  assert.deepEqual(adminOnly.sort(), [...adminOnlyNames].sort())
})

test('deletes conditions 90 days after their end', async () => {
  const { app } = testBerth
  await housekeep(app.transact, new Date(Date.parse(at(2)) + 90 * 24 * 3600_000))
  assert.deepEqual(await idsOf({}), ['c2', 'c3', 'c4'])
})
