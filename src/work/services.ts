/**
 * The loop's turn over all databases with work under way: one look at the swarm for all, then one step each, at once
 * and bounded; a database whose step is still going on is left alone, so that a slow one never holds up another.
 * Without work it costs one query.
 */
import { byId } from '../deployments/queries.ts'
import { EngineUnavailable, type FoundNode } from '../engine/engine.ts'
import type { Reader } from '../store/schema.ts'
import { advance, type MayPass, namesOf, type Seen } from './advance.ts'
import { keepStep } from './clock.ts'
import { advanceMove, type Hands } from './moving.ts'
import { failed, hindered, type Job } from './settle.ts'
import type { World } from './world.ts'

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

export interface ServicesWork {
  turn(): Promise<void>
  /** Until the next turn at least, in milliseconds. */
  gapMs(): number
  /** Calls off what may take long, and waits for the steps under way. */
  stop(): Promise<void>
}

/** `hands` are those of moves. `afterStep` is called after each, `wake` asks for another turn. */
export function servicesWork(world: World, hands: Hands, wake: () => void, afterStep: () => void): ServicesWork {
  const underWay = stepsUnderWay()
  const lookedAt = new Map<string, number>()
  const withPatience = patienceOf(world)
  let engineFault: unknown = null
  let jobCount = 0
  const gapMs = () => Math.min(Math.max(jobCount * gapPerJobMs, gapsMs.least), gapsMs.most)
  return { turn, gapMs, stop: underWay.stop }

  async function turn() {
    const nowMs = world.now().getTime()
    if (await keepStep(world)) return wake()
    const jobs = await jobsOf(world.db, nowMs)
    jobCount = jobs.length
    underWay.keep(jobs)
    afterStep()
    if (jobs.length === 0) return
    const fault = engineFault
    engineFault = null
    if (fault !== null) throw fault
    await world.ensureEngine()
    const due = longestAgoFirst(jobs).slice(0, stepsAtOnce - underWay.count())
    if (due.length === 0) return
    const seen = await lookAt(world, due)
    for (const job of due) start(job, seen)
  }

  /** In turn: with more work than steps at once, none is passed over for ever. */
  function longestAgoFirst(jobs: Job[]) {
    const present = new Set(jobs.map(({ row }) => row.id))
    for (const id of lookedAt.keys()) if (!present.has(id)) lookedAt.delete(id)
    const age = ({ row }: Job) => lookedAt.get(row.id) ?? 0
    return jobs.filter(({ row }) => !underWay.has(row.id)).sort((a, b) => age(a) - age(b))
  }

  function start(job: Job, seen: Seen) {
    lookedAt.set(job.row.id, performance.now())
    underWay.start(
      job,
      async (signal) => {
        await withPatience(job.row.id, (mayPass) => stepOf(world, hands, job, seen, mayPass, signal)).catch(
          (error: unknown) => (signal.aborted ? undefined : refuseToDie(job, error)),
        )
      },
      () => {
        afterStep()
        setTimeout(wake, lookAgainMs(job)).unref()
      },
    )
  }

  /** Without the engine the work waits for it; a defect of ours must not leave it running for ever. */
  async function refuseToDie(job: Job, error: unknown) {
    if (error instanceof EngineUnavailable) {
      engineFault = error
      return
    }
    world.log.error('a step failed', error, { databaseId: job.row.id })
    const end = job.row.goal === 'gone' ? hindered : failed
    await end(world, job, 'Berth failed inside while it worked on this service; its log says more').catch(
      (again: unknown) => world.log.error('a failure could not be noted', again, { databaseId: job.row.id }),
    )
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
function patienceOf({ now }: World) {
  const since = new Map<string, number>()
  return async (id: string, step: (mayPass: MayPass) => Promise<void>) => {
    let isFailing = false
    const mayPass: MayPass = ({ status }) => {
      // 503 is Berth's own word for what no node can.
      if (status === 503 || status < 500) return false
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
  world: World,
  hands: Hands,
  job: Job,
  seen: Seen,
  mayPass: MayPass,
  signal: AbortSignal,
): Promise<void> {
  if (job.deployment.action !== 'move') return advance(world, job, seen, mayPass, signal)
  const jobs = await jobsOf(world.db, job.readAtMs)
  const present = jobs.find(({ deployment }) => deployment.id === job.deployment.id)
  if (present === undefined) return
  const move = await world.db.selectFrom('move').selectAll().where('databaseId', '=', job.row.id).executeTakeFirst()
  return move === undefined
    ? advance(world, present, seen, mayPass, signal)
    : advanceMove(world, hands, present, move, mayPass)
}

/** What there is on the swarm of all of them, at the price of one. */
async function lookAt({ engine }: World, jobs: Job[]): Promise<Seen> {
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
