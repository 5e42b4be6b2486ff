/** The loop that measures all databases and nodes once a minute. The last values are kept in memory. */
import { databasesUp, type Watched } from '../databases/watch/queries.ts'
import type { FoundTask } from '../engine/engine.ts'
import { isEngineError } from '../engine/failures.ts'
import { forEachConcurrent } from '../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import { engineServiceName } from '../nodes/engines/spec.ts'
import type { Runtime } from '../runtime.ts'
import { databaseSampler, slowPeriodMs } from './databases.ts'
import { nodeProgram, nodeUsageFrom, ownUsage } from './node-usage.ts'
import type { DatabaseValues, NodeValues, Samples } from './sample.ts'

/** The maximum number of databases that are measured at the same time. A server that hangs delays no other. */
const maxConcurrent = 16
const nodeTimeoutMs = 5000

/** The values of the last turn, and when it began: turns begin evenly, so each minute of the history gets its values. */
export interface LatestSamples extends Samples {
  at: Date
}

export interface Sampling {
  loop: Loop<'samples'>
  /** Returns the last values; null before the first turn has ended. */
  latest(): LatestSamples | null
}

/** @param record called with the values of each turn */
export function samplingOf(runtime: Runtime, record: (samples: LatestSamples) => Promise<void>): Sampling {
  const sampler = databaseSampler(runtime)
  let latest: LatestSamples | null = null
  const times = { periodMs: 60_000, isPeriodFromStart: true, minGapMs: 1000 } as const
  return { latest: () => latest, loop: { name: 'samples', ...times, turn, stop } }

  async function turn(stopping: AbortSignal): Promise<Turn> {
    // A server that hangs must not delay the end of Berth.
    stopping.addEventListener('abort', sampler.close, { once: true })
    await runtime.ensureEngine()
    const at = runtime.now()
    const rows = await databasesUp(runtime.db)
    const tasks = Map.groupBy(await runtime.engine.tasks(), ({ serviceName }) => serviceName)
    sampler.retain(new Set(rows.map(({ id }) => id)))
    const running = rows.filter(({ observed }) => observed === 'up')
    const due = dueForCount(running, sampler.countedAtMs, at.getTime())
    const databases = new Map<string, DatabaseValues>()
    await forEachConcurrent(rows, maxConcurrent, async (row) => {
      const values = await sampler.sample(row, tasks.get(row.appName) ?? [], due.has(row.id))
      if (values !== null) databases.set(row.id, values)
    })
    const nodes = await measureNodes(runtime, tasks)
    latest = { at, databases, nodes }
    if (!stopping.aborted) await record(latest)
    return 'idle'
  }

  async function stop() {
    sampler.close()
  }
}

/**
 * The databases whose volumes are counted in this turn: those that were not counted for ten minutes. Each turn counts a
 * tenth of them at most, so that the work is spread over the turns.
 */
export function dueForCount(
  rows: readonly Pick<Watched, 'id'>[],
  countedAtMs: (id: string) => number,
  nowMs: number,
): ReadonlySet<string> {
  const due = rows.filter(({ id }) => Math.abs(nowMs - countedAtMs(id)) >= slowPeriodMs)
  const oldestFirst = due.toSorted((a, b) => countedAtMs(a.id) - countedAtMs(b.id))
  return new Set(oldestFirst.slice(0, Math.max(2, Math.ceil(rows.length / 10))).map(({ id }) => id))
}

/** The values of all nodes that are ready, without those that could not be measured. */
async function measureNodes(
  runtime: Runtime,
  tasks: ReadonlyMap<string, FoundTask[]>,
): Promise<Map<string, NodeValues>> {
  const values = new Map<string, NodeValues>()
  const nodes = (await runtime.engine.nodes()).filter(({ ready }) => ready)
  await forEachConcurrent(nodes, maxConcurrent, async ({ id, local }) => {
    try {
      const measured = local
        ? await measureOwn(runtime)
        : await measureOther(runtime, tasks.get(engineServiceName(id)) ?? [])
      if (measured !== null) values.set(id, measured)
    } catch (error) {
      if (!isEngineError(error)) throw error
    }
  })
  return values
}

/** The machine of Berth, if its engine runs there. */
async function measureOwn({ engine }: Runtime): Promise<NodeValues | null> {
  const folder = await engine.ownDataFolder()
  return folder === null ? null : ownUsage(folder)
}

/** Another node, from the container of the port to its engine. */
async function measureOther({ engine, now }: Runtime, tasks: readonly FoundTask[]): Promise<NodeValues | null> {
  const task = tasks.find(({ state, containerId }) => state === 'running' && containerId !== null)
  if (task === undefined) return null
  const beganMs = now().getTime()
  const { exitCode, stdout } = await engine.run(task, nodeProgram, nodeTimeoutMs)
  return exitCode === 0 ? nodeUsageFrom(stdout, (beganMs + now().getTime()) / 2) : null
}
