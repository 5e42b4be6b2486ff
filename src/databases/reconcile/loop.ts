/**
 * The loop over all databases with work under way: one look at the swarm for all, then one step each, at once
 * and bounded; a database whose step is still going on is left alone, so that a slow one never holds up another.
 * Without work it costs one query.
 */
import { byId } from '../../deployments/queries.ts'
import { EngineUnavailable, type FoundNode } from '../../engine/engine.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import type { Reader } from '../../store/schema.ts'
import { advance, type MayPass, namesOf, type Seen } from './step.ts'
import { keepStep } from '../../deployments/clock.ts'
import { advanceMove, type Copier } from '../move/step.ts'
import { failed, recordRemovalDelay, type Job } from './outcome.ts'
import type { Runtime } from '../../runtime.ts'

/** Steps that go on at the same moment. */
const stepsAtOnce = 32
/**
 * From the end of a step to the next look at the same database, unless the engine says something before: what has taken
 * long may take longer.
 */
const lookAgainMs = ({ deployment, readAtMs }: Job): number =>
  Math.min(Math.max((readAtMs - Date.parse(deployment.phaseAt)) / 20, 100), 1000)

/** For so long, without a step between that went well, an engine that fails inside may be well again by itself. */
const failingMs = 60_000

/** Between turns, for each database with work under way: many that come up at once leave the machine to come up. */
const gapPerJobMs = 15
const gapsMs = { least: 30, most: 500 }

/** `copier`: for moves. */
export function servicesLoop(runtime: Runtime, copier: Copier): Loop<'services'> {
  const underWay = stepsUnderWay()
  const inTurn = longestAgoFirst()
  const faults = faultsOf(runtime)
  const withPatience = patienceOf(runtime)
  let jobCount = 0
  return {
    name: 'services',
    periodMs: 5000,
    get minGapMs() {
      return Math.min(Math.max(jobCount * gapPerJobMs, gapsMs.least), gapsMs.most)
    },
    turn,
    stop: async () => void (await Promise.all([underWay.stop(), copier.stop()])),
  }

  async function turn(): Promise<Turn> {
    const nowMs = runtime.now().getTime()
    if (await keepStep(runtime)) return 'again'
    const jobs = await jobsOf(runtime.db, nowMs)
    jobCount = jobs.length
    underWay.keep(jobs)
    if (jobs.length === 0) return 'idle'
    faults.throwLast()
    await runtime.ensureEngine()
    const due = inTurn.order(jobs, underWay.has).slice(0, stepsAtOnce - underWay.count())
    if (due.length === 0) return 'idle'
    const seen = await lookAt(runtime, due)
    for (const job of due) start(job, seen)
    return 'idle'
  }

  function start(job: Job, seen: Seen) {
    inTurn.note(job)
    underWay.start(
      job,
      (signal) =>
        withPatience(job.row.id, (mayPass) => stepOf(runtime, copier, job, seen, mayPass, signal)).catch(
          (error: unknown) => (signal.aborted ? undefined : faults.handle(job, error)),
        ),
      () => runtime.wake('services', lookAgainMs(job)),
    )
  }
}

/** In turn: with more work than steps at once, none is passed over for ever. */
function longestAgoFirst() {
  const lookedAt = new Map<string, number>()
  return {
    note: ({ row }: Job) => void lookedAt.set(row.id, performance.now()),
    order(jobs: Job[], isUnderWay: (databaseId: string) => boolean): Job[] {
      const present = new Set(jobs.map(({ row }) => row.id))
      for (const id of lookedAt.keys()) if (!present.has(id)) lookedAt.delete(id)
      const age = ({ row }: Job) => lookedAt.get(row.id) ?? 0
      return jobs.filter(({ row }) => !isUnderWay(row.id)).sort((a, b) => age(a) - age(b))
    },
  }
}

/** What becomes of a step that failed. */
function faultsOf(runtime: Runtime) {
  let engineFault: unknown = null
  return {
    /** The loop waits longer, from failure to failure, while steps find no engine. */
    throwLast() {
      const fault = engineFault
      engineFault = null
      if (fault !== null) throw fault
    },
    /** Without the engine the work waits for it; a defect of ours must not leave it running for ever. */
    async handle(job: Job, error: unknown) {
      if (error instanceof EngineUnavailable) {
        engineFault = error
        return
      }
      runtime.log.error('a step failed', error, { databaseId: job.row.id })
      const end = job.row.goal === 'gone' ? recordRemovalDelay : failed
      await end(runtime, job, { reason: 'InternalError', deploymentId: job.deployment.id }).catch((again: unknown) =>
        runtime.log.error('a failure could not be noted', again, { databaseId: job.row.id }),
      )
    },
  }
}

/** One step at a time for a database. */
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
    /** What a later call has overtaken is called off: it would hold that up. */
    keep(jobs: Job[]) {
      const present = new Set(jobs.map(({ deployment }) => deployment.id))
      for (const { deploymentId, abort } of steps.values()) if (!present.has(deploymentId)) abort.abort()
    },
    async stop() {
      for (const { abort } of steps.values()) abort.abort()
      await Promise.all([...steps.values()].map(({ ended }) => ended))
    },
  }
}

/** With an engine that fails inside: for each database, from the first failure on, anew after a step without one. */
function patienceOf({ now }: Runtime) {
  const since = new Map<string, number>()
  return async (id: string, step: (mayPass: MayPass) => Promise<void>) => {
    let isFailing = false
    const mayPass: MayPass = ({ reason }) => {
      if (reason !== 'failed') return false
      isFailing = true
      const nowMs = now().getTime()
      // A clock that was set back would make it longer.
      const firstMs = Math.min(since.get(id) ?? nowMs, nowMs)
      since.set(id, firstMs)
      return nowMs - firstMs < failingMs
    }
    await step(mayPass)
    if (!isFailing) since.delete(id)
  }
}

/**
 * A move changes where the data is. So it is read once more: a row from before its last step would start the server on
 * the volume that was left.
 */
async function stepOf(
  runtime: Runtime,
  copier: Copier,
  job: Job,
  seen: Seen,
  mayPass: MayPass,
  signal: AbortSignal,
): Promise<void> {
  if (job.deployment.action !== 'move') return advance(runtime, job, seen, mayPass, signal)
  const jobs = await jobsOf(runtime.db, job.readAtMs)
  const present = jobs.find(({ deployment }) => deployment.id === job.deployment.id)
  if (present === undefined) return
  const move = await runtime.db.selectFrom('move').selectAll().where('databaseId', '=', job.row.id).executeTakeFirst()
  return move === undefined
    ? advance(runtime, present, seen, mayPass, signal)
    : advanceMove(runtime, copier, present, move, mayPass)
}

/** What there is on the swarm of all of them, at the price of one. */
async function lookAt({ engine }: Runtime, jobs: Job[]): Promise<Seen> {
  const found = await engine.servicesNamed(jobs.flatMap(({ row }) => namesOf(row)))
  const tasks = found.length === 0 ? [] : await engine.tasks(found.map(({ name }) => name))
  let nodes: Promise<FoundNode[]> | null = null
  return { found, tasks, nodes: () => (nodes ??= engine.nodes()) }
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
