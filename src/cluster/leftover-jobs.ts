/** Removes the containers of jobs that an earlier process of Berth left, on every node whose engine answers. */
import { EngineFailure } from '../engine/engine.ts'
import type { FoundJob } from '../engine/job.ts'
import type { Runtime } from '../runtime.ts'

/** After this delay the engine has finished the calls of the previous Berth process. */
const afterStartMs = 60_000
/** A node whose engine did not answer at the start is cleaned up within this period after it answers again. */
const periodMs = 5 * 60_000

/**
 * Removes each job that this process is not attached to. Does not call the engine while there are no databases and no
 * runs. A job that cannot be removed now is removed by a later call.
 *
 * @throws EngineUnavailable
 */
async function removeLeftoverJobs({ db, engine, log }: Runtime): Promise<void> {
  const rows = await Promise.all(
    (['database', 'backupRun'] as const).map((table) => db.selectFrom(table).select('id').limit(1).execute()),
  )
  if (rows.flat().length === 0) return
  const leftovers = (await engine.listJobs()).filter(({ attached }) => !attached)
  const remove = async ({ name, nodeId }: FoundJob) => {
    try {
      await engine.removeLeftoverJob(name, nodeId)
      log.info('removed a container that an earlier process left', { name, nodeId })
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      log.error('could not remove a container that an earlier process left', error, { name, nodeId })
    }
  }
  await Promise.all(leftovers.map(remove))
}

export interface LeftoverCleanup {
  /**
   * The first call removes leftover jobs and waits for the end. Later calls do so in the background: once more after a
   * minute, then every five minutes.
   *
   * @returns whether this call was the first that succeeded
   */
  check(): Promise<boolean>
  /** Waits for the removal in the background. */
  stop(): Promise<void>
}

export function leftoverCleanup(runtime: Runtime): LeftoverCleanup {
  let lastAtMs: number | null = null
  let waitMs = afterStartMs
  let background: Promise<void> | null = null
  return {
    async check() {
      const nowMs = runtime.now().getTime()
      if (lastAtMs === null) {
        await removeLeftoverJobs(runtime)
        lastAtMs = nowMs
        return true
      }
      // The clock may have been set back.
      if (background !== null || Math.abs(nowMs - lastAtMs) < waitMs) return false
      lastAtMs = nowMs
      waitMs = periodMs
      background = removeLeftoverJobs(runtime)
        .catch((error: unknown) => runtime.log.error('the cleanup of containers failed', error))
        .finally(() => {
          background = null
        })
      return false
    },
    stop: async () => void (await background),
  }
}
