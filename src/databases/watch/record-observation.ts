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
import { findHome, mountFor } from '../reconcile/volume-placement.ts'
import { isReplaced } from '../reconcile/data-identity.ts'
import { observe, type Sight } from './observation.ts'
import { isOutOfReach, prove } from '../reconcile/probe.ts'
import { reported, withoutSecrets } from '../reconcile/failure-text.ts'
import { halt, remakeGateway, repair, restart } from './repair.ts'
import type { Tries } from './login-backoff.ts'
import { taskReason } from '../reconcile/task-health.ts'
import type { World } from '../../runtime.ts'

/** It runs, and nothing about it is new: `writeSeen` would write nothing. */
export function isAsKnown(row: Watched, tasks: FoundTask[], { remedy, drift }: FoundDrift, now: number): boolean {
  if (remedy !== 'none' || !tasks.some((task) => task.state === 'running')) return false
  return observe(row, tasks, now).is === 'same' && toJson(drift) === row.drift
}

/** `begun`: work on it, which the loop over services has to take up. */
type Written = 'begun' | 'written'

/** `tasks`: of the database's service, those that are wanted running. */
export async function writeSeen(
  world: World,
  tries: Tries,
  row: Watched,
  tasks: FoundTask[],
  found: FoundDrift,
): Promise<Written> {
  const fresh = tasks.find((task) => task.state === 'starting' && task.id !== row.provenTask)
  if (fresh !== undefined && (await haltReplaced(world, row, fresh))) return 'begun'
  if (found.remedy !== 'none' && (await mend(world, row, tasks, found))) return 'begun'
  const isHealthy = tasks.some((task) => task.state === 'running')
  const sight = observe(row, isHealthy ? tasks : await world.engine.tasks([row.appName]), world.now().getTime())
  const drift = toJson(found.drift)
  const isNew =
    sight.is !== 'same' && (sight.is !== 'back' || row.observed !== 'unproven' || tries.isDue(row.id, sight.task.id))
  if (isNew) return note(world, tries, row, sight, drift)
  if (drift !== row.drift) await write(world, row, { drift })
  return 'written'
}

/**
 * Of a server that is still starting, for to set up new data takes it longer than it may run on that. Where it has its
 * own data, it is known from then on. Gives whether a halt was begun.
 */
async function haltReplaced(world: World, row: Watched, task: FoundTask): Promise<boolean> {
  const subject = await openSubject(world, row, task)
  if (subject === null || subject.volume.identity === null) return false
  try {
    if (await isReplaced(world, subject.volume, task)) return halt(world, row, subject.volume, 'DataReplaced')
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    // It may have ended, or its node takes its time: the next turn asks again.
    return false
  }
  await write(world, row, { provenTask: task.id })
  return false
}

/** Gives whether something was begun. */
async function mend(world: World, row: Watched, tasks: FoundTask[], { remedy, drift }: FoundDrift): Promise<boolean> {
  if (remedy === 'repair') return repair(world, row, drift)
  if (remedy === 'remakeGateway') return remakeGateway(world, row, drift)
  const task = tasks.find(({ state }) => state === 'running')
  const subject = task === undefined ? null : await openSubject(world, row, task)
  // What the engine knows of the network is one thing; a server that answers is on it.
  if (subject === null || !(await isOutOfReach(world, subject))) return false
  return restart(world, row, drift)
}

async function note(
  world: World,
  tries: Tries,
  row: Watched,
  sight: Exclude<Sight, { is: 'same' }>,
  drift: Watched['drift'],
): Promise<Written> {
  if (sight.is === 'back') return noteBack(world, tries, row, sight.task)
  const downSince = row.downSince ?? world.now().toISOString()
  const { containerState } = sight
  if (sight.is === 'lost') {
    const statusReason = toJson<StatusReason>(await explained(world, row, sight.status, sight.task))
    const down: Patch = { observed: 'down', applicationStatus: 'error', statusReason }
    await write(world, row, { ...down, containerState, downSince, drift })
    return 'written'
  }
  const observed = row.observed === 'down' ? 'down' : 'starting'
  const statusReason = isExplained(row) ? row.statusReason : await whyDown(world, row, downSince, sight.task)
  await write(world, row, { observed, containerState, downSince, statusReason, drift })
  return 'written'
}

/** Nothing is known of its container, and nothing is begun: it waits for its node. */
export async function noteAway(world: World, row: Watched, reason: NodeReason): Promise<void> {
  const drift = toJson<readonly Drift[]>([reason])
  if (row.drift === drift) return
  const downSince = row.downSince ?? world.now().toISOString()
  const statusReason = toJson(reason)
  const patch: Patch = { observed: 'down', containerState: 'unknown', applicationStatus: 'error', statusReason }
  await write(world, row, { ...patch, downSince, drift })
}

const wentDown = (since: string, cause: TaskReason | null): Outage => ({ reason: 'WentDown', since, cause })

/** It is down, and its status says more than since when. */
function isExplained({ downSince, statusReason }: Watched): boolean {
  if (downSince === null) return false
  const status = fromJson(statusReason)
  return status?.reason !== 'WentDown' || status.cause !== null
}

async function whyDown(world: World, row: Watched, downSince: string, task: FoundTask | null) {
  const cause = task === null ? null : taskReason(task)
  return toJson<StatusReason>(await explained(world, row, wentDown(downSince, cause), task))
}

/** With how the task's container ended. */
async function explained(world: World, { id }: Watched, outage: Outage, task: FoundTask | null): Promise<Outage> {
  const row = await world.db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || outage.cause === null) return outage
  const cause = await reported(world, outage.cause, task, openTarget(world.vault, 'target', row))
  return withoutSecrets(world.vault, { ...outage, cause }, row, await findHome(world.db, row))
}

/**
 * Says done only after a login. A server that takes none, be it that its credentials were changed inside or that it is
 * not reached over the network, is reported, left alone and tried again.
 */
async function noteBack(world: World, tries: Tries, row: Watched, task: FoundTask): Promise<Written> {
  const subject = await openSubject(world, row, task)
  if (subject === null) return 'written'
  const proof = await prove(world, subject)
  if (proof.is === 'replaced') {
    return (await halt(world, row, subject.volume, 'DataReplaced')) ? 'begun' : 'written'
  }
  if (proof.is === 'failed') {
    tries.failed(row.id, task.id)
    await noteUnproven(world, row, withoutSecrets(world.vault, proof.reason, subject.row, subject.volume))
  }
  if (proof.is === 'ready') {
    tries.succeeded(row.id)
    await noteProven(world, row, task.id)
  }
  return 'written'
}

const back: Patch = { observed: 'up', containerState: 'running', downSince: null, drift: noDrift }

async function noteUnproven(world: World, row: Watched, status: StatusReason) {
  const statusReason = toJson(status)
  if (row.observed === 'unproven' && row.statusReason === statusReason) return
  await write(world, row, { ...back, observed: 'unproven', applicationStatus: 'error', statusReason })
}

async function noteProven(world: World, row: Watched, provenTask: string) {
  // Nobody saw it down: that its container is another one changes nothing of what was said.
  if (row.observed === 'up') return write(world, row, { provenTask })
  const proven: Patch = { ...back, provenTask, applicationStatus: 'done' }
  if (row.downSince === null) return write(world, row, { ...proven, statusReason: null })
  const before = fromJson(row.statusReason)
  const cause = before ?? wentDown(row.downSince, null)
  const statusReason = toJson<StatusReason>({ reason: 'Recovered', cause })
  await write(world, row, { ...proven, statusReason }, restartOf(world, row, row.downSince, before))
}

/** A restart by the swarm, listed with the work that Berth began. */
interface Restart extends deployments.Start {
  startedAt: Date
}

function restartOf({ newId }: World, row: Watched, since: string, status: StatusReason | null): Restart {
  const subject = deployments.subjectOf('database', row)
  return { id: newId(), action: 'restart', subject, reason: status && workReason(status), startedAt: new Date(since) }
}

/** All that a probe of it takes; null where a call came in between. */
async function openSubject(world: World, seen: Watched, task: FoundTask) {
  const row = await unchangedRow(world.db, seen)
  if (row === undefined) return null
  const [target, home] = [openTarget(world.vault, 'target', row), await findHome(world.db, row)]
  if (target === null || home === null) return null
  const kind = kindNamed(row.kind)
  const volume = mountFor(world, home, target, kind)
  return { row, kind, target, volume, task, hasGateway: false, since: task.updatedAt, nowMs: world.now().getTime() }
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

async function write({ transact, now }: World, seen: Watched, patch: Patch, restart?: Restart) {
  await transact(async (tx) => {
    if ((await unchangedRow(tx, seen)) === undefined) return
    await tx.updateTable('database').set(patch).where('id', '=', seen.id).execute()
    if (restart !== undefined) await deployments.recordEnded(tx, restart, restart.startedAt, now())
  })
}
