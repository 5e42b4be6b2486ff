/**
 * What is written of a database that was looked at, and what is begun for it. Only what is newly observed is written,
 * and a call that came in between has the last word.
 */
import { type Drift, noDrift, type StatusReason, workReason } from '../status.ts'
import * as deployments from '../../deployments/queries.ts'
import type { NodeReason, Outage, TaskReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { openTarget } from '../targets.ts'
import { unchangedRow, type Watched } from './queries.ts'
import type { FoundDrift } from './drift.ts'
import { findPlacement, mountFor } from '../reconcile/volume-placement.ts'
import { isReplaced } from '../reconcile/data-identity.ts'
import { observe, type Sight } from './observation.ts'
import { isOutOfReach, prove } from '../reconcile/probe.ts'
import { reported, withoutSecrets } from '../reconcile/failure-text.ts'
import { halt, remakeGateway, repair, restart } from './repair.ts'
import type { Tries } from './login-backoff.ts'
import { taskReason } from '../reconcile/task-health.ts'
import type { Runtime } from '../../runtime.ts'

/** It runs, and nothing about it is new: `writeSeen` would write nothing. */
export function isAsKnown(row: Watched, tasks: FoundTask[], { remedy, drift }: FoundDrift, now: number): boolean {
  if (remedy !== 'none' || !tasks.some((task) => task.state === 'running')) return false
  return observe(row, tasks, now).is === 'same' && toJson(drift) === row.drift
}

/** `begun`: work on it, which the loop over services has to take up. */
type Written = 'begun' | 'written'

/** `tasks`: of the database's service, those that are wanted running. */
export async function writeSeen(
  runtime: Runtime,
  tries: Tries,
  row: Watched,
  tasks: FoundTask[],
  found: FoundDrift,
): Promise<Written> {
  const fresh = tasks.find((task) => task.state === 'starting' && task.id !== row.provenTask)
  if (fresh !== undefined && (await haltReplaced(runtime, row, fresh))) return 'begun'
  if (found.remedy !== 'none' && (await mend(runtime, row, tasks, found))) return 'begun'
  const isHealthy = tasks.some((task) => task.state === 'running')
  const sight = observe(row, isHealthy ? tasks : await runtime.engine.tasks([row.appName]), runtime.now().getTime())
  const drift = toJson(found.drift)
  const isNew =
    sight.is !== 'same' && (sight.is !== 'back' || row.observed !== 'unproven' || tries.isDue(row.id, sight.task.id))
  if (isNew) return note(runtime, tries, row, sight, drift)
  if (drift !== row.drift) await write(runtime, row, { drift })
  return 'written'
}

/**
 * Of a server that is still starting, for to set up new data takes it longer than it may run on that. Where it has its
 * own data, it is known from then on. Gives whether a halt was begun.
 */
async function haltReplaced(runtime: Runtime, row: Watched, task: FoundTask): Promise<boolean> {
  const subject = await openSubject(runtime, row, task)
  if (subject === null || subject.volume.identity === null) return false
  try {
    if (await isReplaced(runtime, subject.volume, task)) return halt(runtime, row, subject.volume, 'DataReplaced')
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    // It may have ended, or its node takes its time: the next turn asks again.
    return false
  }
  await write(runtime, row, { provenTask: task.id })
  return false
}

/** Gives whether something was begun. */
async function mend(
  runtime: Runtime,
  row: Watched,
  tasks: FoundTask[],
  { remedy, drift }: FoundDrift,
): Promise<boolean> {
  if (remedy === 'repair') return repair(runtime, row, drift)
  if (remedy === 'remakeGateway') return remakeGateway(runtime, row, drift)
  const task = tasks.find(({ state }) => state === 'running')
  const subject = task === undefined ? null : await openSubject(runtime, row, task)
  // What the engine knows of the network is one thing; a server that answers is on it.
  if (subject === null || !(await isOutOfReach(runtime, subject))) return false
  return restart(runtime, row, drift)
}

async function note(
  runtime: Runtime,
  tries: Tries,
  row: Watched,
  sight: Exclude<Sight, { is: 'same' }>,
  drift: Watched['drift'],
): Promise<Written> {
  if (sight.is === 'back') return noteBack(runtime, tries, row, sight.task)
  const downSince = row.downSince ?? runtime.now().toISOString()
  const { containerState } = sight
  if (sight.is === 'lost') {
    const statusReason = toJson<StatusReason>(await explained(runtime, row, sight.status, sight.task))
    const down: Patch = { observed: 'down', applicationStatus: 'error', statusReason }
    await write(runtime, row, { ...down, containerState, downSince, drift })
    return 'written'
  }
  const observed = row.observed === 'down' ? 'down' : 'starting'
  const statusReason = isExplained(row) ? row.statusReason : await whyDown(runtime, row, downSince, sight.task)
  await write(runtime, row, { observed, containerState, downSince, statusReason, drift })
  return 'written'
}

/** Nothing is known of its container, and nothing is begun: it waits for its node. */
export async function noteAway(runtime: Runtime, row: Watched, reason: NodeReason): Promise<void> {
  const drift = toJson<readonly Drift[]>([reason])
  if (row.drift === drift) return
  const downSince = row.downSince ?? runtime.now().toISOString()
  const statusReason = toJson(reason)
  const patch: Patch = { observed: 'down', containerState: 'unknown', applicationStatus: 'error', statusReason }
  await write(runtime, row, { ...patch, downSince, drift })
}

const wentDown = (since: string, cause: TaskReason | null): Outage => ({ reason: 'WentDown', since, cause })

/** It is down, and its status says more than since when. */
function isExplained({ downSince, statusReason }: Watched): boolean {
  if (downSince === null) return false
  const status = fromJson(statusReason)
  return status?.reason !== 'WentDown' || status.cause !== null
}

async function whyDown(runtime: Runtime, row: Watched, downSince: string, task: FoundTask | null) {
  const cause = task === null ? null : taskReason(task)
  return toJson<StatusReason>(await explained(runtime, row, wentDown(downSince, cause), task))
}

/** With how the task's container ended. */
async function explained(runtime: Runtime, { id }: Watched, outage: Outage, task: FoundTask | null): Promise<Outage> {
  const row = await runtime.db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || outage.cause === null) return outage
  const cause = await reported(runtime, outage.cause, task, openTarget(runtime.vault, 'target', row))
  return withoutSecrets(runtime.vault, { ...outage, cause }, row, await findPlacement(runtime.db, row))
}

/**
 * Says done only after a login. A server that takes none, be it that its credentials were changed inside or that it is
 * not reached over the network, is reported, left alone and tried again.
 */
async function noteBack(runtime: Runtime, tries: Tries, row: Watched, task: FoundTask): Promise<Written> {
  const subject = await openSubject(runtime, row, task)
  if (subject === null) return 'written'
  const proof = await prove(runtime, subject)
  if (proof.is === 'replaced') {
    return (await halt(runtime, row, subject.volume, 'DataReplaced')) ? 'begun' : 'written'
  }
  if (proof.is === 'failed') {
    tries.failed(row.id, task.id)
    await noteUnproven(runtime, row, withoutSecrets(runtime.vault, proof.reason, subject.row, subject.volume))
  }
  if (proof.is === 'ready') {
    tries.succeeded(row.id)
    await noteProven(runtime, row, task.id)
  }
  return 'written'
}

const back: Patch = { observed: 'up', containerState: 'running', downSince: null, drift: noDrift }

async function noteUnproven(runtime: Runtime, row: Watched, status: StatusReason) {
  const statusReason = toJson(status)
  if (row.observed === 'unproven' && row.statusReason === statusReason) return
  await write(runtime, row, { ...back, observed: 'unproven', applicationStatus: 'error', statusReason })
}

async function noteProven(runtime: Runtime, row: Watched, provenTask: string) {
  // Nobody saw it down: that its container is another one changes nothing of what was said.
  if (row.observed === 'up') return write(runtime, row, { provenTask })
  const proven: Patch = { ...back, provenTask, applicationStatus: 'done' }
  if (row.downSince === null) return write(runtime, row, { ...proven, statusReason: null })
  const before = fromJson(row.statusReason)
  const cause = before ?? wentDown(row.downSince, null)
  const statusReason = toJson<StatusReason>({ reason: 'Recovered', cause })
  await write(runtime, row, { ...proven, statusReason }, restartOf(runtime, row, row.downSince, before))
}

/** A restart by the swarm, listed with the work that Berth began. */
interface Restart extends deployments.Start {
  startedAt: Date
}

function restartOf({ newId }: Runtime, row: Watched, since: string, status: StatusReason | null): Restart {
  const subject = deployments.subjectOf('database', row)
  return { id: newId(), action: 'restart', subject, reason: status && workReason(status), startedAt: new Date(since) }
}

/** All that a probe of it takes; null where a call came in between. */
async function openSubject(runtime: Runtime, seen: Watched, task: FoundTask) {
  const row = await unchangedRow(runtime.db, seen)
  if (row === undefined) return null
  const [target, home] = [openTarget(runtime.vault, 'target', row), await findPlacement(runtime.db, row)]
  if (target === null || home === null) return null
  const kind = kindNamed(row.kind)
  const volume = mountFor(runtime, home, target, kind)
  return { row, kind, target, volume, task, hasGateway: false, since: task.updatedAt, nowMs: runtime.now().getTime() }
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

async function write({ transact, now }: Runtime, seen: Watched, patch: Patch, restart?: Restart) {
  await transact(async (tx) => {
    if ((await unchangedRow(tx, seen)) === undefined) return
    await tx.updateTable('database').set(patch).where('id', '=', seen.id).execute()
    if (restart !== undefined) await deployments.recordEnded(tx, restart, restart.startedAt, now())
  })
}
