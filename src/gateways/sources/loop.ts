/**
 * The loop over the TCP gateways. It makes them enforce the lists of the store, counts refused connections, measures what
 * the nodes let gateways see, and removes the volumes of gateways that do not exist any more. Idempotent.
 */
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import type { Runtime } from '../../runtime.ts'
import { gatewayOwnerOf } from '../own-names.ts'
import { sourcesVolume } from '../specs.ts'
import { type CheckContext, checkGateway, type RunningTask } from './check.ts'
import type { Measure } from './measure.ts'
import { forgetGateway, hasGateways, readGateways } from './queries.ts'
import type { GatewaySourcesTable } from './table.ts'

const maxConcurrentGateways = 16
/**
 * A container whose service was removed while it started creates its volume again. So Berth removes the volume at each
 * turn for this long before it forgets the gateway.
 */
const removalMs = 60_000

export function sourcesLoop(runtime: Runtime, measure: Measure): Loop<'sources'> {
  const context: CheckContext = { runtime, measure, checkedAtMs: new Map(), failures: new Map() }
  const unusedSinceMs: UnusedSince = new Map()
  return { name: 'sources', periodMs: 5000, againMs: 300, turn: () => checkGateways(context, unusedSinceMs) }
}

/** Since when each volume has no gateway, by its key. In memory: after a restart Berth waits again. */
type UnusedSince = Map<string, number>

async function checkGateways(context: CheckContext, unusedSinceMs: UnusedSince): Promise<Turn> {
  const { runtime } = context
  if (!(await hasGateways(runtime.db))) return 'idle'
  await runtime.ensureEngine()
  // The rows must be read before the tasks. Otherwise a gateway that is created in between would seem to be gone.
  const rows = await readGateways(runtime.db)
  const tasks = await runtime.engine.tasks()
  const running = tasks.filter(isRunningGateway)
  forgetEnded(context, running)
  let turn: Turn = 'idle'
  await forEachConcurrent(running, maxConcurrentGateways, async (task) => {
    if (!(await checkGateway(context, task))) turn = 'again'
  })
  await removeVolumes(runtime, rows, tasks, unusedSinceMs)
  return turn
}

function forgetEnded({ checkedAtMs, failures }: CheckContext, running: readonly RunningTask[]): void {
  const ids = new Set(running.map(({ id }) => id))
  for (const byTask of [checkedAtMs, failures]) {
    for (const id of byTask.keys()) if (!ids.has(id)) byTask.delete(id)
  }
}

const isRunningGateway = (task: FoundTask): task is RunningTask =>
  task.state === 'running' && task.nodeId !== null && gatewayOwnerOf(task.serviceName) !== null

/** Removes the volumes of gateways that do not exist any more, or that run on another node now. */
async function removeVolumes(
  runtime: Runtime,
  rows: readonly GatewaySourcesTable[],
  tasks: readonly FoundTask[],
  unusedSinceMs: UnusedSince,
): Promise<void> {
  const isUsed = ({ gateway, nodeId }: GatewaySourcesTable) =>
    tasks.some((task) => task.serviceName === gateway && task.nodeId === nodeId)
  const unused = rows.filter((row) => !isUsed(row))
  const keys = new Set(unused.map(keyOf))
  for (const key of unusedSinceMs.keys()) if (!keys.has(key)) unusedSinceMs.delete(key)
  if (unused.length === 0) return
  const services = new Set((await runtime.engine.servicesNamed(unused.map(({ gateway }) => gateway))).map(nameOf))
  for (const row of unused) {
    const movedTo = tasks.find((task) => task.serviceName === row.gateway && task.state === 'running')
    if (services.has(row.gateway) && movedTo === undefined) continue
    await removeVolume(runtime, row, unusedSinceMs)
  }
}

const keyOf = ({ gateway, nodeId }: GatewaySourcesTable) => `${gateway} ${nodeId}`

const nameOf = ({ name }: { name: string }) => name

async function removeVolume(runtime: Runtime, row: GatewaySourcesTable, unusedSinceMs: UnusedSince): Promise<void> {
  const { gateway, nodeId } = row
  const nowMs = runtime.now().getTime()
  const sinceMs = unusedSinceMs.get(keyOf(row)) ?? nowMs
  unusedSinceMs.set(keyOf(row), sinceMs)
  try {
    await runtime.engine.removeVolume(sourcesVolume(gateway), nodeId)
    if (nowMs - sinceMs < removalMs) return
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    // The container still ends, or the node does not answer: a later turn tries again. A node that left has no volume.
    if (error.reason !== 'nodeMissing') return
  }
  await runtime.transact((tx) => forgetGateway(tx, gateway, nodeId))
}
