/** The command `stats`: what a database uses now, or used over time. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Operations } from '../../../client/client.ts'
import type { CommandDeclaration } from '../../command.ts'
import { databaseArgument, type DatabaseSummary, findDatabase, idInput, pathOf } from '../../databases.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError } from '../../exit.ts'
import { findNode, given } from '../../names.ts'
import { readableDuration, readableSize } from '../../terminal/size.ts'
import { sparkline } from '../../terminal/sparkline.ts'

export const statsCommand: CommandDeclaration = {
  name: 'stats',
  description: 'print what a database uses of processor, memory and disk, now or over time, or a node over time',
  arguments: [['<name>', `the database: ${databaseArgument[1]}; with --node the node`]],
  options: [
    ['--watch', 'print a line every two seconds, until Ctrl-C'],
    ['--since <time>', 'draw the values since then: 2030-01-31T12:00:00Z, or 2h, 7d, 365d'],
    ['--until <time>', 'draw them until then (now)'],
    ['--node', 'the name is that of a node; its values of the last 24 hours, or since --since'],
  ],
  examples: [
    'berth stats shop/orders',
    'berth stats shop/orders --watch',
    'berth stats shop/orders --since 7d',
    'berth stats web-2 --node --since 30d',
  ],
  run: stats,
}

interface StatsOptions extends CommonOptions {
  watch?: true
  since?: string
  until?: string
  node?: true
}

interface Usage {
  cpuCores: number
  memoryBytes: number
  memoryLimitBytes: number | null
  volumeBytes: number | null
  at: string
}

const watchMs = 2000

async function stats(session: Session, options: StatsOptions, name: string): Promise<undefined> {
  const { open, output, interrupted } = session
  if (options.node === true) return nodeHistory(session, options, name)
  if (options.until !== undefined && options.since === undefined)
    throw new CommandError('usage', '--until needs --since')
  if (options.watch === true && options.since !== undefined)
    throw new CommandError('usage', 'Choose --watch or --since')
  const client = open(options)
  const database = await findDatabase(client, name)
  if (options.since !== undefined) return history(session, options, options.since, database)
  do {
    const usage = (await client.call(`${database.databaseType}.stats`, idInput(database))) as Usage
    if (options.json === true) output.line(JSON.stringify(usage))
    else output.line(usageText(usage))
    if (options.watch === true) await pause(watchMs, undefined, { signal: interrupted }).catch(() => undefined)
  } while (options.watch === true && !interrupted.aborted)
}

function usageText({ cpuCores, memoryBytes, memoryLimitBytes, volumeBytes, at }: Usage): string {
  const limit = memoryLimitBytes === null ? '' : ` of ${readableSize(memoryLimitBytes)}`
  const volume = volumeBytes === null ? '' : `, disk ${readableSize(volumeBytes)}`
  return `${at.slice(11, 19)}  processor ${cpuCores.toFixed(2)} cores, memory ${readableSize(memoryBytes)}${limit}${volume}`
}

const titles: Record<string, string> = {
  up: 'answers',
  cpuCores: 'processor',
  memoryBytes: 'memory',
  memoryLimitBytes: 'memory limit',
  connections: 'connections',
  connectionsAllowed: 'allowed',
  transactionsPerSecond: 'transactions',
  cacheHitRatio: 'cache hits',
  replicationSlotBytes: 'slots keep',
  oldestTransactionSeconds: 'oldest trans.',
  volumeBytes: 'disk',
}

const nodeTitles: Record<string, string> = {
  diskUsedBytes: 'disk',
  diskBytes: 'disk size',
  memoryUsedBytes: 'memory',
  memoryBytes: 'memory size',
  load1: 'load',
  clockOffsetSeconds: 'clock off by',
}

/** The columns of the table beside the drawing. */
const otherColumns = 48
const minDrawing = 16

async function history(
  { open, output }: Session,
  options: StatsOptions,
  since: string,
  database: DatabaseSummary,
): Promise<undefined> {
  const range = { since, ...given('until', options.until) }
  const answer = await open(options).metrics.query({ databaseId: database.databaseId, ...range })
  show(
    output,
    options,
    answer,
    `There are no values of ${pathOf(database)} in this time. Berth measures databases that run`,
  )
}

async function nodeHistory({ open, output }: Session, options: StatsOptions, name: string): Promise<undefined> {
  if (options.watch === true) throw new CommandError('usage', '--watch is for databases')
  const client = open(options)
  const { id, hostname } = await findNode(client, name)
  const range = { ...given('since', options.since), ...given('until', options.until) }
  const answer = await client.metrics.queryNode({ nodeId: id, ...range })
  show(output, options, answer, `There are no values of ${hostname} in this time. Berth measures nodes that it reaches`)
}

type Answer = Awaited<ReturnType<Operations['metrics']['query' | 'queryNode']>>

/** @param none what is said if there are no values */
function show(output: Session['output'], options: StatsOptions, answer: Answer, none: string): void {
  if (options.json === true) return void output.json(answer)
  if (answer.series.length === 0) return void output.remark(none)
  const width = Math.max(minDrawing, output.columns - otherColumns)
  output.table(
    ['measured', `over ${spanOf(answer)}`, 'last', 'highest'],
    answer.series.map(({ metric, unit, mean, max }) => [
      (options.node === true ? nodeTitles : titles)[metric]!,
      // The maximum of a step would hide a short failure.
      unit === 'flag' || unit === 'ratio' ? sparkline(mean, width, 'smallest') : sparkline(max, width),
      valueText(mean.findLast((value) => value !== null)!, unit),
      valueText(Math.max(...max.filter((value) => value !== null)), unit),
    ]),
  )
  for (const { kind, name, at, state } of answer.marks) output.line(`${at.slice(0, 16)}Z  ${kind} ${name}: ${state}`)
}

/** The length of the range: "7 d", "2 h" or "15 min". */
function spanOf({ from, until }: { from: string; until: string }): string {
  const minutes = Math.round((Date.parse(until) - Date.parse(from)) / 60_000)
  if (minutes < 120) return `${minutes} min`
  return minutes < 1440 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`
}

function valueText(value: number, unit: string): string {
  if (unit === 'bytes') return readableSize(value)
  if (unit === 'ratio') return `${Math.round(value * 100)} %`
  if (unit === 'flag') return value === 1 ? 'yes' : value === 0 ? 'no' : 'partly'
  if (unit === 'seconds' && Math.abs(value) >= 60) return (value < 0 ? '-' : '') + readableDuration(Math.abs(value))
  const number = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2))
  return `${number}${{ cores: ' cores', seconds: ' s', perSecond: '/s' }[unit] ?? ''}`
}
