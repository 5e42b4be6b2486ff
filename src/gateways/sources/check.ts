/** Makes one gateway enforce its list, counts its refused connections, and measures its node if that is due. */
import type { FoundTask } from '../../engine/engine.ts'
import type { Runtime } from '../../runtime.ts'
import { gatewayOwnerOf } from '../own-names.ts'
import { applySources, isGatewayFault, recordFault, type SourcesSubject, sourcesHash } from './apply.ts'
import { type Measure, withKnown } from './measure.ts'
import { findGateway, measurementOf, nodeNameOf, recordGateway, recordMeasurement, wantedSources } from './queries.ts'
import type { GatewaySourcesTable, Measurement } from './table.ts'

/** How often a gateway is read back, and its refused connections are counted. */
const checkMs = 15_000
/** How often a gateway without a list is read back if its node was measured. */
const openCheckMs = 300_000
/** How often a node with a gateway that has a list is measured. Its engine may have been changed in the meantime. */
const measureMs = 3600_000
/** How long to wait after a failed measurement. */
const remeasureMs = 60_000
/** A gateway that does not take its list so many times in a row is reported. */
const maxFailures = 5

export type RunningTask = FoundTask & { nodeId: string }

/** What the loop keeps in memory. A restart of Berth reads all gateways back. */
export interface CheckContext {
  runtime: Runtime
  measure: Measure
  /** When each task was last read back. */
  checkedAtMs: Map<string, number>
  /** How often in a row each task did not take its list. */
  failures: Map<string, number>
}

/**
 * Makes the gateway enforce its list, unless it was read back a moment ago.
 * @returns false if the check has to be repeated soon
 */
export async function checkGateway(context: CheckContext, task: RunningTask): Promise<boolean> {
  const { runtime, checkedAtMs, failures } = context
  const owner = gatewayOwnerOf(task.serviceName)
  const wanted = owner === null ? null : await wantedSources(runtime.db, owner)
  if (owner === null || wanted === null || wanted.protocol === 'udp') return true
  const row = await findGateway(runtime.db, task.serviceName, task.nodeId)
  const measurement = await measurementOf(runtime.db, task.nodeId)
  const hasList = isApplied(task, wanted.sources, row, measurement)
  const isOpen = wanted.sources.length === 0
  const isQuiet = isOpen && measurement !== null
  if (hasList && isFresh(context, task, isQuiet ? openCheckMs : checkMs)) return true
  const subject = { task, node: await nodeNameOf(runtime.db, task.nodeId), owner }
  try {
    await applySources(runtime, subject, hasList)
    failures.delete(task.id)
    if (row === null) await runtime.transact((tx) => recordGateway(tx, owner, task.nodeId))
    else checkedAtMs.set(task.id, runtime.now().getTime())
    return row !== null && !(await hasMeasured(context, subject, isOpen))
  } catch (error) {
    if (!isGatewayFault(error)) throw error
    return recordFailure(context, task, isOpen, row, error)
  }
}

/** Whether the gateway has its list, as far as Berth knows. */
function isApplied(
  task: RunningTask,
  sources: readonly string[],
  row: GatewaySourcesTable | null,
  measurement: Measurement | null,
): boolean {
  if (row === null) return sources.length === 0
  return row.taskId === task.id && row.appliedHash === sourcesHash(sources, measurement)
}

const isFresh = ({ runtime, checkedAtMs }: CheckContext, { id }: RunningTask, maxAgeMs: number): boolean =>
  Math.abs(runtime.now().getTime() - (checkedAtMs.get(id) ?? 0)) < maxAgeMs

/** A gateway that has just started does not answer yet. Returns whether to wait for the next period. */
async function recordFailure(
  { runtime, checkedAtMs, failures }: CheckContext,
  task: RunningTask,
  isOpen: boolean,
  row: GatewaySourcesTable | null,
  error: Parameters<typeof recordFault>[2],
): Promise<boolean> {
  const count = (failures.get(task.id) ?? 0) + 1
  failures.set(task.id, count)
  if (count < maxFailures) return false
  // A gateway that never had a list is one of an earlier version of Berth. It has no runtime API.
  if (row !== null) await recordFault(runtime, task, error)
  else if (!isOpen) await replaceOpenGateway(runtime, task)
  else checkedAtMs.set(task.id, runtime.now().getTime())
  return true
}

/**
 * Removes a gateway of an earlier version of Berth, which accepts everyone, because it now needs a list. The loops
 * `watch` and `ports` create it again.
 */
async function replaceOpenGateway(runtime: Runtime, { serviceName }: FoundTask): Promise<void> {
  runtime.log.info('a gateway without a list is replaced, because it needs one', { gateway: serviceName })
  await runtime.engine.removeService(serviceName)
  runtime.wake('watch')
  runtime.wake('ports')
}

/** Measures the node if that is due. Returns whether the measurement has changed. */
async function hasMeasured(
  { runtime, measure }: CheckContext,
  subject: SourcesSubject,
  isOpen: boolean,
): Promise<boolean> {
  const { task } = subject
  const before = await measurementOf(runtime.db, task.nodeId)
  if (before !== null) {
    // A later time was recorded while the clock was ahead.
    const agoMs = Math.abs(runtime.now().getTime() - Date.parse(before.measuredAt))
    if (isOpen || agoMs < (before.ipv4 === 'unknown' ? remeasureMs : measureMs)) return false
  }
  try {
    const measured = await measure(runtime, subject)
    if (measured === null) return false
    const known = withKnown(measured, before)
    await runtime.transact((tx) => recordMeasurement(tx, task.nodeId, known, runtime.now()))
    return sourcesHash([], known) !== sourcesHash([], before)
  } catch (error) {
    if (!isGatewayFault(error)) throw error
    runtime.log.warn('a node could not be measured', { node: subject.node, gateway: task.serviceName })
    return false
  }
}
