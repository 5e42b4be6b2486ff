/**
 * Runs garbage collections of the registry that Berth runs. Each collection runs in a new container that accepts no
 * pushes. An older container might still run an earlier collection: to stop the collection, Docker has to stop the
 * whole container.
 */
import { restartPhase } from '../deployments/queries.ts'
import type { CollectionResult, RegistryServerReason } from '../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type FoundTask, type Outcome } from '../engine/engine.ts'
import type { RegistryServerTable } from './table.ts'
import { collectProgram } from './specs.ts'
import type { Runtime } from '../runtime.ts'

/** Time limit of a collection. A collection in a registry with a terabyte of layers takes minutes. */
const collectionTimeoutMs = 30 * 60_000

/** The result of a step. `changed`: the collection runs or has ended, so another turn follows soon. */
type CollectionStep = { is: 'changed' } | { is: 'failed'; reason: RegistryServerReason }

export interface GarbageCollector {
  /**
   * Requests a new container for the collection of this deployment and returns false. If this process of Berth has
   * already requested the container, does nothing and returns true.
   */
  begin(row: RegistryServerTable): Promise<boolean>
  /**
   * Starts the collection in the container of `task` if it does not run, checks whether it has ended, and records its
   * result.
   */
  step(row: RegistryServerTable, task: FoundTask): Promise<CollectionStep>
}

/** The collection that this process of Berth runs. */
interface Collection {
  /** Null if no collection is in progress. */
  deploymentId: string | null
  /** The task whose container runs the collection. Empty before the collection starts. */
  taskId: string
  /** Null while the collection runs. An error if the outcome is unknown. */
  outcome: Outcome | EngineFailure | EngineUnavailable | null
}

const newCollection = (deploymentId: string | null): Collection => ({ deploymentId, taskId: '', outcome: null })

export function garbageCollector(runtime: Runtime): GarbageCollector {
  let collection = newCollection(null)
  return {
    async begin(row) {
      if (collection.deploymentId === row.deploymentId) return true
      await requestNewContainer(runtime, row)
      collection = newCollection(row.deploymentId)
      return false
    },
    async step(row, task) {
      const localNode = (await runtime.engine.nodes()).find((node) => node.local)
      if (task.nodeId !== localNode?.id) return { is: 'failed', reason: { reason: 'CollectionOnOtherNode' } }
      if (collection.taskId === '') startCollection(runtime, collection, row, task)
      const { outcome, taskId } = collection
      // If the task was replaced or the outcome is unknown, the next turn begins a collection in a new container.
      if (outcome instanceof Error || taskId !== task.id) collection = newCollection(null)
      if (outcome === null || outcome instanceof Error) return { is: 'changed' }
      collection = newCollection(null)
      const result = resultOf(outcome)
      if (result === null) return { is: 'failed', reason: { reason: 'CollectionFailed', detail: lastLineOf(outcome) } }
      await recordResult(runtime, row, result)
      return { is: 'changed' }
    },
  }
}

/**
 * Increments the stored counter of collections. The counter is part of the specification of the service, so Swarm then
 * replaces the container.
 */
async function requestNewContainer(
  { transact }: Runtime,
  { id, collections, deploymentId }: RegistryServerTable,
): Promise<void> {
  await transact(async (tx) => {
    await tx
      .updateTable('registryServer')
      .set({ collections: collections + 1 })
      .where('id', '=', id)
      .where('deploymentId', '=', deploymentId)
      .execute()
  })
}

/** Starts the collection, but does not wait for its end. The outcome is stored in `collection.outcome` at the end. */
function startCollection(
  { engine, log }: Runtime,
  collection: Collection,
  { untagged }: RegistryServerTable,
  task: FoundTask,
): void {
  collection.taskId = task.id
  engine.run(task, collectProgram(untagged === 1), collectionTimeoutMs).then(
    (outcome) => {
      collection.outcome = outcome
    },
    (error: unknown) => {
      const isEngineError = error instanceof EngineFailure || error instanceof EngineUnavailable
      collection.outcome = isEngineError
        ? error
        : new EngineUnavailable('The outcome of the garbage collection is unknown', { cause: error })
      if (!isEngineError) log.error('garbage collection of the registry failed', error)
    },
  )
}

/**
 * Stores the result as the reason of the deployment, and ends the read-only mode. The loop finishes the deployment when
 * the registry accepts pushes again.
 */
async function recordResult(
  { transact, now }: Runtime,
  { id, deploymentId }: RegistryServerTable,
  reason: CollectionResult,
): Promise<void> {
  await transact(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('registryServer')
      .set({ collecting: 0 })
      .where('id', '=', id)
      .where('deploymentId', '=', deploymentId)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    if (deploymentId !== null) await restartPhase(tx, deploymentId, reason, now())
  })
}

/** Parses the output of `registry garbage-collect`, versions 2 and 3. Returns null if the collection failed. */
function resultOf({ exitCode, stdout, stderr }: Outcome): CollectionResult | null {
  // The folder of repositories does not exist before the first push.
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
