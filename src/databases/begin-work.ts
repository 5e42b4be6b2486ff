/**
 * Begins deployments of databases: stores the goal, ends a deployment in progress as superseded, inserts the new one,
 * and wakes the loop in reconcile/loop.ts. Refuses this during a move or a restore, or if the image's server cannot
 * open the data.
 */
import type { CommandContext } from '../api/contract.ts'
import * as deployments from '../deployments/queries.ts'
import type { DeploymentAction } from '../deployments/table.ts'
import { refuse } from '../errors.ts'
import { type ImageAliases, resolveImage, versionOfTag } from '../kinds/images.ts'
import type { Kind } from '../kinds/kind.ts'
import type { DatabaseTable, Reader } from '../store/schema.ts'
import { fromJson } from '../lib/json.ts'
import { statusMessage } from './status-message.ts'
import { openTarget, type ResolvedImage, resolvedImage, sealTarget, type Target, targetOf } from './targets.ts'
import type { Row } from './operations/records.ts'

type Patch = Partial<Omit<DatabaseTable, 'id'>>
type BeginContext = Pick<CommandContext, 'tx' | 'newId' | 'now' | 'wake' | 'follow' | 'backups'>

/**
 * Begins a deployment. Marks a deployment in progress as superseded. Interrupts dumps of the database, because the
 * server may stop. The action `saveExternalPort` interrupts no dumps, because it keeps a proven server running.
 *
 * @param patch further columns to set on the database
 * @returns the row with its new values
 * @throws CONFLICT while the database is being moved, or while a backup is being restored into it
 */
export async function begin(context: BeginContext, row: Row, action: DeploymentAction, patch: Patch): Promise<Row> {
  const { tx, backups } = context
  // A restore can make a move, so the restore is the cause.
  await refuseDuringRestore(context, row)
  await refuseDuringMove(tx, row)
  if (action !== 'saveExternalPort' && (await backups.interruptDumps(tx, row.id))) context.wake('backups')
  return enter(context, row, action, patch)
}

/** Begins a deployment without any check: whoever calls this has exclusive use of the database. */
export async function enter(
  { tx, newId, now: clock, wake, follow }: Omit<BeginContext, 'backups'>,
  row: Row,
  action: DeploymentAction,
  patch: Patch,
): Promise<Row> {
  const [deploymentId, now] = [newId(), clock()]
  if (row.deploymentId !== null) await deployments.supersede(tx, row.deploymentId, now)
  const subject = deployments.subjectOf('database', row)
  await deployments.begin(tx, { id: deploymentId, action, subject }, now)
  const change: Patch = { applicationStatus: 'running', statusReason: null, ...patch, deploymentId }
  await tx.updateTable('database').set(change).where('id', '=', row.id).execute()
  wake('services')
  follow(deploymentId)
  return { ...row, ...change }
}

/** Refuses work while the database is being moved, because its data on the new node may still be incomplete. */
async function refuseDuringMove(tx: Reader, { id, appName }: Row): Promise<void> {
  const move = await tx
    .selectFrom('move')
    .select(['deploymentId', 'nodeName'])
    .where('databaseId', '=', id)
    .executeTakeFirst()
  if (move === undefined) return
  refuse(
    'CONFLICT',
    `${appName} is being moved to ${move.nodeName} (deployment ${move.deploymentId}). Wait until the move has ` +
      'ended: deployment.all shows its state',
  )
}

/**
 * Refuses work during a restore. If the server stopped during the restore, its previous data would be gone and the
 * restored data would be incomplete.
 */
async function refuseDuringRestore({ tx, backups }: BeginContext, { id, appName }: Row): Promise<void> {
  const restore = await backups.lockingRestore(tx, id)
  if (restore === undefined) return
  refuse(
    'CONFLICT',
    `A backup is being restored into ${appName} (run ${restore.id}). Wait until the restore has ended, or cancel it ` +
      'with backup.cancel',
  )
}

type DeployContext = BeginContext & Pick<CommandContext, 'vault' | 'config'>

/**
 * Begins a deployment with the record as the new target.
 *
 * @param options `shouldRestart` requests a new container even if nothing differs; `shouldPull` resolves the image in
 * its registry again
 */
export async function beginFromRecord(
  context: DeployContext,
  row: Row,
  kind: Kind,
  action: 'deploy' | 'reload',
  { shouldRestart = false, shouldPull = false } = {},
): Promise<Row> {
  const before = openTarget(context.vault, 'target', row)
  const image: Target['image'] = shouldPull
    ? 'pull'
    : (unchangedImage(before, row, context.config.imageAliases) ?? 'resolve')
  // A resolved image needs no check here: its version was read from the image itself and checked when it was resolved.
  if (typeof image === 'string') await checkVersion(context.tx, row, kind, context.config.imageAliases)
  const target = { ...targetOf(context.vault, row, (before?.restarts ?? 0) + (shouldRestart ? 1 : 0)), image }
  const sealed = sealTarget(context.vault, 'target', row.id, target)
  return begin(context, row, action, { goal: 'up', target: sealed, pendingChanges: 0 })
}

/** The resolved image of the previous target, if the record still has the same image reference; otherwise null. */
function unchangedImage(before: Target | null, row: Row, aliases: ImageAliases): ResolvedImage | null {
  const image = before === null ? null : resolvedImage(before)
  return image?.reference === resolveImage(row.dockerImage, aliases) ? image : null
}

/**
 * Begins a start with the last target. A target that an older version of Berth stored has no resolved image. For such a
 * target, the start first resolves the image, except if the goal of the database is already `up`.
 */
export async function beginStart(context: DeployContext, row: Row, target: Target): Promise<Row> {
  if (row.goal === 'up' || target.image !== undefined) return begin(context, row, 'start', { goal: 'up' })
  const sealed = sealTarget(context.vault, 'target', row.id, { ...target, image: 'resolve' })
  return begin(context, row, 'start', { goal: 'up', target: sealed })
}

/**
 * Begins the removal of a database and disables its backups. From then on no call returns the record. The name becomes
 * free when the removal has ended. Refuses the removal of a service on a volume that no record names.
 *
 * @returns the row before the removal began
 */
export async function beginRemove(context: BeginContext, row: Row, removeData: boolean): Promise<Row> {
  const status = fromJson(row.statusReason)
  if (status?.reason === 'PlacedElsewhere') refuse('CONFLICT', statusMessage(status), { reason: status.reason })
  await begin(context, row, 'remove', { goal: 'gone', removeData: removeData ? 1 : 0, projectId: null })
  await context.backups.disableBackups(context.tx, row.id)
  return row
}

/**
 * Refuses an image whose tag names a version that cannot open the volume's files. Even a failed attempt could damage
 * the files.
 */
export async function checkVersion(db: Reader, row: Row, kind: Kind, aliases: ImageAliases): Promise<void> {
  if (row.volumeId === null) return
  const imageVersion = versionOfTag(row.dockerImage, kind, aliases)
  const { serverVersion: dataVersion } = await db
    .selectFrom('volume')
    .select('serverVersion')
    .where('id', '=', row.volumeId)
    .executeTakeFirstOrThrow()
  if (imageVersion === null || dataVersion === null || kind.opens(dataVersion, imageVersion)) return
  refuse(
    'PRECONDITION_FAILED',
    `The volume holds data of ${kind.label} ${dataVersion}, which ${row.dockerImage} ` +
      `cannot open. Make a backup, create a new service with ${row.dockerImage} and restore the backup into it`,
    { issues: [{ path: 'dockerImage', message: `must be an image that opens the files of version ${dataVersion}` }] },
  )
}
