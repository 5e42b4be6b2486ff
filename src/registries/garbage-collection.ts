/**
 * Collections of a registry's garbage: each in a container that takes no pushes, and in which no earlier one goes on,
 * for nobody can end a program in a container but by ending that. What was collected stays so, whatever comes then.
 */
import { restartPhase } from '../deployments/queries.ts'
import type { CollectionResult, RegistryServerReason } from '../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type FoundTask, type Outcome } from '../engine/engine.ts'
import type { RegistryServerTable } from './table.ts'
import { collectProgram } from './specs.ts'
import type { Runtime } from '../runtime.ts'

/** A terabyte of layers takes minutes. */
const collectMs = 30 * 60_000

export interface Collection {
  /** False where a container of its own has to be made first. */
  begin(row: RegistryServerTable): Promise<boolean>
  /** Runs it, looks whether it has ended, and notes how. */
  goOn(
    row: RegistryServerTable,
    task: FoundTask,
  ): Promise<{ is: 'more' } | { is: 'failed'; reason: RegistryServerReason }>
}

/** The one under way: of which work it is, what it runs in, and how it ended. */
interface Run {
  deploymentId: string | null
  taskId: string
  outcome: Outcome | EngineFailure | EngineUnavailable | null
}

const none: Run = { deploymentId: null, taskId: '', outcome: null }

export function collectionsIn(runtime: Runtime): Collection {
  let present = none
  return { begin, goOn }

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

  async function goOn(row: RegistryServerTable, task: FoundTask) {
    const local = (await runtime.engine.nodes()).find((it) => it.local)
    if (task.nodeId !== local?.id) {
      return { is: 'failed' as const, reason: { reason: 'CollectionOnOtherNode' as const } }
    }
    if (present.taskId === '') start(row, task)
    const { outcome, taskId } = present
    // It ended with its container, or nobody knows: another one, in another container.
    if (outcome instanceof Error || taskId !== task.id) present = none
    if (outcome === null || outcome instanceof Error) return { is: 'more' as const }
    present = none
    const found = foundIn(outcome)
    if (found === null) {
      return { is: 'failed' as const, reason: { reason: 'CollectionFailed' as const, detail: lastLineOf(outcome) } }
    }
    await note(row, found)
    return { is: 'more' as const }
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
        if (!isKnown) runtime.log.error('a collection of garbage failed', error)
      },
    )
  }

  /** Then it takes pushes again, and the work ends once that is so. */
  async function note({ id, deploymentId }: RegistryServerTable, reason: CollectionResult) {
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

/** What was thrown away; null where it failed. Its words are those of versions 2 and 3. */
function foundIn({ exitCode, stdout, stderr }: Outcome): CollectionResult | null {
  // A registry that nobody has pushed to yet.
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
