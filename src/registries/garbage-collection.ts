/**
 * Runs garbage collections of the registry. Each one runs in a new container that accepts no pushes: a program in a
 * container can only be stopped by stopping the container, so in an older container an earlier collection might still
 * run.
 */
import { restartPhase } from '../deployments/queries.ts'
import type { CollectionResult, RegistryServerReason } from '../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type FoundTask, type Outcome } from '../engine/engine.ts'
import type { RegistryServerTable } from './table.ts'
import { collectProgram } from './specs.ts'
import type { Runtime } from '../runtime.ts'

/** Time limit of a collection. A terabyte of layers takes minutes. */
const collectMs = 30 * 60_000

export interface Collection {
  /** Returns false if a new container has to be created first. */
  begin(row: RegistryServerTable): Promise<boolean>
  /**
   * Starts the collection in the container of `task` if it does not run, checks whether it has ended, and records the
   * result.
   */
  step(
    row: RegistryServerTable,
    task: FoundTask,
  ): Promise<{ is: 'changed' } | { is: 'failed'; reason: RegistryServerReason }>
}

/**
 * The collection in progress: its deployment, the task whose container it runs in, and its outcome (null while it
 * runs).
 */
interface Run {
  deploymentId: string | null
  taskId: string
  outcome: Outcome | EngineFailure | EngineUnavailable | null
}

const none: Run = { deploymentId: null, taskId: '', outcome: null }

export function collectionsIn(runtime: Runtime): Collection {
  let present = none
  return { begin, step }

  async function begin({ id, collections, deploymentId }: RegistryServerTable): Promise<boolean> {
    if (present.deploymentId === deploymentId) return true
    await runtime.transact(async (tx) => {
      await tx
        .updateTable('registryServer')
        .set({ collections: collections + 1 })
        .where('id', '=', id)
        .where('deploymentId', '=', deploymentId)
        .execute()
    })
    present = { ...none, deploymentId }
    return false
  }

  async function step(row: RegistryServerTable, task: FoundTask) {
    const local = (await runtime.engine.nodes()).find((it) => it.local)
    if (task.nodeId !== local?.id) {
      return { is: 'failed' as const, reason: { reason: 'CollectionOnOtherNode' as const } }
    }
    if (present.taskId === '') start(row, task)
    const { outcome, taskId } = present
    // The collection ended with its container, or its outcome is unknown: start another one in a new container.
    if (outcome instanceof Error || taskId !== task.id) present = none
    if (outcome === null || outcome instanceof Error) return { is: 'changed' as const }
    present = none
    const result = resultOf(outcome)
    if (result === null) {
      return { is: 'failed' as const, reason: { reason: 'CollectionFailed' as const, detail: lastLineOf(outcome) } }
    }
    await recordResult(row, result)
    return { is: 'changed' as const }
  }

  function start({ untagged }: RegistryServerTable, task: FoundTask) {
    const own = Object.assign(present, { taskId: task.id })
    runtime.engine.run(task, collectProgram(untagged === 1), collectMs).then(
      (outcome) => {
        own.outcome = outcome
      },
      (error: unknown) => {
        const isKnown = error instanceof EngineFailure || error instanceof EngineUnavailable
        own.outcome = isKnown ? error : new EngineUnavailable('The collection ended unseen', { cause: error })
        if (!isKnown) runtime.log.error('garbage collection of the registry failed', error)
      },
    )
  }

  /** Ends the read-only mode. The loop finishes the deployment once the registry accepts pushes again. */
  async function recordResult({ id, deploymentId }: RegistryServerTable, reason: CollectionResult) {
    await runtime.transact(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('registryServer')
        .set({ collecting: 0 })
        .where('id', '=', id)
        .where('deploymentId', '=', deploymentId)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return
      if (deploymentId !== null) await restartPhase(tx, deploymentId, reason, runtime.now())
    })
  }
}

/** Parses the output of `registry garbage-collect`, versions 2 and 3. Returns null if the collection failed. */
function resultOf({ exitCode, stdout, stderr }: Outcome): CollectionResult | null {
  // Nobody has pushed to this registry yet.
  if (exitCode !== 0 && /Path not found: .*\/repositories/i.test(stdout + stderr)) {
    return { reason: 'NothingToCollect' }
  }
  if (exitCode !== 0) return null
  const { blobs = '0', manifests = '0' } =
    /(?<blobs>\d+) blobs(?: and (?<manifests>\d+) manifests)? eligible for deletion/.exec(stdout)?.groups ?? {}
  return { reason: 'GarbageCollected', blobs: Number(blobs), manifests: Number(manifests) }
}

const lastLineOf = ({ stdout, stderr }: Outcome): string =>
  `${stdout}\n${stderr}`.trim().split('\n').at(-1)!.slice(0, 500)
