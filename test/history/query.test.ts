/** metrics.query and metrics.queryNode: values over time, and what happened meanwhile. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openHistory } from '../../src/history/file.ts'
import { toJson } from '../../src/lib/json.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

interface Answer {
  from: string
  until: string
  stepSeconds: number
  series: { metric: string; unit: string; mean: (number | null)[]; max: (number | null)[] }[]
  marks: { kind: string; name: string; at: string; endedAt: string | null; state: string }[]
}

let berth: TestBerth
let databaseId: string
let nodeId: string
before(async () => {
  berth = await startTestBerth()
  databaseId = (await databaseClientsOf(berth, kindNamed('postgres')).createDeployed()).postgresId as string
  nodeId = (await berth.app.db.selectFrom('node').select('id').executeTakeFirstOrThrow()).id
  await berth.restart(async () => {
    const history = openHistory(berth.folder, { error: assert.fail })
    const endMs = berth.now().getTime()
    for (let minute = 60; minute >= 1; minute--) {
      await history.record(new Date(endMs - minute * 60_000), [
        { subject: databaseId, metric: 'connections', value: minute },
        { subject: databaseId, metric: 'up', value: 1 },
        { subject: nodeId, metric: 'diskUsedBytes', value: minute * 1024 },
        { subject: nodeId, metric: 'clockOffsetSeconds', value: -2 },
      ])
    }
    history.close()
  })
})
after(() => berth.close())

const query = (input: Record<string, unknown>) => berth.ok<Answer>('metrics.query', { databaseId, ...input })

test('answers all metrics that have values, in steps of a minute', async () => {
  const { from, until, stepSeconds, series } = await query({ since: '2h' })
  assert.equal(stepSeconds, 60)
  assert.ok(Date.parse(until) - Date.parse(from) <= 7260_000)
  const connections = series.find(({ metric }) => metric === 'connections')!
  assert.equal(connections.unit, 'count')
  assert.equal(connections.mean.length, (Date.parse(until) - Date.parse(from)) / 60_000)
  const known = connections.mean.filter((value) => value !== null)
  assert.deepEqual(known.slice(0, 3), [60, 59, 58])
  assert.deepEqual(connections.max, connections.mean)
  assert.ok(series.some(({ metric }) => metric === 'up'))
  assert.ok(!series.some(({ metric }) => metric === 'replicationSlotBytes'))
})

test('answers one metric in coarse steps with their maxima, for a long range', async () => {
  const { stepSeconds, series } = await query({ since: '7d', metric: 'connections' })
  assert.equal(stepSeconds, 600)
  assert.deepEqual(
    series.map(({ metric }) => metric),
    ['connections'],
  )
  const { mean, max } = series[0]!
  const at = max.findIndex((value) => value !== null)
  assert.ok(mean[at]! < max[at]!, `${mean[at]} ${max[at]}`)
})

test('answers at most 1500 steps, also if the range does not begin with one', async () => {
  // 1500 steps of ten minutes.
  for (const shiftMs of [0, 1000, 599_000]) {
    const since = new Date(berth.now().getTime() - shiftMs - 250 * 3600_000).toISOString()
    const until = new Date(berth.now().getTime() - shiftMs).toISOString()
    const answer = await query({ since, until, metric: 'connections' })
    const steps = (Date.parse(answer.until) - Date.parse(answer.from)) / 1000 / answer.stepSeconds
    assert.ok(steps <= 1500, `${steps} steps`)
  }
})

test('answers up to now if the range ends later', async () => {
  const { until, series } = await query({ since: '1h', until: '9999-12-31T23:59:59Z', metric: 'connections' })
  assert.ok(Date.parse(until) - berth.now().getTime() <= 60_000, until)
  assert.ok(series[0]!.mean.length <= 62, String(series[0]!.mean.length))
  const { until: ofNode } = await berth.ok<Answer>('metrics.queryNode', { nodeId, until: '9999-12-31T23:59:59Z' })
  assert.ok(Date.parse(ofNode) - berth.now().getTime() <= 60_000, ofNode)
})

test('answers from the oldest kept hour if the range begins before it', async () => {
  const { from, stepSeconds, series } = await query({ since: '1970-01-01T00:00:00Z', metric: 'connections' })
  const days = (berth.now().getTime() - Date.parse(from)) / 86_400_000
  assert.ok(days >= 366 && days < 367, from)
  assert.equal(stepSeconds, 6 * 3600)
  assert.ok(series[0]!.mean.length <= 1500, String(series[0]!.mean.length))
})

test('answers the deployments in the range as marks, and none outside of it', async () => {
  const { marks } = await query({ since: '1h', metric: 'up' })
  assert.deepEqual(
    marks.map(({ kind, name, state }) => [kind, name, state]),
    [['deployment', 'deploy', 'done']],
  )
  assert.ok(marks[0]!.at <= marks[0]!.endedAt!)
  assert.deepEqual((await query({ since: '2029-01-01T00:00:00Z', until: '2029-01-02T00:00:00Z' })).marks, [])
})

test('answers conditions of the database as marks, with their end', async () => {
  const since = new Date(berth.now().getTime() - 600_000).toISOString()
  const row = {
    id: 'c1',
    name: 'DatabaseDown',
    severity: 'critical',
    subjectKind: 'database',
    subjectId: databaseId,
  } as const
  const rest = {
    subjectName: 'orders',
    projectId: berth.projectId,
    adminOnly: 0,
    reason: '{"reason":"DatabaseDown","cause":null}',
  }
  await berth.app.transact((tx) =>
    tx
      .insertInto('condition')
      .values({ ...row, ...rest, since, endedAt: since } as never)
      .execute(),
  )
  const { marks } = await query({ since: '1h', metric: 'up' })
  assert.deepEqual(
    marks.find(({ kind }) => kind === 'condition'),
    { kind: 'condition', name: 'DatabaseDown', at: since, endedAt: since, state: 'critical' },
  )
})

test('a database without samples has no series', async () => {
  const other = await databaseClientsOf(berth, kindNamed('postgres')).create()
  const { series } = await berth.ok<Answer>('metrics.query', { databaseId: other.postgresId })
  assert.deepEqual(series, [])
})

const refusals: [title: string, input: Record<string, unknown>, code: 'BAD_REQUEST' | 'NOT_FOUND', path?: string][] = [
  ['an unknown database', { databaseId: '01900000-0000-7000-8000-000000000000' }, 'NOT_FOUND'],
  ['an unknown metric', { metric: 'load1' }, 'BAD_REQUEST', 'metric'],
  ['a range that is reversed', { since: '1h', until: '2h' }, 'BAD_REQUEST', 'since'],
  ['a time that is none', { until: 'yesterday' }, 'BAD_REQUEST', 'until'],
  ['a range in the future', { since: '2031-01-01T00:00:00Z', until: '9999-12-31T23:59:59Z' }, 'BAD_REQUEST', 'since'],
  ['a range before what is kept', { since: '900d', until: '366d' }, 'BAD_REQUEST', 'until'],
]
for (const [title, input, code, path] of refusals) {
  test(`refuses ${title}`, async () => {
    await berth.refused(code, 'metrics.query', { databaseId, ...input }, path)
  })
}

test('answers the values of a node with its conditions to administrators, also negative ones', async () => {
  const until = berth.now().toISOString()
  const subject = { subjectKind: 'node', subjectId: nodeId, subjectName: 'node', projectId: null } as const
  const reason = toJson({ reason: 'DiskUsed' as const, percent: 80, sizeBytes: 1024 })
  const row = {
    id: 'disk',
    name: 'DiskFilling',
    severity: 'warning',
    adminOnly: 1,
    since: until,
    endedAt: null,
  } as const
  await berth.app.transact((tx) =>
    tx
      .insertInto('condition')
      .values({ ...row, ...subject, reason })
      .execute(),
  )
  const { series, marks } = await berth.ok<Answer>('metrics.queryNode', { nodeId, since: '2h' })
  assert.deepEqual(
    series.map(({ metric, unit }) => `${metric} ${unit}`),
    ['diskUsedBytes bytes', 'clockOffsetSeconds seconds'],
  )
  assert.equal(
    series[1]!.mean.find((value) => value !== null),
    -2,
  )
  assert.deepEqual(
    marks.map(({ kind, name, state }) => [kind, name, state]),
    [['condition', 'DiskFilling', 'warning']],
  )
  await berth.refused('NOT_FOUND', 'metrics.queryNode', { nodeId: 'none' })
  assert.equal((await berth.call('metrics.queryNode', { nodeId }, {}, berth.user)).status, 403)
})
