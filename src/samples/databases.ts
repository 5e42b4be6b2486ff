/** Measures databases. Keeps a client connected to each server, because starting one costs more than its answer. */
import { lockingRestore } from '../backups/database-locks.ts'
import { findVolume, versionOf } from '../databases/reconcile/volume-placement.ts'
import { openTarget, settingsOfVolume, type Target } from '../databases/targets.ts'
import { targetAddress } from '../databases/tls/mode.ts'
import { unchangedRow, type Watched } from '../databases/watch/queries.ts'
import type { FoundTask, UsageCounters } from '../engine/engine.ts'
import { isEngineError } from '../engine/failures.ts'
import { bytesFrom } from '../engine/view.ts'
import { kindNamed } from '../kinds/index.ts'
import type { Address, Kind } from '../kinds/kind.ts'
import type { Sampler } from '../kinds/sampler.ts'
import type { Runtime } from '../runtime.ts'
import type { VolumeTable } from '../store/schema.ts'
import { type SampleClient, sampleClient } from './question.ts'
import { type FiguresReading, figureValues, usageValues } from './rates.ts'
import type { DatabaseValues } from './sample.ts'

const answerMs = 3000
const programMs = 10_000
/**
 * After this time, servers without a connected client are asked, and volumes are counted: in every tenth turn. It is
 * shorter than ten turns, because it begins during a turn.
 */
export const slowPeriodMs = 9.5 * 60_000
const mebibyte = 1024 * 1024

/** What is remembered of a container between two samples. */
interface Memory {
  containerId: string
  client: SampleClient | null
  /** Whether no client may be opened any more. */
  isForgotten: boolean
  usage: UsageCounters | null
  /** The last answer of the server, and the values that it gave. */
  answer: (FiguresReading & { values: DatabaseValues }) | null
}

/** The size of the files on the volume of a database; null bytes: they could not be counted in time. */
interface Count {
  atMs: number
  bytes: number | null
}

interface Server {
  kind: Kind
  target: Target
  volume: VolumeTable
  task: FoundTask & { containerId: string }
  address: Address
}

export interface DatabaseSampler {
  /**
   * Measures a database.
   * @param shouldCount whether to count the files on its volume
   * @returns null while nothing can be said about the database: its container does not answer, or a restore uses it
   */
  sample(row: Watched, tasks: readonly FoundTask[], shouldCount: boolean): Promise<DatabaseValues | null>
  /** When the volume of a database was last counted, in milliseconds since the epoch; 0 if never. */
  countedAtMs(id: string): number
  /** Closes the clients of all other databases, and forgets these. */
  retain(ids: ReadonlySet<string>): void
  /** Closes all clients for good. A sample in progress ends soon, without a value. */
  close(): void
}

export function databaseSampler(runtime: Runtime): DatabaseSampler {
  const memories = new Map<string, Memory>()
  let isClosed = false
  const counts = new Map<string, Count>()
  const forget = (id: string) => {
    const memory = memories.get(id)
    if (memory === undefined) return
    memory.isForgotten = true
    memory.client?.close()
    memories.delete(id)
  }
  const memoryOf = (id: string, containerId: string): Memory => {
    const known = memories.get(id)
    if (known?.containerId === containerId) return known
    forget(id)
    const memory = { containerId, client: null, isForgotten: false, usage: null, answer: null }
    memories.set(id, memory)
    return memory
  }
  const retain = (ids: ReadonlySet<string>) => {
    for (const id of [...memories.keys()].filter((each) => !ids.has(each))) forget(id)
    for (const id of [...counts.keys()].filter((each) => !ids.has(each))) counts.delete(id)
  }
  return {
    retain,
    close() {
      isClosed = true
      retain(new Set())
    },
    countedAtMs: (id) => counts.get(id)?.atMs ?? 0,
    async sample(row, tasks, shouldCount) {
      if (isClosed) return null
      // A volume that cannot be counted would otherwise stay the next one to be counted, before all others.
      if (shouldCount) counts.set(row.id, { bytes: null, atMs: runtime.now().getTime() })
      const isRestored = (await lockingRestore(runtime.db, row.id)) !== undefined
      const server = row.observed === 'up' && !isRestored ? await findServer(runtime, row, tasks) : null
      if (server === null) {
        forget(row.id)
        return !isRestored && (row.observed === 'down' || row.observed === 'unproven') ? { up: 0 } : null
      }
      try {
        const memory = memoryOf(row.id, server.task.containerId)
        const values = await measure(runtime, memory, server)
        if (isClosed) return null
        if (shouldCount) counts.set(row.id, await countFiles(runtime, server))
        const bytes = counts.get(row.id)?.bytes ?? null
        return bytes === null ? values : { ...values, volumeBytes: bytes }
      } catch (error) {
        // One container that hangs must not cost the others their values. If the engine is down, the next turn fails.
        if (!isEngineError(error)) throw error
        forget(row.id)
        return null
      }
    },
  }
}

/** The server, if the container runs in which Berth has logged in. */
async function findServer(runtime: Runtime, row: Watched, tasks: readonly FoundTask[]): Promise<Server | null> {
  const { db, vault } = runtime
  const task = tasks.find(({ id, state }) => id === row.provenTask && state === 'running')
  if (task === undefined || task.address === null || task.containerId === null) return null
  const present = await unchangedRow(db, row)
  if (present === undefined) return null
  const [target, volume] = [openTarget(vault, 'target', present), await findVolume(db, present)]
  if (target === null || volume === null) return null
  const kind = kindNamed(row.kind)
  const address = targetAddress({ row: present, kind, target }, task.address)
  return { kind, target, volume, task: { ...task, containerId: task.containerId }, address }
}

async function measure(runtime: Runtime, memory: Memory, server: Server): Promise<DatabaseValues> {
  const isAnswered = await refreshAnswer(runtime, memory, server)
  const usage = await runtime.engine.usageCounters(server.task)
  const values = usageValues(usage, memory.usage)
  memory.usage = usage
  const { memoryLimit } = server.target
  return {
    up: isAnswered ? 1 : 0,
    ...values,
    ...(memoryLimit === null ? {} : { memoryLimitBytes: memoryLimit * mebibyte }),
    ...(isAnswered ? memory.answer?.values : {}),
  }
}

/** Asks the server, unless it is asked less often and the last answer is recent. Returns whether it has answered. */
async function refreshAnswer(runtime: Runtime, memory: Memory, server: Server): Promise<boolean> {
  const { sampler } = server.kind
  if (sampler === undefined) return true
  const isSlow = sampler.question === undefined
  const nowMs = runtime.now().getTime()
  if (isSlow && memory.answer !== null && Math.abs(nowMs - memory.answer.atMs) < slowPeriodMs) return true
  const lines = isSlow ? await runOnce(runtime, server, sampler) : await ask(runtime, memory, server, sampler)
  if (lines === null) return false
  const reading = { atMs: runtime.now().getTime(), figures: sampler.figures(lines) }
  memory.answer = { ...reading, values: figureValues(reading, memory.answer) }
  return true
}

async function runOnce({ engine, vault }: Runtime, server: Server, sampler: Sampler): Promise<string[] | null> {
  const program = sampler.program(settingsOfVolume(vault, server.volume), server.address)
  const { exitCode, stdout } = await engine.run(server.task, program, programMs)
  return exitCode === 0 ? stdout.split('\n') : null
}

/** The server may have ended the connection since the last sample, so a client that ended is replaced once. */
async function ask(runtime: Runtime, memory: Memory, server: Server, sampler: Sampler): Promise<string[] | null> {
  const question = sampler.question!(versionOf(runtime, server.target, server.kind))
  const lines = (await memory.client?.ask(question, answerMs)) ?? null
  if (lines !== null) return lines
  const program = sampler.program(settingsOfVolume(runtime.vault, server.volume), server.address)
  if (memory.isForgotten) return null
  const client = sampleClient(await runtime.engine.openProgram(server.task, program))
  memory.client = client
  if (memory.isForgotten) client.close()
  return client.ask(question, answerMs)
}

const countFiles = async ({ engine, now }: Runtime, { task, volume }: Server): Promise<Count> => ({
  bytes: bytesFrom(await engine.diskUsage(task, volume.dataPath)),
  atMs: now().getTime(),
})
