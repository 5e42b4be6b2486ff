/**
 * The loop that runs the steps of all databases with a deployment in progress. Each turn reads the swarm once, then
 * starts one step per database, up to a maximum of concurrent steps. A turn skips databases whose step still runs, so a
 * slow database does not delay the others. A turn without deployments takes one query.
 */
import { byId } from '../../deployments/queries.ts'
import { EngineUnavailable, type FoundNode } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import type { Reader } from '../../store/schema.ts'
import { type Swarm, type ShouldRetry, namesOf, stepDatabase } from './step.ts'
import { newStarts, type Starts } from '../clearance/starts.ts'
import { adjustToClockChange } from '../../deployments/clock.ts'
import { stepMove, type MoveCopies } from '../move/step.ts'
import { recordFailure, recordRemovalDelay, type Job } from './outcome.ts'
import type { Runtime } from '../../runtime.ts'

/** The maximum number of concurrent steps. */
const maxConcurrentSteps = 32
/**
 * The delay from the end of a step to the next step of the same database, unless an engine event comes first. The delay
 * grows with the age of the phase.
 */
function retryDelayMs({ deployment, readAtMs }: Job): number {
  return Math.min(Math.max((readAtMs - Date.parse(deployment.phaseAt)) / 20, 100), 1000)
}

/** How long consecutive internal errors of the engine are retried before they end the deployment. */
const maxEngineFailureMs = 60_000
/**
 * The same for transient failures: another writer changed the object first, or the object is in use for a moment. Not
 * counted from the start of the phase, because a server can take hours to start.
 */
const maxTransientMs = 180_000

/** The pause between turns per database in progress. It leaves the CPU to the databases if many start at once. */
const gapPerJobMs = 15
const [minGapMs, maxGapMs] = [30, 500]

export function servicesLoop(runtime: Runtime, moveCopies: MoveCopies): Loop<'services'> {
  const underWay = stepsUnderWay()
  const fairOrder = oldestFirst()
  const errors = stepErrors(runtime)
  const withFailureTolerance = failureTolerance(runtime)
  const starts = newStarts(runtime)
  let jobCount = 0
  return {
    name: 'services',
    periodMs: 5000,
    get minGapMs() {
      return Math.min(Math.max(jobCount * gapPerJobMs, minGapMs), maxGapMs)
    },
    turn,
    stop: async () => void (await Promise.all([underWay.stop(), moveCopies.stop()])),
  }

  async function turn(): Promise<Turn> {
    if (runtime.gate.reason() !== null) return 'idle'
    const nowMs = runtime.now().getTime()
    if (await adjustToClockChange(runtime)) return 'again'
    const jobs = await jobsOf(runtime.db, nowMs)
    jobCount = jobs.length
    starts.retain(new Set(jobs.map(({ row }) => row.id)))
    underWay.abortSuperseded(jobs)
    if (jobs.length === 0) return 'idle'
    errors.throwLast()
    await runtime.ensureEngine()
    const due = fairOrder.order(jobs, underWay.has).slice(0, maxConcurrentSteps - underWay.count())
    if (due.length === 0) return 'idle'
    const swarm = await inspectSwarm(runtime, starts, due)
    for (const job of due) start(job, swarm)
    return 'idle'
  }

  function start(job: Job, swarm: Swarm) {
    fairOrder.recordStart(job)
    underWay.start(
      job,
      (signal) =>
        withFailureTolerance(job.row.id, (shouldRetry) =>
          runStep(runtime, moveCopies, job, swarm, shouldRetry, signal),
        ).catch((error: unknown) => (signal.aborted ? undefined : errors.handle(job, error))),
      () => runtime.wake('services', retryDelayMs(job)),
    )
  }
}

/**
 * Orders the jobs without a running step by the time of their last step, oldest first. In another order a database
 * could wait forever for a free slot.
 */
function oldestFirst() {
  const lastStepAt = new Map<string, number>()
  return {
    recordStart: ({ row }: Job) => void lastStepAt.set(row.id, performance.now()),
    order(jobs: Job[], isUnderWay: (databaseId: string) => boolean): Job[] {
      const present = new Set(jobs.map(({ row }) => row.id))
      for (const id of lastStepAt.keys()) if (!present.has(id)) lastStepAt.delete(id)
      const lastStepOf = ({ row }: Job) => lastStepAt.get(row.id) ?? 0
      return jobs.filter(({ row }) => !isUnderWay(row.id)).sort((a, b) => lastStepOf(a) - lastStepOf(b))
    },
  }
}

/** Handles the errors of steps. */
function stepErrors(runtime: Runtime) {
  let engineFault: unknown = null
  return {
    /** Throws the EngineUnavailable of an ended step, if there is one, so that the loop backs off. */
    throwLast() {
      const fault = engineFault
      engineFault = null
      if (fault !== null) throw fault
    },
    /**
     * Records the error of a step. If the engine is unavailable, the deployment waits. Any other error ends the
     * deployment, because a defect would repeat forever; only a removal continues.
     */
    async handle(job: Job, error: unknown) {
      if (error instanceof EngineUnavailable) {
        engineFault = error
        return
      }
      runtime.log.error('a step failed', error, { databaseId: job.row.id })
      const end = job.row.goal === 'gone' ? recordRemovalDelay : recordFailure
      await end(runtime, job, { reason: 'InternalError', deploymentId: job.deployment.id }).catch((again: unknown) =>
        runtime.log.error('could not record the failure of a step', again, { databaseId: job.row.id }),
      )
    },
  }
}

/** The running steps, at most one per database. */
function stepsUnderWay() {
  const steps = new Map<string, { deploymentId: string; abort: AbortController; ended: Promise<void> }>()
  return {
    count: () => steps.size,
    has: (databaseId: string) => steps.has(databaseId),
    start({ row, deployment }: Job, step: (signal: AbortSignal) => Promise<void>, afterwards: () => void) {
      const abort = new AbortController()
      const ended = step(abort.signal).finally(() => {
        steps.delete(row.id)
        afterwards()
      })
      steps.set(row.id, { deploymentId: deployment.id, abort, ended })
    },
    /** Aborts the steps of superseded deployments: those not among `jobs`. The later deployment waits for their end. */
    abortSuperseded(jobs: Job[]) {
      const present = new Set(jobs.map(({ deployment }) => deployment.id))
      for (const { deploymentId, abort } of steps.values()) if (!present.has(deploymentId)) abort.abort()
    },
    async stop() {
      for (const { abort } of steps.values()) abort.abort()
      await Promise.all([...steps.values()].map(({ ended }) => ended))
    },
  }
}

/**
 * Tolerates failures of the engine for at most `maxEngineFailureMs` or `maxTransientMs` per database. The period starts
 * at the first failure and ends with the first step without one.
 */
function failureTolerance({ now }: Runtime) {
  const since = new Map<string, number>()
  return async (id: string, step: (shouldRetry: ShouldRetry) => Promise<void>) => {
    let isFailing = false
    const shouldRetry: ShouldRetry = (error) => {
      const maxMs = isTransient(error) ? maxTransientMs : error.reason === 'failed' ? maxEngineFailureMs : 0
      isFailing = true
      const nowMs = now().getTime()
      // If the clock is set back, the period must not become longer.
      const firstMs = Math.min(since.get(id) ?? nowMs, nowMs)
      since.set(id, firstMs)
      return nowMs - firstMs < maxMs
    }
    await step(shouldRetry)
    if (!isFailing) since.delete(id)
  }
}

/**
 * Runs one step. For a move and a restore, this reads the row again first. The row in `job` can be older than the previous
 * step of the move; the server would then start on the old volume.
 */
async function runStep(
  runtime: Runtime,
  moveCopies: MoveCopies,
  job: Job,
  swarm: Swarm,
  shouldRetry: ShouldRetry,
  signal: AbortSignal,
): Promise<void> {
  if (!movesData(job)) return stepDatabase(runtime, job, swarm, shouldRetry, signal)
  const jobs = await jobsOf(runtime.db, job.readAtMs)
  const present = jobs.find(({ deployment }) => deployment.id === job.deployment.id)
  if (present === undefined) return
  const move = await runtime.db.selectFrom('move').selectAll().where('databaseId', '=', job.row.id).executeTakeFirst()
  return move === undefined
    ? stepDatabase(runtime, present, swarm, shouldRetry, signal)
    : stepMove(runtime, moveCopies, present, move, shouldRetry)
}

const movesData = ({ deployment: { action } }: Job) => action === 'move' || action === 'restore'

/** Reads the services and tasks of all jobs with two calls to the engine. */
async function inspectSwarm({ engine }: Runtime, starts: Starts, jobs: Job[]): Promise<Swarm> {
  const services = await engine.servicesNamed(jobs.flatMap(({ row }) => namesOf(row)))
  const tasks = services.length === 0 ? [] : await engine.tasksOf(services)
  let nodes: Promise<FoundNode[]> | null = null
  return { services, tasks, starts, nodes: () => (nodes ??= engine.nodes()) }
}

async function jobsOf(db: Reader, readAtMs: number): Promise<Job[]> {
  const rows = await db
    .selectFrom('database')
    .selectAll()
    .where('deploymentId', 'is not', null)
    .orderBy('deploymentId')
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ deploymentId }) => deploymentId!)
  const deployments = await byId(db, ids)
  return rows.flatMap((row) => {
    const deployment = deployments.get(row.deploymentId!)
    return deployment === undefined ? [] : [{ row, deployment, readAtMs }]
  })
}
