/**
 * One step for one database: observe, decide, act, record the outcome. Idempotent: if the outcome of an action was not
 * recorded, the next step observes that outcome.
 */
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../../deployments/engine-reason.ts'
import { EngineFailure, type FoundNode, type FoundTask, type NamedService } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import { type Change, type Owner, ownershipOf } from '../../engine/plan.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { openTarget, resolvedImage, type Target } from '../targets.ts'
import { nodeUnavailableReason } from '../../cluster/availability.ts'
import { proveStart } from '../clearance/prove-start.ts'
import type { Starts } from '../clearance/starts.ts'
import { copyObstacle, copySpec, failCopy, finishCopy, isCopying } from '../adopt/copy-volume.ts'
import { decide, type Step } from './decide.ts'
import { fail, failTask, failWithoutRollback, refuseImage, type StepContext } from './fail.ts'
import { drain, maxStopMs, usualStopMs } from './drain.ts'
import { findVolume, placeVolume, withMountPath } from './volume-placement.ts'
import { findElsewhere, obstacleIn, type StartObstacle } from './data-identity.ts'
import { interruption, prepareFirstStart } from './first-start.ts'
import { missingLocalImage, recordImage, resolve, startReason } from './image-resolution.ts'
import { isInMaintenance, maintenanceSpec, proveAccount } from '../login/maintenance.ts'
import { prove } from './probe.ts'
import { recordAttemptedCredentials } from '../login/proof-record.ts'
import {
  recordSuccess,
  haltForDataFault,
  recordElsewhere,
  recordKept,
  recordRemovalDelay,
  type Job,
  recordWait,
} from './outcome.ts'
import { gatewayName, specsOf } from './specs.ts'
import { findStrayDataBefore } from '../data-places.ts'
import { startTarget } from '../login/start-secrets.ts'
import { maxStartMs } from './task-health.ts'
import * as volumes from '../../volumes/queries.ts'
import { volumeUseReason } from '../../volumes/users.ts'
import type { Runtime } from '../../runtime.ts'

/** The services and tasks of the databases that a turn steps. `nodes` queries the engine only on its first call. */
export interface Swarm {
  services: NamedService[]
  tasks: FoundTask[]
  starts: Starts
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
    const isRetried = shouldRetry(error)
    if (isRetried && isTransient(error)) return
    if (job.row.goal === 'gone') return recordRemovalDelay(runtime, job, engineReason(error))
    if (isRetried) return
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
  if (await haltInterrupted(runtime, context, tasks)) return
  if (isCopying(context.volume) && shouldRun(context.job) && (await failCopy(runtime, context, context.volume, tasks)))
    return
  const wanted = wantedOf(runtime, context, existing)
  const next = decide({
    owner: ownerOf(runtime, row),
    ...wanted,
    existing,
    tasks,
    shouldKeepServer: shouldKeepServer(runtime, context),
    since: Date.parse(deployment.phaseAt),
    now: context.job.readAtMs,
    maxStartMs: isCopying(context.volume) ? null : maxStartMs(row),
  })
  switch (next.do) {
    case 'change':
      return change(runtime, context, swarm, next.changes)
    case 'drain':
      return drain(runtime, context, ownNames(runtime, row, swarm), swarm.nodes, wanted.database)
    case 'probe':
      return probe(runtime, context, swarm.starts, next)
    case 'fail':
      return fail(runtime, context, next.reason)
    case 'failTask':
      return failTask(runtime, context, next)
    case 'wait':
      return
  }
}

/** Halts the database if a container has ended while it initialized the data. Returns whether the halt has begun. */
async function haltInterrupted(
  runtime: Runtime,
  { job, volume, target }: StepContext,
  tasks: FoundTask[],
): Promise<boolean> {
  if (!shouldRun(job) || volume === null) return false
  const own = tasks.filter(({ serviceName }) => serviceName === job.row.appName)
  const cause = await interruption(runtime, volume, own, target)
  if (cause === null) return false
  await haltForDataFault(runtime, job, volume, 'FirstStartInterrupted', cause)
  return true
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
  const { row, deployment } = job
  if (row.goal === 'gone' || target === null || volume === null) return { database: null, gateway: null }
  // If a service should be stopped but does not exist, it must not be created.
  if (!shouldRun(job) && !existing.some(({ name }) => name === row.appName)) return { database: null, gateway: null }
  const started = startTarget(runtime.vault, volume, target)
  const wanted = specsOf(row, started, volume, kind, runtime.config)
  if (isCopying(volume) && shouldRun(job)) return { database: copySpec(wanted.database, kind, volume), gateway: null }
  const database = maintenanceSpec(runtime, { deployment, kind, target: started, volume }, wanted.database)
  if (database !== null) return { ...wanted, database }
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
  const { job, kind, target, volume } = context
  const stray = await findStrayDataBefore(runtime, context, swarm.tasks, changes)
  if (stray !== null) return recordKept(runtime, job, stray, openTarget(runtime.vault, 'lastGood', job.row))
  if (volume !== null && isContainerStart(job, changes)) {
    const use = await runtime.engine.volumeUse(volume.name, volume.nodeId)
    const obstacle = obstacleIn(runtime, use, volume, job.row.appName, job.row.id)
    if (obstacle !== null) return refuseStart(runtime, job, volume, obstacle)
    if (isCopying(volume)) {
      const copyReason = await copyObstacle(runtime, volume, job.row.appName)
      if (copyReason !== null) return fail(runtime, context, copyReason)
    } else if (!(await prepareFirstStart(runtime, kind, volume, target, use.exists)))
      return haltForDataFault(runtime, job, volume, 'FirstStartInterrupted')
    const image = target === null ? null : resolvedImage(target)
    const imageLoss = image === null ? null : await missingLocalImage(runtime, target!, image, volume)
    if (imageLoss !== null) return refuseImage(runtime, context, swarm.tasks, imageLoss)
  }
  if (target !== null && volume?.serverVersion === null) await recordAttemptedCredentials(runtime, volume, target)
  // Conflicts are ignored, because decide.ts ends the deployment if there is one.
  await Promise.all(changes.map((change) => applyChange(runtime, change)))
}

function applyChange({ engine }: Runtime, change: Change): Promise<void> | undefined {
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

/** Whether the changes start a container of the database. Docker would then create a missing volume. */
const isContainerStart = ({ row }: Job, changes: Change[]) =>
  changes.some(
    (change) =>
      (change.do === 'create' || change.do === 'update') &&
      change.spec.name === row.appName &&
      change.spec.replicas === 1,
  )

async function probe(
  runtime: Runtime,
  context: StepContext,
  starts: Starts,
  { database: task, hasGateway }: Extract<Step, { do: 'probe' }>,
): Promise<void> {
  const { job, kind, target, volume } = context
  const { row, deployment } = job
  if (isCopying(volume)) return task.state === 'starting' ? undefined : finishCopy(runtime, context, volume)
  if (target === null || volume === null) throw new Error('A database without target or volume was probed')
  const isStarting = task.state === 'starting'
  const isProven = starts.isProven(row.id, task, deployment)
  const answersSinceMs = isStarting && !isProven ? starts.answersSince(row.id, task) : null
  if (isStarting && answersSinceMs === null) return
  // The health check succeeds only after the initialization: until then the images accept no connection over TCP.
  if (volume.initializingSince !== null) await runtime.transact((tx) => volumes.recordInitialized(tx, volume.id))
  // The external port stays open until the container of its gateway has ended.
  const isClosing = async () => !hasGateway && (await runtime.engine.liveContainers(gatewayName(row.id))).length > 0
  if (answersSinceMs === null && (await isClosing())) return
  const since = deployment.phaseAt
  const subject = { row, kind, target, volume, task, hasGateway, isProven, since, nowMs: job.readAtMs }
  const proof = isInMaintenance({ deployment, volume })
    ? await proveAccount(runtime, subject, answersSinceMs)
    : answersSinceMs === null
      ? await prove(runtime, subject)
      : await proveStart(runtime, subject, answersSinceMs)
  if (proof.is === 'replaced') return haltForDataFault(runtime, job, volume, 'DataReplaced')
  if (proof.is === 'failed') return fail(runtime, context, proof.reason)
  if (proof.is === 'waiting' || proof.is === 'regained') return
  if (answersSinceMs === null) return recordSuccess(runtime, job, target, task.id)
  starts.recordProof(row.id, task, deployment)
}

/** Whether the swarm has assigned a task of the database to a node. */
const isPlaced = ({ appName }: Job['row'], tasks: FoundTask[]) =>
  tasks.some((task) => task.serviceName === appName && task.desired === 'running' && task.nodeId !== null)
