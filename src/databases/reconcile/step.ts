/**
 * One step for one database: look, decide, do, write what came of it. Idempotent: whatever was done and not written
 * down is seen at the next look.
 */
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../../deployments/engine-reason.ts'
import type { DatabaseFailure, DatabaseWait, ImageReason, VolumeRemovalReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundNode, type FoundTask, type NamedService } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import type { Change } from '../../engine/plan.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { openTarget, resolvedImage, sameTarget, type Target } from '../targets.ts'
import { awayReason } from '../../cluster/availability.ts'
import { decide, type Step } from './decide.ts'
import { leftOf } from './remaining-containers.ts'
import { findPlacement, makeHome, mountFor } from './volume-placement.ts'
import { isMissing } from './data-identity.ts'
import { lostImage, noteImage, resolve } from './image-resolution.ts'
import { noteTried, prove } from './probe.ts'
import { reported, withoutSecrets } from './failure-text.ts'
import { isMending } from '../watch/repair.ts'
import {
  answered,
  failed,
  failureOf,
  haltFor,
  recordRemovalDelay,
  type Job,
  removed,
  stopped,
  turnTo,
  waits,
} from './outcome.ts'
import { gatewayName, specsOf } from './specs.ts'
import { dropVolume } from '../../volumes/loop.ts'
import type { Runtime } from '../../runtime.ts'

/** Most containers have ended by then. */
const usualEndMs = 5000
/** Longer than a container is given to end by itself. */
const maxEndMs = 120_000
/** For so long the engine's "not now" is taken for that. */
const passingMs = 180_000

/** All that one step works with. */
interface Case {
  job: Job
  kind: Kind
  target: Target | null
  volume: VolumeTable | null
}

/** What the swarm has of these names and of others. Nodes are asked for by whom they matter to, once for all. */
export interface Seen {
  found: NamedService[]
  tasks: FoundTask[]
  nodes(): Promise<FoundNode[]>
}

/** Of the services that are a database's. */
export const namesOf = ({ appName, id }: Pick<Job['row'], 'appName' | 'id'>) => [appName, gatewayName(id)]

/** Whether what the engine answered may be otherwise in a moment, and is no reason yet to end the work. */
export type MayPass = (error: EngineFailure) => boolean

/** `signal`: calls off what may take long. */
export async function advance(
  runtime: Runtime,
  job: Job,
  seen: Seen,
  mayPass: MayPass,
  signal: AbortSignal,
): Promise<void> {
  const kind = kindNamed(job.row.kind)
  const target = openTarget(runtime.vault, 'target', job.row)
  try {
    const found = await findPlacement(runtime.db, job.row)
    if (isUp(job) && typeof target?.image === 'string') {
      return await findImage(runtime, { job, kind, target, volume: found }, seen, signal)
    }
    const needsPlacement = found === null && isUp(job) && target !== null
    const home = needsPlacement ? await makeHome(runtime, job, target, kind) : found
    if (needsPlacement && home === null) return
    if (home !== null && 'reason' in home) return await fail(runtime, { job, kind, target, volume: null }, home)
    const volume = home === null || target === null ? home : mountFor(runtime, home, target, kind)
    await step(runtime, { job, kind, target, volume }, seen)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    if (error.reason === 'nodeUnreachable' && job.row.goal === 'gone')
      return recordRemovalDelay(runtime, job, engineReason(error))
    // Another writer was first, or the thing is in use for a moment: the next turn sees how it is.
    if (isTransient(error) && job.readAtMs - Date.parse(job.deployment.phaseAt) < passingMs) return
    if (job.row.goal === 'gone') return recordRemovalDelay(runtime, job, engineReason(error))
    if (mayPass(error)) return
    await fail(runtime, { job, kind, target, volume: null }, engineReason(error))
  }
}

/** Before anything changes. The next turn goes on with the image that was found. */
async function findImage(
  runtime: Runtime,
  it: Case & { target: Target },
  seen: Seen,
  signal: AbortSignal,
): Promise<void> {
  const resolution = await resolve(runtime, it, signal)
  if (resolution.is === 'refused') return refuse(runtime, it, seen, resolution.reason)
  return noteImage(runtime, it.job, it.target, resolution.image)
}

/** Nothing was changed. What runs is left; what does not stays down, and where Berth is mending it is tried again. */
async function refuse(runtime: Runtime, it: Case, { tasks }: Seen, reason: ImageReason): Promise<void> {
  const { row, deployment } = it.job
  const runs = tasks.some(({ serviceName, desired }) => serviceName === row.appName && desired === 'running')
  if (runs || deployment.phase !== 'apply' || isMending(deployment.action)) return fail(runtime, it, reason)
  const masked = withoutSecrets(runtime.vault, reason, row, it.volume)
  return turnTo(runtime, it.job, 'halt', masked, openTarget(runtime.vault, 'lastGood', row))
}

const isUp = ({ row, deployment }: Job) => row.goal === 'up' && deployment.phase !== 'halt'

async function step(runtime: Runtime, it: Case, seen: Seen): Promise<void> {
  const { row, deployment } = it.job
  const names = namesOf(row)
  const found = seen.found.filter(({ name }) => names.includes(name))
  const tasks = seen.tasks.filter(({ serviceName }) => names.includes(serviceName))
  const away = isUp(it.job) && !isPlaced(row, tasks) ? awayReason(await seen.nodes(), it.volume!) : null
  if (away !== null) return giveUp(runtime, it.job, away)
  const wanted = wantedOf(runtime, it, found)
  const next = decide({
    installationId: runtime.installationId,
    ...wanted,
    found,
    tasks,
    keepsServer: keepsServer(runtime, it),
    since: Date.parse(deployment.phaseAt),
    now: it.job.readAtMs,
  })
  switch (next.do) {
    case 'change':
      return change(runtime, it, seen, next.changes)
    case 'drain':
      return drain(runtime, it, seen, wanted.database)
    case 'probe':
      return probe(runtime, it, next.database, next.hasGateway)
    case 'fail':
      return fail(runtime, it, next.reason)
    case 'failTask':
      return failTask(runtime, it, next)
    case 'wait':
      return
  }
}

/**
 * Opening a port, or mending, never restarts a server that runs as it was proven: not for what someone changed on it,
 * nor for what this version of Berth would make otherwise.
 */
function keepsServer({ vault }: Runtime, { job: { row, deployment }, target }: Case): boolean {
  if (deployment.action !== 'saveExternalPort' && deployment.action !== 'repair') return false
  const proven = openTarget(vault, 'lastGood', row)
  if (proven === null || target === null) return false
  return isDeepStrictEqual({ ...proven, externalPort: null }, { ...target, externalPort: null })
}

function wantedOf(runtime: Runtime, { job, kind, target, volume }: Case, found: NamedService[]) {
  const { row } = job
  if (row.goal === 'gone' || target === null || volume === null) return { database: null, gateway: null }
  // What is stopped is not made for the sake of being stopped.
  if (!isUp(job) && !found.some(({ name }) => name === row.appName)) return { database: null, gateway: null }
  const wanted = specsOf(row, target, volume, kind, runtime.config)
  return isUp(job) ? wanted : { database: { ...wanted.database, replicas: 0 as const }, gateway: null }
}

/** A volume that nobody has logged in to may be empty still: then those hold that its server begins with. */
async function change(runtime: Runtime, it: Case, seen: Seen, changes: Change[]): Promise<void> {
  const { job, target, volume } = it
  if (volume !== null && starts(job, changes)) {
    if (await isMissing(runtime, volume)) return haltFor(runtime, job, volume, 'VolumeMissing')
    const image = target === null ? null : resolvedImage(target)
    const lost = image === null ? null : await lostImage(runtime, target!, image, volume)
    if (lost !== null) return refuse(runtime, it, seen, lost)
  }
  if (target !== null && volume?.serverVersion === null) await noteTried(runtime, volume, target)
  await apply(runtime, changes)
}

/** A container of the database itself, to which the engine would make a volume that is missing. */
const starts = ({ row }: Job, changes: Change[]) =>
  changes.some(
    (it) => (it.do === 'create' || it.do === 'update') && it.spec.name === row.appName && it.spec.replicas === 1,
  )

async function apply({ engine }: Runtime, changes: Change[]): Promise<void> {
  await Promise.all(changes.map((change) => carryOut(engine, change)))
}

function carryOut(engine: Runtime['engine'], change: Change): Promise<void> | undefined {
  switch (change.do) {
    case 'create':
      return engine.createService(change.spec)
    case 'update':
      return engine.updateService(change.spec)
    case 'remove':
      return engine.removeService(change.name)
    case 'conflict':
      return undefined
  }
}

/** Waits for the last container; then the work is done. */
async function drain(runtime: Runtime, it: Case, seen: Seen, emptied: ServiceSpec | null): Promise<void> {
  const { row } = it.job
  const left = await leftOf(runtime, namesOf(row), emptied)
  if (left.length > 0) return sayWhyLeft(runtime, it, seen, left)
  if (row.goal !== 'gone') return stopped(runtime, it.job)
  if (row.removeData === 0 || it.volume === null) return removed(runtime, it.job, null)
  return removed(runtime, it.job, await removeVolume(runtime, it.volume))
}

/** Of what takes longer than usual. */
async function sayWhyLeft(runtime: Runtime, { job, volume }: Case, seen: Seen, left: string[]): Promise<void> {
  const sinceMs = job.readAtMs - Date.parse(job.deployment.phaseAt)
  if (volume === null || sinceMs < usualEndMs) return
  const away = awayReason(await seen.nodes(), volume)
  if (away === null && sinceMs < maxEndMs) return
  const reason: DatabaseWait =
    away === null ? { reason: 'ContainersStopping', containers: left } : { reason: 'StopUnconfirmed', cause: away }
  return job.row.goal === 'gone' ? recordRemovalDelay(runtime, job, reason) : waits(runtime, job, reason)
}

/** Gives why it could not be; null when it is gone. What is in use for a moment is for another turn. */
async function removeVolume(runtime: Runtime, volume: VolumeTable): Promise<VolumeRemovalReason | null> {
  try {
    await dropVolume(runtime, volume)
    return null
  } catch (error) {
    if (!(error instanceof EngineFailure) || isTransient(error)) throw error
    return { reason: 'VolumeKept', volume: volume.name, detail: error.message }
  }
}

async function probe(runtime: Runtime, it: Case, task: FoundTask, hasGateway: boolean): Promise<void> {
  const { job, kind, target, volume } = it
  if (target === null || volume === null) throw new Error('A database without target or volume was probed')
  // A port that is to be closed stays open until its gateway's container has ended.
  if (!hasGateway && (await runtime.engine.liveContainers(gatewayName(job.row.id))).length > 0) return
  const proof = await prove(runtime, {
    row: job.row,
    kind,
    target,
    volume,
    task,
    hasGateway,
    since: job.deployment.phaseAt,
    nowMs: job.readAtMs,
  })
  if (proof.is === 'ready') return answered(runtime, job, target, task.id)
  if (proof.is === 'replaced') return haltFor(runtime, job, volume, 'DataReplaced')
  if (proof.is === 'failed') return fail(runtime, it, proof.reason)
}

/** The swarm has found a node for its container, or is about to end one that had. */
const isPlaced = ({ appName }: Job['row'], tasks: FoundTask[]) =>
  tasks.some((task) => task.serviceName === appName && task.desired === 'running' && task.nodeId !== null)

/** Another target would fare no better. */
async function giveUp(runtime: Runtime, job: Job, reason: DatabaseFailure): Promise<void> {
  const isFirst = job.deployment.phase === 'apply'
  return failed(runtime, job, isFirst ? reason : { reason: 'RollbackFailed', cause: failureOf(job), failure: reason })
}

/** A task that failed, with how its container ended. */
async function failTask(
  runtime: Runtime,
  it: Case,
  { of, cause, task }: Extract<Step, { do: 'failTask' }>,
): Promise<void> {
  const reason = await reported(runtime, cause, task, it.target)
  return fail(runtime, it, of === 'server' ? reason : { reason: 'ExternalPortFailed', cause: reason })
}

/** Back to the last good target; halted where there is none; and where that fails too, it is left and said. */
async function fail(runtime: Runtime, it: Case, reason: DatabaseFailure): Promise<void> {
  const { job, target } = it
  const masked = withoutSecrets(runtime.vault, reason, job.row, it.volume)
  const { phase } = job.deployment
  if (phase !== 'apply') return giveUp(runtime, job, masked)
  if (job.row.goal !== 'up') return failed(runtime, job, masked)
  const lastGood = openTarget(runtime.vault, 'lastGood', job.row)
  if (lastGood === null) return turnTo(runtime, job, 'halt', masked, null)
  if (target !== null && sameTarget(lastGood, target)) return failed(runtime, job, masked)
  return turnTo(runtime, job, 'rollback', masked, lastGood)
}
