/** Which plots the history of a database or of a node has, and how their values read. Pure. */
import type { api } from '../../data/api.ts'
import { bytesText, durationText } from '../../data/format.ts'

export type History = Awaited<ReturnType<(typeof api.metrics)['query' | 'queryNode']>>
export type Series = History['series'][number]
export type Mark = History['marks'][number]

export interface PlotPlan {
  title: string
  /** The metrics that are drawn together, the most important first. Those without values are left out. */
  metrics: readonly Series['metric'][]
}

export const databasePlans: readonly PlotPlan[] = [
  { title: 'Processor', metrics: ['cpuCores'] },
  { title: 'Memory', metrics: ['memoryBytes', 'memoryLimitBytes'] },
  { title: 'Connections', metrics: ['connections', 'connectionsAllowed'] },
  { title: 'Transactions', metrics: ['transactionsPerSecond'] },
  { title: 'Reads answered from the cache', metrics: ['cacheHitRatio'] },
  { title: 'Disk', metrics: ['volumeBytes'] },
  { title: 'Oldest open transaction', metrics: ['oldestTransactionSeconds'] },
  { title: 'Kept for replication slots', metrics: ['replicationSlotBytes'] },
  { title: 'Answers', metrics: ['up'] },
]

export const nodePlans: readonly PlotPlan[] = [
  { title: 'Disk', metrics: ['diskUsedBytes', 'diskBytes'] },
  { title: 'Memory', metrics: ['memoryUsedBytes', 'memoryBytes'] },
  { title: 'Load', metrics: ['load1'] },
  { title: "Time of the node minus Berth's", metrics: ['clockOffsetSeconds'] },
]

export const seriesNames: Partial<Record<Series['metric'], string>> = {
  memoryLimitBytes: 'limit',
  connectionsAllowed: 'allowed',
  memoryBytes: 'size',
  diskBytes: 'size',
}

export function valueText(value: number, unit: Series['unit']): string {
  if (unit === 'bytes') return bytesText(value)
  if (unit === 'ratio') return `${Math.round(value * 100)} %`
  if (unit === 'flag') return value === 1 ? 'yes' : value === 0 ? 'no' : 'partly'
  if (unit === 'seconds' && Math.abs(value) >= 60) return (value < 0 ? '-' : '') + durationText(Math.abs(value) * 1000)
  const number = Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))
  const unitText = { cores: ' cores', seconds: ' s', perSecond: '/s' }[unit as string] ?? ''
  return number + unitText
}

/** Of these units, a low value needs attention. The maximum of a step would hide it. */
const lowUnits: ReadonlySet<Series['unit']> = new Set(['flag', 'ratio'])

/** The values of the first line of a plot. */
export const drawnValues = ({ mean, max, unit }: Series): Series['mean'] => (lowUnits.has(unit) ? mean : max)

const powersOfTwo = Array.from({ length: 51 }, (_, power) => 2 ** power)
const day = 86_400

/** The distances that two lines of the axis can have, in the unit; undefined: decimal ones. */
export const axisSteps: Partial<Record<Series['unit'], number[]>> = {
  bytes: powersOfTwo,
  flag: [1],
  seconds: [
    ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200],
    ...[3600, 2 * 3600, 6 * 3600, 12 * 3600, day, 2 * day, 5 * day, 10 * day, 20 * day, 50 * day, 100 * day],
  ],
}

/** The last and the most notable value as a sentence, for the caption and for people who do not see the plot. */
export function summaryOf(series: Series): string {
  const { mean, unit } = series
  const last = mean.findLast((value) => value !== null)
  const known = drawnValues(series).filter((value) => value !== null)
  if (last == null || known.length === 0) return 'No values'
  const text = `Last ${valueText(last, unit)}`
  if (unit === 'flag') {
    const share = known.reduce((sum, value) => sum + value, 0) / known.length
    // Only a share of all is 100 %.
    return `${text}, yes for ${Math.floor(share * 1000) / 10} % of the time`
  }
  if (lowUnits.has(unit)) return `${text}, lowest ${valueText(Math.min(...known), unit)}`
  return `${text}, highest ${valueText(Math.max(...known), unit)}`
}

/** The begin of each step in seconds since the epoch. */
export const timesOf = ({ from, stepSeconds }: History, { mean }: Series): number[] =>
  mean.map((_, i) => Date.parse(from) / 1000 + i * stepSeconds)
