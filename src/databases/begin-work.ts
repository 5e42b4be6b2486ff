/**
 * How long work on a service begins: the goal and a deployment are recorded, the one before is overtaken, the loop
 * woken.
 */
import type { CommandContext } from '../api/contract.ts'
import * as deployments from '../deployments/queries.ts'
import type { DeploymentAction } from '../deployments/table.ts'
import { refuse } from '../errors.ts'
import { type ImageAliases, resolveImage, versionNamed } from '../kinds/images.ts'
import type { Kind } from '../kinds/kind.ts'
import type { DatabaseTable, Reader } from '../store/schema.ts'
import { disableBackupsOf } from '../backups/queries.ts'
import { interruptDumps, restoreHolding } from '../backups/database-locks.ts'
import { openTarget, type ResolvedImage, resolvedImage, sealTarget, type Target, targetOf } from './targets.ts'
import type { Row } from './operations/records.ts'

type Patch = Partial<Omit<DatabaseTable, 'id'>>
type Command = Pick<CommandContext, 'tx' | 'newId' | 'now' | 'wake' | 'follow'>

/** Gives the row as it is now. The last goal wins: what was under way is marked superseded. */
export async function begin(context: Command, row: Row, action: DeploymentAction, patch: Patch): Promise<Row> {
  const { tx } = context
  await checkStays(tx, row)
  await refuseDuringRestore(tx, row)
  if (action !== 'saveExternalPort' && (await interruptDumps(tx, row.id))) context.wake('backups')
  const [deploymentId, now] = [context.newId(), context.now()]
  if (row.deploymentId !== null) await deployments.supersede(tx, row.deploymentId, now)
  const subject = deployments.subjectOf('database', row)
  await deployments.begin(tx, { id: deploymentId, action, subject }, now)
  const change: Patch = { applicationStatus: 'running', statusReason: null, ...patch, deploymentId }
  await tx.updateTable('database').set(change).where('id', '=', row.id).execute()
  context.wake('services')
  context.follow(deploymentId)
  return { ...row, ...change }
}

/** Half way the data is on neither node alone: what is asked for has to wait. */
async function checkStays(tx: Reader, { id, appName }: Row): Promise<void> {
  const move = await tx
    .selectFrom('move')
    .select(['deploymentId', 'nodeName'])
    .where('databaseId', '=', id)
    .executeTakeFirst()
  if (move === undefined) return
  refuse(
    'CONFLICT',
    `${appName} is being moved to ${move.nodeName} (deployment ${move.deploymentId}). Wait until that ` +
      'has ended: deployment.all tells',
  )
}

/** A server that ends in the middle of a load leaves a part of the dump, and of its safety dump nothing. */
async function refuseDuringRestore(tx: Reader, { id, appName }: Row): Promise<void> {
  const restore = await restoreHolding(tx, id)
  if (restore === undefined) return
  refuse(
    'CONFLICT',
    `A backup is being restored into ${appName} (run ${restore.id}). Wait until that has ended, or ` +
      'end it with backup.cancel',
  )
}

type Applying = Command & Pick<CommandContext, 'vault' | 'config'>

/** Takes the record as the new target. `restart` asks for a new container even where nothing differs. */
export async function beginFromRecord(
  context: Applying,
  row: Row,
  kind: Kind,
  action: 'deploy' | 'reload',
  { restart = false, pull = false } = {},
): Promise<Row> {
  const before = openTarget(context.vault, 'target', row)
  const image: Target['image'] = pull ? 'pull' : (imageKept(before, row, context.config.imageAliases) ?? 'resolve')
  // An image that was read is known better than by its tag.
  if (typeof image === 'string') await checkVersion(context.tx, row, kind, context.config.imageAliases)
  const target = { ...targetOf(context.vault, row, (before?.restarts ?? 0) + (restart ? 1 : 0)), image }
  const sealed = sealTarget(context.vault, 'target', row.id, target)
  return begin(context, row, action, { goal: 'up', target: sealed, pendingChanges: 0 })
}

/** What the reference stood for when it was deployed before; null where another one is asked for. */
function imageKept(before: Target | null, row: Row, aliases: ImageAliases): ResolvedImage | null {
  const image = before === null ? null : resolvedImage(before)
  return image?.reference === resolveImage(row.dockerImage, aliases) ? image : null
}

/** What was last deployed, again. A target that says nothing of its image is from before images were resolved. */
export async function beginStart(context: Applying, row: Row, target: Target): Promise<Row> {
  if (row.goal === 'up' || target.image !== undefined) return begin(context, row, 'start', { goal: 'up' })
  const sealed = sealTarget(context.vault, 'target', row.id, { ...target, image: 'resolve' })
  return begin(context, row, 'start', { goal: 'up', target: sealed })
}

/** Gives the row as it was. The record is gone for callers at once, the name is free when the service is gone. */
export async function beginRemove(context: Command, row: Row, removeData: boolean): Promise<Row> {
  await begin(context, row, 'remove', { goal: 'gone', removeData: removeData ? 1 : 0, projectId: null })
  await disableBackupsOf(context.tx, row.id)
  return row
}

/** The files of one version may not open under another, and a failed try may harm them. */
export async function checkVersion(db: Reader, row: Row, kind: Kind, aliases: ImageAliases): Promise<void> {
  if (row.volumeId === null) return
  const wanted = versionNamed(row.dockerImage, kind, aliases)
  const { serverVersion: held } = await db
    .selectFrom('volume')
    .select('serverVersion')
    .where('id', '=', row.volumeId)
    .executeTakeFirstOrThrow()
  if (wanted === null || held === null || kind.opens(held, wanted)) return
  refuse(
    'PRECONDITION_FAILED',
    `The volume holds data of ${kind.label} ${held}, which ${row.dockerImage} ` +
      `cannot open. Make a backup, create a new service with ${row.dockerImage} and restore the backup into it`,
    { issues: [{ path: 'dockerImage', message: `must be an image that opens the files of version ${held}` }] },
  )
}
