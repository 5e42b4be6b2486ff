/**
 * The loop that shows what starting servers do. A server can initialize or recover its data for hours. Until it is
 * ready, the status of its database and the deployment in progress have the last line of its log. A turn without
 * deployments takes one query.
 */
import { isDeepStrictEqual } from 'node:util'
import * as deployments from '../../deployments/queries.ts'
import type { StartingReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask, type LogLine } from '../../engine/engine.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { plainLine } from '../../lib/text/plain-line.ts'
import type { Runtime } from '../../runtime.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { withoutSecrets } from '../reconcile/failure-text.ts'
import { findVolume } from '../reconcile/volume-placement.ts'

/** Most servers start within this time. */
const usualStartMs = 5000
/** The number of lines among which the last one with text is looked for. */
const maxLines = 20
const maxCharacters = 300
const logTimeoutMs = 10_000
/** The maximum number of logs that are read at the same time. */
const maxConcurrentLogs = 8

export function startsLoop(runtime: Runtime): Loop<'starts'> {
  return { name: 'starts', periodMs: 5000, turn: () => recordStarts(runtime) }
}

async function recordStarts(runtime: Runtime): Promise<Turn> {
  if (runtime.gate.reason() !== null) return 'idle'
  const rows = await runtime.db
    .selectFrom('database')
    .selectAll()
    .where('deploymentId', 'is not', null)
    .where('goal', '=', 'up')
    .execute()
  if (rows.length === 0) return 'idle'
  const tasks = new Map((await runtime.engine.tasks()).map((task) => [task.serviceName, task]))
  const starts = rows.flatMap((row) => {
    const task = tasks.get(row.appName)
    const isLong = task?.state === 'starting' && runtime.now().getTime() - Date.parse(task.createdAt) >= usualStartMs
    return isLong ? [() => recordStart(runtime, row, task)] : []
  })
  await forEachConcurrent(starts, maxConcurrentLogs, (start) => start())
  return 'idle'
}

async function recordStart(runtime: Runtime, row: DatabaseTable, task: FoundTask): Promise<void> {
  const last = await lastLine(runtime, task)
  const volume = await findVolume(runtime.db, row)
  const reason: StartingReason = {
    reason: 'Starting',
    since: task.createdAt,
    silentSince: last?.at ?? null,
    lastLine: last === null ? null : withoutSecrets(runtime.vault, last.line, row, volume),
  }
  if (isDeepStrictEqual(fromJson(row.statusReason), reason)) return
  await runtime.transact(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('database')
      .set({ statusReason: toJson(reason) })
      .where('id', '=', row.id)
      .where('deploymentId', '=', row.deploymentId)
      .executeTakeFirst()
    if (numUpdatedRows === 0n || row.deploymentId === null) return
    const deployment = await deployments.get(tx, row.deploymentId)
    // In a later phase, the reason of the deployment is why it failed.
    if (deployment.phase === 'apply') await deployments.recordReason(tx, deployment.id, reason)
  })
}

/** The last line with text that the task's server has printed; null if there is none, or if the log cannot be read. */
async function lastLine({ engine, log }: Runtime, task: FoundTask): Promise<LogLine | null> {
  const options = { tail: maxLines, since: null, follow: false }
  let last: LogLine | null = null
  try {
    const lines = await engine.logs(task.serviceName, options, AbortSignal.timeout(logTimeoutMs))
    for await (const { line, ...rest } of lines) {
      const text = plainLine(line, maxCharacters)
      // The log also has the lines of earlier containers.
      if (text !== '' && Date.parse(rest.at) >= Date.parse(task.createdAt)) last = { ...rest, line: text }
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    log.error('could not read the log of a starting server', error, { service: task.serviceName })
  }
  return last
}
