/**
 * Records the observation of a database and begins repairs. Only changes are written, and nothing is written if a
 * deployment has begun or ended since the database was read.
 */
import { type Drift, noDrift, type StatusReason, workReason } from '../status.ts'
import * as deployments from '../../deployments/queries.ts'
import type { ElsewhereReason, NameReason, NodeReason, Outage, TaskReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { openTarget } from '../targets.ts'
import { unchangedRow, type Watched } from './queries.ts'
import type { FoundDrift } from './drift.ts'
import { findVolume, withMountPath } from '../reconcile/volume-placement.ts'
import { isDataReplaced } from '../reconcile/data-identity.ts'
import { observe, type Observation } from './observation.ts'
import { isUnreachable, prove } from '../reconcile/probe.ts'
import { addExitReport, withoutSecrets } from '../reconcile/failure-text.ts'
import { halt, recreateGateway, repair, restart } from './repair.ts'
import { proveStart } from '../clearance/prove-start.ts'
import { secondsOfAnswers } from '../clearance/starts.ts'
import type { LoginBackoff } from './login-backoff.ts'
import { taskReason } from '../reconcile/task-health.ts'
import type { Runtime } from '../../runtime.ts'

/** Most servers with a clearance are healthy within this time. They are not asked. */
const usualStartMs = 10_000

/**
 * Whether the database runs and the observation contains nothing new, so that `recordObservation` would write nothing.
 */
export function isAsKnown(row: Watched, tasks: FoundTask[], { remedy, drift }: FoundDrift, now: number): boolean {
  if (remedy !== 'none' || !tasks.some((task) => task.state === 'running')) return false
  return observe(row, tasks, now).is === 'same' && toJson(drift) === row.drift
}

/**
 * Records an observation, or begins a repair or a halt. While changes are held back, only the observation is recorded,
 * and no login is tried, because a login can change credentials.
 *
 * @param tasks the tasks of the database's service with the desired state `running`
 * @returns whether a deployment has begun. The services loop must then be woken
 */
export async function recordObservation(
  runtime: Runtime,
  loginBackoff: LoginBackoff,
  row: Watched,
  tasks: FoundTask[],
  foundDrift: FoundDrift,
): Promise<boolean> {
  const isClosed = runtime.gate.reason() !== null
  const startingTask = tasks.find((task) => task.state === 'starting')
  if (!isClosed && startingTask !== undefined) {
    if (startingTask.id !== row.provenTask && (await haltReplaced(runtime, row, startingTask))) return true
    if (await clearStart(runtime, loginBackoff, row, startingTask)) return true
  }
  if (!isClosed && foundDrift.remedy !== 'none' && (await beginRepair(runtime, row, tasks, foundDrift))) return true
  const isHealthy = tasks.some((task) => task.state === 'running')
  const observation = observe(
    row,
    isHealthy ? tasks : await runtime.engine.tasks([row.appName]),
    runtime.now().getTime(),
  )
  const drift = toJson(foundDrift.drift)
  const isNew =
    observation.is !== 'same' &&
    !(isClosed && observation.is === 'needsLogin') &&
    (observation.is !== 'needsLogin' || row.observed !== 'unproven' || loginBackoff.isDue(row.id, observation.task.id))
  if (isNew) return recordChange(runtime, loginBackoff, row, observation, drift)
  if (drift !== row.drift) await write(runtime, row, { drift })
  return false
}

/**
 * Halts a server that starts on other data than its volume had. The check runs during the start, so that a server that
 * initializes new data is stopped early. If the data is the same as before, records the task as proven. Does nothing if
 * the volume has no recorded mark.
 *
 * @returns whether a halt has begun
 */
async function haltReplaced(runtime: Runtime, row: Watched, task: FoundTask): Promise<boolean> {
  const subject = await readProbeSubject(runtime, row, task)
  if (subject === null || subject.volume.identity === null) return false
  try {
    if (await isDataReplaced(runtime, subject.volume, task)) return halt(runtime, row, subject.volume, 'DataReplaced')
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    // The container may have ended, or its node is slow. The next turn tries again.
    return false
  }
  await write(runtime, row, { provenTask: task.id })
  return false
}

/**
 * Proves a server that waits for its clearance, so that clients can reach it. Only a server whose volume has lost the
 * clearance, or whose last deployment failed, waits for it without a deployment.
 *
 * @returns whether a halt has begun
 */
async function clearStart(
  runtime: Runtime,
  loginBackoff: LoginBackoff,
  row: Watched,
  task: FoundTask,
): Promise<boolean> {
  const startingMs = runtime.now().getTime() - Date.parse(task.updatedAt)
  if (startingMs < usualStartMs || !loginBackoff.isDue(row.id, task.id)) return false
  const seconds = await secondsOfAnswers(runtime, task, 0)
  const subject = seconds === null ? null : await readProbeSubject(runtime, row, task)
  const answersSinceMs = runtime.now().getTime() - (seconds ?? 0) * 1000
  const proof = subject === null ? null : await proveStart(runtime, subject, answersSinceMs)
  if (proof?.is === 'replaced') return halt(runtime, row, subject!.volume, 'DataReplaced')
  if (proof?.is === 'ready') loginBackoff.succeeded(row.id)
  else loginBackoff.failed(row.id, task.id)
  return false
}

/** Begins the repair for this drift. Returns whether it has begun. */
async function beginRepair(
  runtime: Runtime,
  row: Watched,
  tasks: FoundTask[],
  { remedy, drift }: FoundDrift,
): Promise<boolean> {
  if (remedy === 'repair') return repair(runtime, row, drift)
  if (remedy === 'recreateGateway') return recreateGateway(runtime, row, drift)
  // The remedy is `reattach`.
  const task = tasks.find(({ state }) => state === 'running')
  const subject = task === undefined ? null : await readProbeSubject(runtime, row, task)
  // If the server accepts a login over the network, it is connected, even if the engine reports otherwise.
  if (subject === null || !(await isUnreachable(runtime, subject))) return false
  return restart(runtime, row, drift)
}

/** Records a changed state. Returns whether a halt has begun. */
async function recordChange(
  runtime: Runtime,
  loginBackoff: LoginBackoff,
  row: Watched,
  observation: Exclude<Observation, { is: 'same' }>,
  drift: Watched['drift'],
): Promise<boolean> {
  if (observation.is === 'needsLogin') return proveRecovery(runtime, loginBackoff, row, observation.task)
  const downSince = row.downSince ?? runtime.now().toISOString()
  const { containerState } = observation
  if (observation.is === 'stillDown') {
    const statusReason = toJson<StatusReason>(await withExitReport(runtime, row, observation.status, observation.task))
    const down: Patch = { observed: 'down', applicationStatus: 'error', statusReason }
    await write(runtime, row, { ...down, containerState, downSince, drift })
    return false
  }
  const observed = row.observed === 'down' ? 'down' : 'starting'
  const statusReason = hasCause(row) ? row.statusReason : await outageStatus(runtime, row, downSince, observation.task)
  await write(runtime, row, { observed, containerState, downSince, statusReason, drift })
  return false
}

/** Records that the database's node is unavailable. No repair begins until the node returns. */
export async function recordNodeUnavailable(runtime: Runtime, row: Watched, reason: NodeReason): Promise<void> {
  const drift = toJson<readonly Drift[]>([reason])
  if (row.drift === drift) return
  const downSince = row.downSince ?? runtime.now().toISOString()
  const statusReason = toJson(reason)
  const patch: Patch = { observed: 'down', containerState: 'unknown', applicationStatus: 'error', statusReason }
  await write(runtime, row, { ...patch, downSince, drift })
}

/**
 * Records that Berth leaves the service with the database's name as it is. If the service is the database's own, then
 * the database may run.
 */
export async function recordLeftAlone(
  runtime: Runtime,
  row: Watched,
  reason: NameReason | ElsewhereReason,
): Promise<void> {
  const drift = toJson<readonly Drift[]>([reason])
  const observed = reason.reason === 'PlacedElsewhere' ? 'unknown' : 'down'
  if (row.drift === drift && row.observed === observed && row.applicationStatus === 'error') return
  const downSince = observed === 'down' ? (row.downSince ?? runtime.now().toISOString()) : null
  const patch: Patch = { observed, containerState: 'unknown', applicationStatus: 'error', downSince, drift }
  await write(runtime, row, { ...patch, statusReason: toJson<StatusReason>(reason) })
  runtime.log.warn('a service is left alone', { databaseId: row.id, reason })
}

const outageSince = (since: string, cause: TaskReason | null): Outage => ({ reason: 'WentDown', since, cause })

/** Whether the database is down and its status must stay: only a `WentDown` without a cause is replaced. */
function hasCause({ downSince, statusReason }: Watched): boolean {
  if (downSince === null) return false
  const status = fromJson(statusReason)
  return status?.reason !== 'WentDown' || status.cause !== null
}

async function outageStatus(runtime: Runtime, row: Watched, downSince: string, task: FoundTask | null) {
  const cause = task === null ? null : taskReason(task)
  return toJson<StatusReason>(await withExitReport(runtime, row, outageSince(downSince, cause), task))
}

/** The outage, with the exit report of the task's container in its cause, and with masked passwords. */
async function withExitReport(
  runtime: Runtime,
  { id }: Watched,
  outage: Outage,
  task: FoundTask | null,
): Promise<Outage> {
  const row = await runtime.db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || outage.cause === null) return outage
  const cause = await addExitReport(
    runtime,
    outage.cause,
    task,
    openTarget(runtime.vault, 'target', row),
    kindNamed(row.kind),
  )
  return withoutSecrets(runtime.vault, { ...outage, cause }, row, await findVolume(runtime.db, row))
}

/**
 * Logs in to a server that runs again, and records `done` only after a successful login. If the login fails, because
 * the credentials were changed or the server is unreachable, this records the reason; a later turn tries again. If the
 * server runs on other data, begins a halt.
 *
 * @returns whether a halt has begun
 */
async function proveRecovery(
  runtime: Runtime,
  loginBackoff: LoginBackoff,
  row: Watched,
  task: FoundTask,
): Promise<boolean> {
  const subject = await readProbeSubject(runtime, row, task)
  if (subject === null) return false
  const proof = await prove(runtime, subject)
  if (proof.is === 'replaced') return halt(runtime, row, subject.volume, 'DataReplaced')
  if (proof.is === 'failed') {
    loginBackoff.failed(row.id, task.id)
    await recordUnproven(runtime, row, withoutSecrets(runtime.vault, proof.reason, subject.row, subject.volume))
  }
  if (proof.is === 'ready') {
    loginBackoff.succeeded(row.id)
    await recordProven(runtime, row, task.id)
  }
  return false
}

const upAgain: Patch = { observed: 'up', containerState: 'running', downSince: null, drift: noDrift }

async function recordUnproven(runtime: Runtime, row: Watched, status: StatusReason) {
  const statusReason = toJson(status)
  if (row.observed === 'unproven' && row.statusReason === statusReason) return
  await write(runtime, row, { ...upAgain, observed: 'unproven', applicationStatus: 'error', statusReason })
}

async function recordProven(runtime: Runtime, row: Watched, provenTask: string) {
  // Berth did not observe an outage. Only the container is new, so the status stays.
  if (row.observed === 'up') return write(runtime, row, { provenTask })
  const proven: Patch = { ...upAgain, provenTask, applicationStatus: 'done' }
  if (row.downSince === null) return write(runtime, row, { ...proven, statusReason: null })
  const previous = fromJson(row.statusReason)
  const cause = previous ?? outageSince(row.downSince, null)
  const statusReason = toJson<StatusReason>({ reason: 'Recovered', cause })
  await write(runtime, row, { ...proven, statusReason }, restartOf(runtime, row, row.downSince, previous))
}

/** A restart by Swarm. It is recorded as an ended deployment. */
interface Restart extends deployments.Start {
  startedAt: Date
}

function restartOf({ newId }: Runtime, row: Watched, since: string, status: StatusReason | null): Restart {
  const subject = deployments.subjectOf('database', row)
  return { id: newId(), action: 'restart', subject, reason: status && workReason(status), startedAt: new Date(since) }
}

/** The subject of a login probe; null if a deployment has begun or ended since the database was read. */
async function readProbeSubject(runtime: Runtime, watched: Watched, task: FoundTask) {
  const row = await unchangedRow(runtime.db, watched)
  if (row === undefined) return null
  const [target, placed] = [openTarget(runtime.vault, 'target', row), await findVolume(runtime.db, row)]
  if (target === null || placed === null) return null
  const kind = kindNamed(row.kind)
  const volume = withMountPath(runtime, placed, target, kind)
  return { row, kind, target, volume, task, hasGateway: false, since: task.updatedAt, nowMs: runtime.now().getTime() }
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

async function write({ transact, now }: Runtime, watched: Watched, patch: Patch, restart?: Restart) {
  await transact(async (tx) => {
    if ((await unchangedRow(tx, watched)) === undefined) return
    await tx.updateTable('database').set(patch).where('id', '=', watched.id).execute()
    if (restart !== undefined) await deployments.recordEnded(tx, restart, restart.startedAt, now())
  })
}
