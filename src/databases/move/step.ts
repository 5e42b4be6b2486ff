/**
 * One step of a database's move to another node, from the store and the engine alone. Until the transaction in `turn`
 * its data is on the old volume, and whatever fails leads back to that; from then on it is on the new one, and what is
 * left to do is a start like any other. Two servers never run on one volume.
 */
import type { StatusReason } from '../status.ts'
import { engineReason } from '../../deployments/engine-reason.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DatabaseFailure, NodeReason } from '../../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type NamedService } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import { roleLabel } from '../../engine/labels.ts'
import { type PlacementReason, usableNodes } from '../../engine/placement.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { kindNamed } from '../../kinds/index.ts'
import { toJson } from '../../lib/json.ts'
import type { MoveStep, MoveTable } from './table.ts'
import { deleteMove, setMoveStep, setMoveVolume } from './queries.ts'
import { leavingNodes } from '../../cluster/queries.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { openTarget, sealSettings, sealTried, settingsOfVolume, type Target, triedOn } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { MayPass } from '../reconcile/step.ts'
import { awayReason, type Place } from '../../cluster/availability.ts'
import { leftOf } from '../reconcile/remaining-containers.ts'
import { findPlacement, pathFor } from '../reconcile/volume-placement.ts'
import { dataReason, isMissing } from '../reconcile/data-identity.ts'
import { make } from '../../gateways/ensure-service.ts'
import { withoutSecrets } from '../reconcile/failure-text.ts'
import { ifPresent, type Job } from '../reconcile/outcome.ts'
import { databaseSpec, gatewayName } from '../reconcile/specs.ts'
import type { Runtime } from '../../runtime.ts'

/** What a step of a move is done with. */
export interface Moving {
  job: Job
  move: MoveTable
  target: Target
  from: VolumeTable
  to: VolumeTable
}

/** Copies in its own time what no step could wait for. */
export interface Copier {
  /** Begins, unless it is under way; writes into the store how it ended. */
  see(it: Moving): void
  /** Ends it where it is under way. */
  leave(deploymentId: string): Promise<void>
  /** Ends all. */
  stop(): Promise<void>
}

export type Side = 'source' | 'target'

/** The servers that are copied from and to: no client knows these names. */
export const scratchName = (move: Pick<MoveTable, 'deploymentId'>, side: Side) => `berth-${side}-${move.deploymentId}`

/** Whatever fails in it never ends the work where it is: it leads back, and the way back is tried until it is done. */
export async function advanceMove(
  runtime: Runtime,
  copier: Copier,
  job: Job,
  move: MoveTable,
  mayPass: MayPass,
): Promise<void> {
  try {
    await step(runtime, copier, job, move)
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    const isRefused = error instanceof EngineFailure
    const isPassing = isRefused && (isTransient(error) || mayPass(error))
    runtime.log.error('a step of a move failed', error, { databaseId: job.row.id, step: move.step })
    if (isPassing || move.step === 'back') return
    const from = await findPlacement(runtime.db, job.row)
    const reason: DatabaseFailure = isRefused
      ? engineReason(error)
      : { reason: 'InternalError', deploymentId: move.deploymentId }
    await turnBack(runtime, { job, move, from: from! }, reason)
  }
}

async function step(runtime: Runtime, copier: Copier, job: Job, move: MoveTable): Promise<void> {
  const { row } = job
  const target = openTarget(runtime.vault, 'target', row)!
  const from = await runtime.db
    .selectFrom('volume')
    .selectAll()
    .where('id', '=', row.volumeId!)
    .executeTakeFirstOrThrow()
  const to =
    (await runtime.db
      .selectFrom('volume')
      .selectAll()
      .where('id', '=', move.volumeId ?? '')
      .executeTakeFirst()) ?? (move.step === 'back' ? null : await recordVolume(runtime, job, move, from, target))
  const names = [row.appName, gatewayName(row.id), scratchName(move, 'source'), scratchName(move, 'target')]
  const found = await runtime.engine.servicesNamed(names)
  if (move.step === 'back' || to === null) return goBack(runtime, copier, { job, move, from, to }, found)
  const it = { job, move, target, from, to }
  const away = await awayOf(runtime, it)
  if (away !== null) return turnBack(runtime, it, away)
  switch (move.step) {
    case 'prepare':
      return runThen(runtime, copier, it, ['target'], found)
    case 'stop':
      return stop(runtime, it, found)
    case 'copy':
      return runThen(runtime, copier, it, ['source', 'target'], found)
    case 'clear':
      return clear(runtime, it, found)
  }
}

/** Recorded before it is made: what a crash leaves is known. Null where the node is leaving the swarm by now. */
async function recordVolume(
  runtime: Runtime,
  job: Job,
  move: MoveTable,
  from: VolumeTable,
  target: Target,
): Promise<VolumeTable | null> {
  const kind = kindNamed(job.row.kind)
  const id = runtime.newId()
  const { kind: kindName, ownerKind, ownerId, appName, dockerImage, serverVersion } = from
  const given = {
    kind: kindName,
    ownerKind,
    ownerId,
    appName,
    dockerImage,
    serverVersion,
    dataPath: pathFor(runtime, target, kind),
    nodeId: move.nodeId,
    nodeName: move.nodeName,
    nodeAddress: move.nodeAddress,
    ...sealSettings(runtime.vault, 'volume', id, settingsOfVolume(runtime.vault, from), kind.secrets),
    tried: from.tried === null ? null : sealTried(runtime.vault, id, triedOn(runtime.vault, from)),
  }
  const volume = volumes.newVolume(id, given, runtime.now())
  const isRecorded = await runtime.transact(async (tx) => {
    if ((await leavingNodes(tx)).has(move.nodeId)) return false
    await volumes.insert(tx, volume)
    await setMoveVolume(tx, job.row.id, id)
    return true
  })
  if (isRecorded) return volume
  await turnBack(runtime, { job, move, from }, { reason: 'NodeLeaving', node: move.nodeName })
  return null
}

/** Before the database is stopped both nodes have to take containers: there is a way on, and one back. */
async function awayOf(
  { engine }: Runtime,
  { move, from, to }: Pick<Moving, 'move' | 'from' | 'to'>,
): Promise<NodeReason | PlacementReason | null> {
  const nodes = await engine.nodes()
  const away = awayReason(nodes, from) ?? awayReason(nodes, to)
  if (away !== null || move.step !== 'prepare') return away
  const unfit = [from, to].map(({ nodeId }) => usableNodes(nodes, { node: nodeId, nodeLabel: null }))
  return unfit.find((it) => 'reason' in it) ?? null
}

/** The specification that the database has there, under another name; nothing in it runs or expires by itself. */
export function scratchSpec({ config }: Runtime, it: Moving, side: Side): ServiceSpec {
  const {
    job: { row },
    target,
    from,
    to,
  } = it
  const kind = kindNamed(row.kind)
  const command = [target.command ?? '', ...(kind.backup?.still ?? [])].join(' ')
  const spec = databaseSpec(row, { ...target, command }, side === 'source' ? from : to, kind, config.imageAliases, 1)
  return { ...spec, name: scratchName(it.move, side), labels: { ...spec.labels, [roleLabel]: 'move' } }
}

/** The servers are there; then the copier is at work, and tells the store when it has ended. */
async function runThen(runtime: Runtime, copier: Copier, it: Moving, sides: Side[], found: NamedService[]) {
  const source = scratchName(it.move, 'source')
  const isMade = found.some(({ name }) => name === source)
  if (sides.includes('source') && !isMade && (await isMissing(runtime, it.from))) {
    return turnBack(runtime, it, dataReason('VolumeMissing', it.from))
  }
  const makings = await Promise.all(
    sides.map((side) => make(runtime, scratchName(it.move, side), scratchSpec(runtime, it, side), found)),
  )
  const failed = makings.find((making) => making?.is === 'failed')
  if (failed?.is === 'failed') return turnBack(runtime, it, failed.reason)
  if (makings.every((making) => making === null)) copier.see(it)
}

async function stop(runtime: Runtime, it: Moving, found: NamedService[]): Promise<void> {
  const {
    job: { row },
    target,
    from,
  } = it
  const kind = kindNamed(row.kind)
  const spec = databaseSpec(row, target, from, kind, runtime.config.imageAliases, 0)
  const makings = [await make(runtime, row.appName, spec, found), await make(runtime, gatewayName(row.id), null, found)]
  const failed = makings.find((making) => making?.is === 'failed')
  if (failed?.is === 'failed') return turnBack(runtime, it, failed.reason)
  if (makings.some((making) => making !== null)) return
  if ((await leftOf(runtime, [row.appName, gatewayName(row.id)], spec)).length > 0) return
  await goOn(runtime, it, 'copy')
}

/** Gives whether nothing of them is left, nor of the jobs of a Berth before. */
async function end(runtime: Runtime, move: MoveTable, sides: Side[], found: NamedService[]): Promise<boolean> {
  const names = sides.map((side) => scratchName(move, side))
  const jobs = (await runtime.engine.listJobs()).filter(({ recordId }) => recordId === move.deploymentId)
  await Promise.all(jobs.map(({ name }) => runtime.engine.removeJob(name)))
  const makings = await Promise.all(names.map((name) => make(runtime, name, null, found)))
  return makings.every((making) => making === null) && (await leftOf(runtime, names, null)).length === 0
}

async function clear(runtime: Runtime, it: Moving, found: NamedService[]): Promise<void> {
  if (!(await end(runtime, it.move, ['source', 'target'], found))) return
  await turn(runtime, it)
}

/**
 * From here on the data is on the new volume. The old one is kept as it was when the database was stopped. Where the
 * volume was to be made was said of the old one.
 */
async function turn(runtime: Runtime, { job, move, from, to }: Moving): Promise<void> {
  const { row, deployment } = job
  await ifPresent(runtime, job, async (tx) => {
    await tx
      .updateTable('database')
      .set({ volumeId: to.id, node: null, nodeLabel: null })
      .where('id', '=', row.id)
      .execute()
    await volumes.keep(tx, from.id, runtime.now())
    await deployments.restartPhase(tx, deployment.id, null, runtime.now())
    await deleteMove(tx, row.id)
  })
  runtime.log.info('a database has moved', { databaseId: row.id, from: from.nodeName, to: move.nodeName })
}

export async function goOn(
  runtime: Runtime,
  { job, move }: Pick<Moving, 'job' | 'move'>,
  step: MoveStep,
): Promise<void> {
  await ifPresent(runtime, job, async (tx) => {
    await setMoveStep(tx, move, step)
    if (step !== 'stop') return
    const statusReason = toJson<StatusReason>({ reason: 'Moving', node: move.nodeName })
    await tx
      .updateTable('database')
      .set({ observed: 'unknown', containerState: null, statusReason })
      .where('id', '=', job.row.id)
      .execute()
  })
}

/** The reason is the deployment's from now on. */
export async function turnBack(
  runtime: Runtime,
  { job, move, from }: Pick<Moving, 'job' | 'move' | 'from'>,
  cause: DatabaseFailure,
): Promise<void> {
  const reason: DatabaseFailure = { reason: 'MoveFailed', node: move.nodeName, cause }
  const masked = withoutSecrets(runtime.vault, reason, job.row, from)
  await ifPresent(runtime, job, async (tx) => {
    if (!(await setMoveStep(tx, move, 'back'))) return
    await deployments.recordReason(tx, job.deployment.id, masked)
  })
}

interface GoingBack extends Pick<Moving, 'job' | 'move' | 'from'> {
  to: VolumeTable | null
}

/**
 * The old volume is free before its database starts on it. The fresh one goes by itself: where its node is away, that
 * takes until the node is back.
 */
async function goBack(runtime: Runtime, copier: Copier, it: GoingBack, found: NamedService[]): Promise<void> {
  const { job, move, to } = it
  if (move.step !== 'back') return
  await copier.leave(move.deploymentId)
  const sourceHasEnded = await end(runtime, move, ['source'], found)
  const targetHasEnded = await end(runtime, move, ['target'], found)
  if (!sourceHasEnded || (!targetHasEnded && !(await isAway(runtime, move)))) return
  await ifPresent(runtime, job, async (tx) => {
    const now = runtime.now()
    if (to !== null) {
      await volumes.keep(tx, to.id, now)
      await volumes.beginRemoval(tx, to, runtime.newId(), now)
    }
    await deployments.enterPhase(tx, job.deployment.id, 'rollback', undefined, now)
    await deleteMove(tx, job.row.id)
  })
  runtime.wake('volumes')
}

async function isAway({ engine }: Runtime, place: Place): Promise<boolean> {
  return awayReason(await engine.nodes(), place) !== null
}
