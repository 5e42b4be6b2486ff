/**
 * The copy of a volume that Berth did not create to the volume of a new database. The database's own service makes the
 * copy: its container runs a program that copies the data, and is healthy when the copy is complete. Then the next step
 * of the same deployment starts the server on the copy. So a crash of Berth loses nothing, a call that stops or removes
 * the database ends the copy, and the copy is made on the node that has the volume. The original is mounted read-only.
 */
import type { CopyFailure, VolumeCopyReason } from '../../deployments/reason.ts'
import type { FoundTask, VolumeUse } from '../../engine/engine.ts'
import type { Mount, ServiceSpec } from '../../engine/spec.ts'
import type { Kind } from '../../kinds/kind.ts'
import { textFile } from '../../lib/text-file.ts'
import type { Runtime } from '../../runtime.ts'
import type { VolumeTable } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import { fail, type StepContext } from '../reconcile/fail.ts'
import { isEnded } from '../reconcile/task-health.ts'

const script = textFile('databases/adopt/copy-volume.sh')
const sourcePath = '/run/berth-source'
const copiedPath = '/tmp/.berth-copied'
/** Succeeds when the copy is complete. */
const health = ['sh', '-c', '[ -e "$1" ] || { sleep 1; exit 1; }', 'copy-volume', copiedPath]

/** What the exit codes of the program mean. */
const failures: Record<number, CopyFailure> = {
  3: 'noData',
  4: 'severalFolders',
  5: 'noSpace',
  6: 'changed',
  7: 'failed',
}

/** A volume to which another one still has to be copied. */
export type CopyingVolume = VolumeTable & { copyOf: string }

/** Whether another volume still has to be copied to this one. */
export const isCopying = (volume: VolumeTable | null): volume is CopyingVolume =>
  volume !== null && volume.copyOf !== null && volume.copiedAt === null

/** The specification of the service while its container makes the copy. */
export function copySpec({ hostname: _, ...usual }: ServiceSpec, kind: Kind, { copyOf }: CopyingVolume): ServiceSpec {
  const source: Mount = { type: 'volume', path: sourcePath, name: copyOf, sizeBytes: 0, labels: {}, isReadOnly: true }
  return {
    ...usual,
    env: {},
    command: ['sh', '-c', script, 'copy-volume'],
    args: [sourcePath, copiedPath, kind.dataFiles.folder, ...kind.dataFiles.names],
    mounts: [...usual.mounts, source],
    files: [],
    health,
    user: '0:0',
  }
}

/**
 * The names of the services and containers that use a volume, except those of the service that copies it. A service that
 * is scaled to zero does not count.
 */
export function usersOf({ services, containers }: VolumeUse, appName: string): string[] {
  const names = [
    ...services.filter(({ replicas }) => replicas > 0).map(({ name }) => name),
    ...containers.map(({ name, service }) => service?.name ?? name),
  ]
  return [...new Set(names)].filter((name) => name !== appName)
}

/**
 * Returns why the volume cannot be copied now, or null.
 *
 * @throws EngineFailure if the node does not answer
 */
export async function copyObstacle(
  { engine }: Pick<Runtime, 'engine'>,
  { copyOf, nodeId, nodeName: node }: CopyingVolume,
  appName: string,
): Promise<VolumeCopyReason | null> {
  const use = await engine.volumeUse(copyOf, nodeId)
  const reason = { reason: 'VolumeNotCopied' as const, volume: copyOf, node, users: [], detail: null }
  if (!use.exists) return { ...reason, failure: 'missing' }
  const users = usersOf(use, appName)
  return users.length === 0 ? null : { ...reason, failure: 'inUse', users }
}

/**
 * Ends the deployment if a container of this phase could not make the copy: a second attempt would take as long, and fail
 * as well. Returns whether the deployment has ended.
 *
 * @param tasks the tasks of the database's service, newest first
 */
export async function failCopy(
  runtime: Runtime,
  context: StepContext,
  volume: CopyingVolume,
  tasks: readonly FoundTask[],
): Promise<boolean> {
  const { row, deployment } = context.job
  const ended = tasks.filter((task) => task.serviceName === row.appName && isEnded(task) && task.exitCode !== null)
  const failed = ended.findLast(
    ({ exitCode, updatedAt }) => failures[exitCode!] !== undefined && updatedAt >= deployment.phaseAt,
  )
  if (failed === undefined) return false
  const { lastLines } = await runtime.engine.exitReport(failed)
  const { copyOf, nodeName: node } = volume
  const failure = failures[failed.exitCode!]!
  const detail = lastLines.at(-1) ?? null
  await fail(runtime, context, { reason: 'VolumeNotCopied', volume: copyOf, node, failure, users: [], detail })
  return true
}

/** Records that the copy is complete, unless something has used the original in the meantime. */
export async function finishCopy(runtime: Runtime, context: StepContext, volume: CopyingVolume): Promise<void> {
  const obstacle = await copyObstacle(runtime, volume, context.job.row.appName)
  if (obstacle !== null) return fail(runtime, context, obstacle)
  await runtime.transact((tx) => volumes.recordCopied(tx, volume.id, runtime.now()))
  runtime.wake('services')
}
