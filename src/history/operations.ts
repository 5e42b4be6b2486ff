/** The operations that answer the values of a database or a node over time. */
import { z } from 'zod'
import { query } from '../api/contract.ts'
import { idOf, Since } from '../api/fields.ts'
import { instantOf } from '../api/instants.ts'
import { refuse, refuseField } from '../errors.ts'
import type { Reader } from '../store/schema.ts'
import { type DatabaseMetric, databaseMetrics, type NodeMetric, nodeMetrics } from '../samples/sample.ts'
import type { History } from './file.ts'
import { daySeconds, keptSeconds, type Level, merged, type Point, resolutionFor } from './levels.ts'
import { type Mark as FoundMark, markKinds, marksOf, marksOfNode } from './marks.ts'

const units = ['cores', 'bytes', 'ratio', 'seconds', 'perSecond', 'count', 'flag'] as const

const unitOf: Record<DatabaseMetric | NodeMetric, (typeof units)[number]> = {
  up: 'flag',
  cpuCores: 'cores',
  memoryBytes: 'bytes',
  memoryLimitBytes: 'bytes',
  connections: 'count',
  connectionsAllowed: 'count',
  transactionsPerSecond: 'perSecond',
  cacheHitRatio: 'ratio',
  replicationSlotBytes: 'bytes',
  oldestTransactionSeconds: 'seconds',
  volumeBytes: 'bytes',
  diskBytes: 'bytes',
  diskUsedBytes: 'bytes',
  memoryUsedBytes: 'bytes',
  load1: 'count',
  clockOffsetSeconds: 'seconds',
}

const Metric = z
  .enum(databaseMetrics, `must be one of ${databaseMetrics.join(', ')}`)
  .meta({ title: 'DatabaseMetric' })
  .describe('What was measured. docs/monitoring/README.md says what each metric means')

const NodeMetricField = z
  .enum(nodeMetrics, `must be one of ${nodeMetrics.join(', ')}`)
  .meta({ title: 'NodeMetric' })
  .describe('What was measured. docs/monitoring/README.md says what each metric means')

const values = z.array(z.number().nullable())

const series = <M extends z.ZodType>(metric: M) =>
  z.array(z.object({ metric, ...seriesFields })).describe('The values of each metric')

const seriesFields = {
  unit: z.enum(units).describe('perSecond: events per second. ratio: from 0 to 1. flag: 1 or 0'),
  mean: values.describe('One value for each step, the first at `from`. Null: nothing was measured. Kept to 0.4 %'),
  max: values.describe('The largest value within each step'),
}

const Mark = z.object({
  kind: z.enum(markKinds).describe('restart: Berth started or stopped the server by itself after a failure'),
  name: z.string().describe('The action of the deployment or of the run, or the name of the condition'),
  at: z.string().describe('When it began'),
  endedAt: z.string().nullable().describe('When it ended; null while it lasts'),
  state: z.string().describe('The state of the deployment or run, or the severity of the condition'),
})

const range = {
  since: Since.describe(
    'The begin of the range: a time in ISO 8601, or a duration before now, like 15m, 2h, 7d, 365d. The range begins ' +
      `at most ${keptSeconds / daySeconds} days ago. Default: 24h`,
  ),
  until: Since.describe('The end of the range, in the same form. The range ends now at the latest. Default: now'),
}

const steps = {
  from: z.string().describe('The begin of the first step'),
  until: z.string().describe('The end of the last step'),
  stepSeconds: z.number().describe('The length of a step'),
}

const howKept =
  'A minute is kept for 24 hours, the mean and the maximum of 10 ' +
  'minutes for 30 days, and of an hour for a year. The answer has at most 1500 steps. Metrics without any value in the ' +
  'range are left out.'

export const databaseHistory = query({
  name: 'metrics.query',
  summary: 'Read the values of a database over time, and what happened to it meanwhile',
  description: `Berth measures each database every minute while it runs. ${howKept}`,
  access: 'user:read',
  reach: 'project',
  input: z.object({
    databaseId: idOf('database'),
    metric: Metric.optional().describe('Only this metric. If omitted, the answer has all metrics'),
    ...range,
  }),
  output: z.object({
    ...steps,
    series: series(Metric),
    marks: z.array(Mark).describe('Deployments, restarts, runs of backups and conditions in the range, oldest first'),
  }),
  refusals: ['NOT_FOUND'],
  async run({ db, now, history }, { databaseId, metric, ...given }) {
    const row = await db.selectFrom('database').select('id').where('id', '=', databaseId).executeTakeFirst()
    if (row === undefined) refuse('NOT_FOUND', 'No database with this id. database.all lists all databases')
    const metrics = metric === undefined ? databaseMetrics : [metric]
    return answerOf({ db, history, now: now() }, databaseId, metrics, given, marksOf)
  },
})

export const nodeHistory = query({
  name: 'metrics.queryNode',
  summary: 'Read the disk, memory, load and clock of a node over time',
  description: `Berth measures each node every minute. ${howKept}`,
  access: 'admin:read',
  input: z.object({
    nodeId: idOf('node'),
    metric: NodeMetricField.optional().describe('Only this metric. If omitted, the answer has all metrics'),
    ...range,
  }),
  output: z.object({
    ...steps,
    series: series(NodeMetricField),
    marks: z.array(Mark).describe('Conditions of the node in the range, oldest first'),
  }),
  refusals: ['NOT_FOUND'],
  async run({ db, now, history }, { nodeId, metric, ...given }) {
    const row = await db.selectFrom('node').select('id').where('id', '=', nodeId).executeTakeFirst()
    if (row === undefined) refuse('NOT_FOUND', 'No node with this id. cluster.getNodes lists all nodes')
    const metrics = metric === undefined ? nodeMetrics : [metric]
    return answerOf({ db, history, now: now() }, nodeId, metrics, given, marksOfNode)
  },
})

/** @param marksIn reads what happened to the subject between two times */
async function answerOf<M extends DatabaseMetric | NodeMetric>(
  { db, history, now }: { db: Reader; history: Pick<History, 'read'>; now: Date },
  subject: string,
  metrics: readonly M[],
  { since = '24h', until = '0s' }: { since?: string | undefined; until?: string | undefined },
  marksIn: (db: Reader, subject: string, from: string, until: string) => Promise<FoundMark[]>,
) {
  const whole = rangeOf(secondsOf(since, now), secondsOf(until, now), now.getTime() / 1000)
  const [from, end] = [isoOf(whole.from), isoOf(whole.until)]
  const all = metrics.map((metric) => ({
    metric,
    unit: unitOf[metric],
    ...arraysOf(pointsOf(history, subject, metric, whole)),
  }))
  return {
    from,
    until: end,
    stepSeconds: whole.level.seconds * whole.each,
    series: all.filter(({ mean }) => mean.some((value) => value !== null)),
    marks: await marksIn(db, subject, from, end),
  }
}

const secondsOf = (text: string, now: Date) => Date.parse(instantOf(text, now)!) / 1000
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

interface Range {
  from: number
  until: number
  level: Level
  /** How many values of the level make one step. */
  each: number
}

/**
 * The part of a range that the history can have, in whole steps. The last step contains the end. A range that is reversed,
 * or has no such part, is refused.
 */
function rangeOf(sinceSeconds: number, endSeconds: number, nowSeconds: number): Range {
  if (sinceSeconds >= endSeconds) refuseField('since', 'must be before until')
  if (sinceSeconds >= nowSeconds) refuseField('since', 'must be before now')
  const oldestSeconds = nowSeconds - keptSeconds
  if (endSeconds <= oldestSeconds)
    refuseField('until', `must be less than ${keptSeconds / daySeconds} days ago: older values are not kept`)
  const [fromSeconds, untilSeconds] = [Math.max(sinceSeconds, oldestSeconds), Math.min(endSeconds, nowSeconds)]
  const { level, each } = resolutionFor(fromSeconds, untilSeconds, nowSeconds)
  const step = level.seconds * each
  const from = Math.floor(fromSeconds / step) * step
  return { from, until: from + Math.ceil((untilSeconds - from) / step) * step, level, each }
}

function pointsOf(history: Pick<History, 'read'>, subject: string, metric: string, range: Range): Point[] {
  const { from, until, level, each } = range
  const points = history.read(subject, metric, level, from, until)
  if (each === 1) return points
  return Array.from({ length: points.length / each }, (_, i) => merged(points.slice(i * each, (i + 1) * each)))
}

const arraysOf = (points: readonly Point[]) => ({
  mean: points.map(({ mean }) => mean),
  max: points.map(({ max }) => max),
})
