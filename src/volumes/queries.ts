/** The statements on volumes. No other file writes to this table. */
import * as deployments from '../deployments/queries.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { DataFault, OwnerKind, VolumeTable } from './table.ts'

type Given = Pick<
  VolumeTable,
  | 'kind'
  | 'ownerKind'
  | 'ownerId'
  | 'dataPath'
  | 'nodeId'
  | 'nodeName'
  | 'nodeAddress'
  | 'appName'
  | 'dockerImage'
  | 'settings'
  | 'secrets'
> &
  Partial<Pick<VolumeTable, 'serverVersion' | 'tried'>>

/** The row of a volume that its owner is about to use. The data is new: neither an identity nor a fault is known. */
export const newVolume = (id: string, given: Given, now: Date): VolumeTable => ({
  id,
  name: `berth-${id}`,
  serverVersion: null,
  state: 'attached',
  createdAt: now.toISOString(),
  keptAt: null,
  deploymentId: null,
  tried: null,
  identity: null,
  fault: null,
  ...given,
})

/** Records the volume before the engine makes it, so that a crash leaves no volume that nobody knows. */
export async function insert(tx: Writer, volume: VolumeTable): Promise<void> {
  await tx.insertInto('volume').values(volume).execute()
}

/** Gives a kept volume to a new owner. */
export async function attach(
  tx: Writer,
  id: string,
  owner: Pick<VolumeTable, 'ownerKind' | 'ownerId'> & Partial<Pick<VolumeTable, 'appName'>>,
): Promise<void> {
  await update(tx, id, { ...owner, state: 'attached', keptAt: null })
}

/** Keeps a volume that nobody uses any more. */
export async function keep(tx: Writer, id: string, now: Date): Promise<void> {
  await update(tx, id, { ownerId: null, state: 'kept', keptAt: now.toISOString() })
}

/** Begins to delete the volume and its data: as the deployment of that id, which the loop of volumes carries out. */
export async function beginRemoval(tx: Writer, volume: VolumeTable, deploymentId: string, now: Date): Promise<void> {
  const subject = deployments.subjectOf('volume', volume)
  await deployments.begin(tx, { id: deploymentId, action: 'removeVolume', subject }, now)
  await update(tx, volume.id, { state: 'removing', ownerId: null, deploymentId })
}

/** The engine would not remove the volume. */
export async function keepAfterFailedRemoval(tx: Writer, id: string): Promise<void> {
  await update(tx, id, { state: 'kept', deploymentId: null })
}

/** Forgets a volume that the engine has removed. */
export async function drop(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('volume').where('id', '=', id).execute()
}

export async function setFault(tx: Writer, id: string, fault: DataFault): Promise<void> {
  await update(tx, id, { fault })
}

/** Takes as the volume's data whatever the next server finds or makes there. */
export async function acceptNewData(tx: Writer, id: string): Promise<void> {
  await update(tx, id, { identity: null, serverVersion: null, fault: null })
}

/** Credentials that may hold inside the volume, sealed by `sealTried`. */
export async function recordTried(tx: Writer, id: string, tried: string): Promise<void> {
  await update(tx, id, { tried })
}

type Proven = 'settings' | 'secrets' | 'serverVersion' | 'dataPath' | 'dockerImage' | 'appName' | 'identity'

/** Records what a server that took a login on the volume has shown. */
export async function recordProof(tx: Writer, id: string, proven: Pick<VolumeTable, Proven>): Promise<void> {
  await update(tx, id, { ...proven, tried: null, fault: null })
}

async function update(tx: Writer, id: string, changes: Partial<VolumeTable>): Promise<void> {
  await tx.updateTable('volume').set(changes).where('id', '=', id).execute()
}

export async function find(db: Reader, id: string | null): Promise<VolumeTable | null> {
  if (id === null) return null
  const row = await db.selectFrom('volume').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Throws if there is no such volume. */
export async function get(db: Reader, id: string): Promise<VolumeTable> {
  return db.selectFrom('volume').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The volume that was kept last, of an owner of that kind, on that node. */
export async function lastKept(db: Reader, ownerKind: OwnerKind, nodeId: string): Promise<VolumeTable | null> {
  const row = await db
    .selectFrom('volume')
    .selectAll()
    .where('ownerKind', '=', ownerKind)
    .where('state', '=', 'kept')
    .where('nodeId', '=', nodeId)
    .orderBy('keptAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}
