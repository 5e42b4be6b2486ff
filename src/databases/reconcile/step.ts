/**
 * One step for one database: observe, decide, act, record the outcome. Idempotent: if the outcome of an action was not
 * recorded, the next step observes that outcome.
 */
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../../deployments/engine-reason.ts'
import type { DatabaseWait, VolumeRemovalReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundNode, type FoundTask, type NamedService } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import { type Change, type Owner, ownershipOf } from '../../engine/plan.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { openTarget, resolvedImage, type Target } from '../targets.ts'
import { nodeUnavailableReason } from '../../cluster/availability.ts'
import { applyChanges } from './apply-changes.ts'
import { decide } from './decide.ts'
import { fail, failTask, failWithoutRollback, refuseImage, type StepContext } from './fail.ts'
import { remainingContainers } from './remaining-containers.ts'
import { findVolume, placeVolume, withMountPath } from './volume-placement.ts'
import { findElsewhere, type StartObstacle, startObstacle } from './data-identity.ts'
import { missingLocalImage, recordImage, resolve, startReason } from './image-resolution.ts'
import { recordAttemptedCredentials, prove } from './probe.ts'
import {
  recordSuccess,
  haltForDataFault,
  recordElsewhere,
  recordKept,
  recordRemovalDelay,
  type Job,
  recordRemoved,
  recordStopped,
  recordWait,
} from './outcome.ts'
import { gatewayName, specsOf } from './specs.ts'
import { findStrayDataBefore } from '../data-places.ts'
import { dropVolume } from '../../volumes/loop.ts'
import { volumeUseReason } from '../../volumes/users.ts'
import type { Runtime } from '../../runtime.ts'

/** Most containers stop within this time. */
const usualStopMs = 5000
/** After this time, a step records that containers have not stopped. Longer than `graceSeconds` in specs.ts. */
const maxStopMs = 120_000
/** How long transient refusals of the engine are retried before they end the deployment. */
const maxTransientMs = 180_000

/** The services and tasks of the databases that a turn steps. `nodes` queries the engine only on its first call. */
export interface Swarm {
  services: NamedService[]
  tasks: FoundTask[]
  nodes(): Promise<FoundNode[]>
}

/** The names of a database's services: the server and the gateway. */
export const namesOf = ({ appName, id }: Pick<Job['row'], 'appName' | 'id'>) => [appName, gatewayName(id)]

const ownerOf = ({ installationId }: Runtime, { id }: Job['row']): Owner => ({ installationId, databaseId: id })

/** The names of the database's services, except a name that the service of somebody else has now. */
function ownNames(runtime: Runtime, row: Job['row'], { services }: Swarm): string[] {
  const taken = services.filter((service) => ownershipOf(service, ownerOf(runtime, row)) !== 'own')
  return namesOf(row).filter((name) => !taken.some((service) => service.name === name))
}

/** Whether to retry after this engine failure instead of ending the deployment. */
export type ShouldRetry = (error: EngineFailure) => boolean

/**
 * Runs one step of a deployment and records its outcome.
 *
 * @param shouldRetry whether an engine failure is retried
 * @param signal aborts the resolution of an image, which can take long if a registry is slow
 * @throws EngineUnavailable
 */
export async function stepDatabase(
  runtime: Runtime,
  job: Job,
  swarm: Swarm,
  shouldRetry: ShouldRetry,
  signal: AbortSignal,
): Promise<void> {
  const kind = kindNamed(job.row.kind)
  const target = openTarget(runtime.vault, 'target', job.row)
  try {
    const recorded = await findVolume(runtime.db, job.row)
    const newer = await findElsewhere(runtime, job.row, recorded, swarm)
    if (newer !== null) return await recordElsewhere(runtime, job, newer)
    if (shouldRun(job) && typeof target?.image === 'string') {
      return await resolveTargetImage(runtime, { job, kind, target, volume: recorded }, swarm, signal)
    }
    const startFault = target !== null && shouldRun(job) ? startReason(kind, target) : null
    if (startFault !== null) {
      return await refuseImage(runtime, { job, kind, target, volume: recorded }, swarm.tasks, startFault)
    }
    const needsPlacement = recorded === null && shouldRun(job) && target !== null
    const placed = needsPlacement ? await placeVolume(runtime, job, target, kind) : recorded
    if (needsPlacement && placed === null) return
    if (placed !== null && 'reason' in placed) return await fail(runtime, { job, kind, target, volume: null }, placed)
    const volume = placed === null || target === null ? placed : withMountPath(runtime, placed, target, kind)
    await step(runtime, { job, kind, target, volume }, swarm)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    if (error.reason === 'nodeUnreachable' && job.row.goal === 'gone')
      return recordRemovalDelay(runtime, job, engineReason(error))
    // Another writer changed the object first, or the object is in use for a moment. The next turn tries again.
    if (isTransient(error) && job.readAtMs - Date.parse(job.deployment.phaseAt) < maxTransientMs) return
    if (job.row.goal === 'gone') return recordRemovalDelay(runtime, job, engineReason(error))
    if (shouldRetry(error)) return
    await fail(runtime, { job, kind, target, volume: null }, engineReason(error))
  }
}

/** Resolves the image before anything changes. The next turn continues with the resolved image. */
async function resolveTargetImage(
  runtime: Runtime,
  context: StepContext & { target: Target },
  swarm: Swarm,
  signal: AbortSignal,
): Promise<void> {
  const resolution = await resolve(runtime, context, signal)
  if (resolution.is === 'refused') return refuseImage(runtime, context, swarm.tasks, resolution.reason)
  return recordImage(runtime, context.job, context.target, resolution.image)
}

/** Whether the deployment should lead to a running server. */
const shouldRun = ({ row, deployment }: Job) => row.goal === 'up' && deployment.phase !== 'halt'

async function step(runtime: Runtime, context: StepContext, swarm: Swarm): Promise<void> {
  const { row, deployment } = context.job
  const names = namesOf(row)
  const existing = swarm.services.filter(({ name }) => names.includes(name))
  const tasks = swarm.tasks.filter(({ serviceName }) => names.includes(serviceName))
  const unavailable =
    shouldRun(context.job) && !isPlaced(row, tasks) ? nodeUnavailableReason(await swarm.nodes(), context.volume!) : null
  if (unavailable !== null) return failWithoutRollback(runtime, context.job, unavailable)
  const wanted = wantedOf(runtime, context, existing)
  const next = decide({
    owner: ownerOf(runtime, row),
    ...wanted,
    existing,
    tasks,
    shouldKeepServer: shouldKeepServer(runtime, context),
    since: Date.parse(deployment.phaseAt),
    now: context.job.readAtMs,
  })
  switch (next.do) {
    case 'change':
      return change(runtime, context, swarm, next.changes)
    case 'drain':
      return drain(runtime, context, swarm, wanted.database)
    case 'probe':
      return probe(runtime, context, next.database, next.hasGateway)
    case 'fail':
      return fail(runtime, context, next.reason)
    case 'failTask':
      return failTask(runtime, context, next)
    case 'wait':
      return
  }
}

/**
 * Whether a running server must not be changed. saveExternalPort and repairs never restart a proven server, even if
 * someone changed its service or this version of Berth would create the service differently.
 */
function shouldKeepServer({ vault }: Runtime, { job: { row, deployment }, target }: StepContext): boolean {
  if (deployment.action !== 'saveExternalPort' && deployment.action !== 'repair') return false
  const proven = openTarget(vault, 'lastGood', row)
  if (proven === null || target === null) return false
  return isDeepStrictEqual({ ...proven, externalPort: null }, { ...target, externalPort: null })
}

function wantedOf(runtime: Runtime, { job, kind, target, volume }: StepContext, existing: NamedService[]) {
  const { row } = job
  if (row.goal === 'gone' || target === null || volume === null) return { database: null, gateway: null }
  // If a service should be stopped but does not exist, it must not be created.
  if (!shouldRun(job) && !existing.some(({ name }) => name === row.appName)) return { database: null, gateway: null }
  const wanted = specsOf(row, target, volume, kind, runtime.config)
  return shouldRun(job) ? wanted : { database: { ...wanted.database, replicas: 0 as const }, gateway: null }
}

/** Does not start the container. If another server uses the volume, ends the deployment and changes no service. */
async function refuseStart(runtime: Runtime, job: Job, volume: VolumeTable, obstacle: StartObstacle): Promise<void> {
  if (obstacle.is === 'missing') return haltForDataFault(runtime, job, volume, 'VolumeMissing')
  if (obstacle.is === 'inUse') return failWithoutRollback(runtime, job, obstacle.reason)
  const { containers } = obstacle
  const sinceMs = job.readAtMs - Date.parse(job.deployment.phaseAt)
  if (sinceMs < usualStopMs) return
  if (sinceMs < maxStopMs) return recordWait(runtime, job, { reason: 'ContainersStopping', containers })
  const reason = volumeUseReason(volume.name, job.row.appName, { services: [], containers })
  if (reason !== null) return failWithoutRollback(runtime, job, reason)
}

/**
 * Applies the changes. Before they end the container of a server, checks that this deletes no data. Before they start a
 * container, checks that its volume has no other user, and that its volume and its image exist. Before a first start,
 * also records the credentials with which the server initializes the volume.
 */
async function change(runtime: Runtime, context: StepContext, swarm: Swarm, changes: Change[]): Promise<void> {
  const { job, target, volume } = context
  const stray = await findStrayDataBefore(runtime, context, swarm.tasks, changes)
  if (stray !== null) return recordKept(runtime, job, stray, openTarget(runtime.vault, 'lastGood', job.row))
  if (volume !== null && isContainerStart(job, changes)) {
    const obstacle = await startObstacle(runtime, volume, job.row.appName, job.row.id)
    if (obstacle !== null) return refuseStart(runtime, job, volume, obstacle)
    const image = target === null ? null : resolvedImage(target)
    const imageLoss = image === null ? null : await missingLocalImage(runtime, target!, image, volume)
    if (imageLoss !== null) return refuseImage(runtime, context, swarm.tasks, imageLoss)
  }
  if (target !== null && volume?.serverVersion === null) await recordAttemptedCredentials(runtime, volume, target)
  await applyChanges(runtime, changes)
}

/** Whether the changes start a container of the database. Docker would then create a missing volume. */
const isContainerStart = ({ row }: Job, changes: Change[]) =>
  changes.some(
    (change) =>
      (change.do === 'create' || change.do === 'update') &&
      change.spec.name === row.appName &&
      change.spec.replicas === 1,
  )

/**
 * If the last container has ended, removes the volume if requested, and ends the deployment. Otherwise a later step
 * does.
 */
async function drain(
  runtime: Runtime,
  context: StepContext,
  swarm: Swarm,
  stoppedSpec: ServiceSpec | null,
): Promise<void> {
  const { row } = context.job
  const remaining = await remainingContainers(runtime, ownNames(runtime, row, swarm), stoppedSpec)
  if (remaining.length > 0) return recordStopDelay(runtime, context, swarm, remaining)
  if (row.goal !== 'gone') return recordStopped(runtime, context.job)
  if (row.removeData === 0 || context.volume === null) return recordRemoved(runtime, context.job, null)
  return recordRemoved(runtime, context.job, await removeVolume(runtime, context.volume))
}

/** If containers take longer than usual to stop, records the reason. */
async function recordStopDelay(
  runtime: Runtime,
  { job, volume }: StepContext,
  swarm: Swarm,
  remaining: string[],
): Promise<void> {
  const sinceMs = job.readAtMs - Date.parse(job.deployment.phaseAt)
  if (volume === null || sinceMs < usualStopMs) return
  const unavailable = nodeUnavailableReason(await swarm.nodes(), volume)
  if (unavailable === null && sinceMs < maxStopMs) return
  const reason: DatabaseWait =
    unavailable === null
      ? { reason: 'ContainersStopping', containers: remaining }
      : { reason: 'StopUnconfirmed', cause: unavailable }
  return job.row.goal === 'gone' ? recordRemovalDelay(runtime, job, reason) : recordWait(runtime, job, reason)
}

/**
 * Removes the volume.
 *
 * @returns null if the volume was removed, or the reason why it was not
 * @throws EngineFailure if the failure is transient: a later turn then tries again
 */
async function removeVolume(runtime: Runtime, volume: VolumeTable): Promise<VolumeRemovalReason | null> {
  try {
    const reason = await dropVolume(runtime, volume)
    // The record of a volume whose node has left the swarm is deleted too.
    return reason?.reason === 'VolumeInUse' ? reason : null
  } catch (error) {
    if (!(error instanceof EngineFailure) || isTransient(error)) throw error
    return { reason: 'VolumeKept', volume: volume.name, detail: error.message }
  }
}

async function probe(runtime: Runtime, context: StepContext, task: FoundTask, hasGateway: boolean): Promise<void> {
  const { job, kind, target, volume } = context
  if (target === null || volume === null) throw new Error('A database without target or volume was probed')
  // The external port stays open until the container of its gateway has ended.
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
  if (proof.is === 'ready') return recordSuccess(runtime, job, target, task.id)
  if (proof.is === 'replaced') return haltForDataFault(runtime, job, volume, 'DataReplaced')
  if (proof.is === 'failed') return fail(runtime, context, proof.reason)
}

/** Whether the swarm has assigned a task of the database to a node. */
const isPlaced = ({ appName }: Job['row'], tasks: FoundTask[]) =>
  tasks.some((task) => task.serviceName === appName && task.desired === 'running' && task.nodeId !== null)
