/**
 * What the services loop remembers about starting servers: since when they answer, and whether they were proven. The
 * state is only in memory. After a restart of Berth, a server is asked and proven again.
 */
import type { DeploymentTable } from '../../deployments/table.ts'
import { EngineFailure, EngineUnavailable, type FoundTask } from '../../engine/engine.ts'
import type { Runtime } from '../../runtime.ts'

export interface Starts {
  /**
   * When the server of a starting task has answered first, in milliseconds since the epoch. Null if this is not known
   * yet. Then this waits in the background, and wakes the loop when the server answers.
   */
  answersSince(databaseId: string, task: FoundTask): number | null
  /** Records that the present phase of the deployment has proven the server of the task. */
  recordProof(databaseId: string, task: FoundTask, deployment: Phase): void
  isProven(databaseId: string, task: FoundTask, deployment: Phase): boolean
  /** Forgets the servers of all other databases. */
  retain(databaseIds: ReadonlySet<string>): void
}

type Phase = Pick<DeploymentTable, 'id' | 'phaseAt'>

interface Start {
  taskId: string
  isWaiting: boolean
  answersSinceMs: number | null
  provenBy: Phase | null
}

/** How long one program in the container waits for an answer. */
const waitSeconds = 5

export function newStarts(runtime: Runtime): Starts {
  const starts = new Map<string, Start>()
  return {
    answersSince(databaseId, task) {
      const start = startOf(databaseId, task)
      if (start.answersSinceMs === null && !start.isWaiting) void wait(task, start)
      return start.answersSinceMs
    },
    recordProof(databaseId, task, { id, phaseAt }) {
      startOf(databaseId, task).provenBy = { id, phaseAt }
    },
    isProven(databaseId, task, { id, phaseAt }) {
      const start = starts.get(databaseId)
      return start?.taskId === task.id && start.provenBy?.id === id && start.provenBy.phaseAt === phaseAt
    },
    retain(databaseIds) {
      for (const id of starts.keys()) if (!databaseIds.has(id)) starts.delete(id)
    },
  }

  function startOf(databaseId: string, { id: taskId }: FoundTask): Start {
    const known = starts.get(databaseId)
    if (known?.taskId === taskId) return known
    const start: Start = { taskId, isWaiting: false, answersSinceMs: null, provenBy: null }
    starts.set(databaseId, start)
    return start
  }

  async function wait(task: FoundTask, start: Start): Promise<void> {
    start.isWaiting = true
    const seconds = await secondsOfAnswers(runtime, task, waitSeconds)
    start.isWaiting = false
    if (seconds === null) return
    start.answersSinceMs = runtime.now().getTime() - seconds * 1000
    runtime.wake('services')
  }
}

/** For how many seconds the server answers and waits for its clearance; null if it does not, or if this is unknown. */
export async function secondsOfAnswers(
  { engine, log }: Runtime,
  task: FoundTask,
  maxWaitSeconds: number,
): Promise<number | null> {
  try {
    return await engine.awaitAnswer(task, maxWaitSeconds)
  } catch (error) {
    // The container may not run yet or may have ended, or the engine is down. The next step finds out.
    if (!(error instanceof EngineFailure || error instanceof EngineUnavailable))
      log.error('could not wait for the answer of a server', error, { service: task.serviceName })
    return null
  }
}
