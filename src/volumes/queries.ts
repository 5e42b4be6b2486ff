/** The queries on volumes. No other file writes to this table. */
import * as deployments from '../deployments/queries.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Access, DataFault, OwnerKind, VolumeTable } from './table.ts'

type NewVolume = Pick<
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
  Partial<
    Pick<VolumeTable, 'serverVersion' | 'tried' | 'startSecrets' | 'generation' | 'ownAccount' | 'access' | 'copyOf'>
  >

/** Returns the row of a new volume. The volume has no data yet, so `identity` and `fault` are null. */
export const newVolume = (id: string, columns: NewVolume, now: Date): VolumeTable => ({
  id,
  name: `berth-${id}`,
  serverVersion: null,
  state: 'attached',
  createdAt: now.toISOString(),
  keptAt: null,
  deploymentId: null,
  tried: null,
  startSecrets: null,
  ownAccount: null,
  access: null,
  identity: null,
  initializingSince: null,
  dataPlaces: null,
  restoreSettings: null,
  copyOf: null,
  copiedAt: null,
  fault: null,
  generation: 1,
  foundNodeId: null,
  foundNodeName: null,
  ...columns,
})

/**
 * Inserts the row of a volume. Call this before the engine creates the volume, so that a crash leaves none without a
 * row.
 */
export async function insert(tx: Writer, volume: VolumeTable): Promise<void> {
  await tx.insertInto('volume').values(volume).execute()
}

/** Assigns a kept volume to a new owner, and raises its generation. */
export async function attach(
  tx: Writer,
  id: string,
  owner: Pick<VolumeTable, 'ownerKind' | 'ownerId'> & Partial<Pick<VolumeTable, 'appName'>>,
): Promise<void> {
  await update(tx, id, { ...owner, state: 'attached', keptAt: null })
  await tx
    .updateTable('volume')
    .set(({ eb }) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Removes the owner of a volume and keeps the volume. */
export async function keep(tx: Writer, id: string, now: Date): Promise<void> {
  await update(tx, id, { ownerId: null, state: 'kept', keptAt: now.toISOString() })
}

/** Begins a deployment that deletes the volume and its data. The loop in loop.ts runs the deployment. */
export async function beginRemoval(tx: Writer, volume: VolumeTable, deploymentId: string, now: Date): Promise<void> {
  const subject = deployments.subjectOf('volume', volume)
  await deployments.begin(tx, { id: deploymentId, action: 'removeVolume', subject }, now)
  await update(tx, volume.id, { state: 'removing', ownerId: null, deploymentId })
}

/** Keeps a volume that the engine could not remove. */
export async function keepAfterFailedRemoval(tx: Writer, id: string): Promise<void> {
  await update(tx, id, { state: 'kept', deploymentId: null })
}

/** Takes back all removals of volumes. Returns the deployments of these removals. */
export async function keepAllInRemoval(tx: Writer): Promise<string[]> {
  const rows = await tx.selectFrom('volume').select(['id', 'deploymentId']).where('state', '=', 'removing').execute()
  for (const { id } of rows) await keepAfterFailedRemoval(tx, id)
  return rows.flatMap(({ deploymentId }) => deploymentId ?? [])
}

/** Records where the volume is, and the generation of the service that uses it. */
export async function recordPlace(
  tx: Writer,
  id: string,
  place: Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress' | 'generation'>,
): Promise<void> {
  await update(tx, id, place)
}

/** Returns the volume with this name in the engine, or null. */
export async function findNamed(db: Reader, name: string): Promise<VolumeTable | null> {
  return (await db.selectFrom('volume').selectAll().where('name', '=', name).executeTakeFirst()) ?? null
}

/** Deletes the row of a volume that the engine has removed. */
export async function drop(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('volume').where('id', '=', id).execute()
}

export async function setFault(tx: Writer, id: string, fault: DataFault): Promise<void> {
  await update(tx, id, { fault })
}

/**
 * Clears the recorded facts about the data. The next server may then run on any data, including none, so that it needs
 * the present secrets.
 */
export async function acceptNewData(tx: Writer, id: string): Promise<void> {
  await update(tx, id, {
    identity: null,
    serverVersion: null,
    startSecrets: null,
    initializingSince: null,
    dataPlaces: null,
    fault: null,
    access: null,
    copyOf: null,
    copiedAt: null,
  })
}

/**
 * Clears what the record says about the data, because the server on the volume was in use when the record became older
 * than the data. The next login records the mark of the data.
 */
export async function acceptPresentData(tx: Writer, name: string): Promise<void> {
  const unknown = { identity: null, initializingSince: null, dataPlaces: null, fault: null }
  await tx.updateTable('volume').set(unknown).where('name', '=', name).execute()
}

/** Records that a container is about to initialize the empty volume. */
export async function recordInitializing(tx: Writer, id: string, at: Date): Promise<void> {
  await update(tx, id, { initializingSince: at.toISOString() })
}

/** Records that a server on the volume was ready, so that it has initialized the data. */
export async function recordInitialized(tx: Writer, id: string): Promise<void> {
  await update(tx, id, { initializingSince: null })
}

/** Records that the copy of another volume on this one is complete. */
export async function recordCopied(tx: Writer, id: string, at: Date): Promise<void> {
  await update(tx, id, { copiedAt: at.toISOString() })
}

/** Records credentials that may be valid for the data on the volume. `tried` comes from `sealAttemptedCredentials`. */
export async function recordTried(tx: Writer, id: string, tried: string): Promise<void> {
  await update(tx, id, { tried })
}

/** Records where the files of the server on the volume are. */
export async function recordDataPlaces(tx: Writer, id: string, dataPlaces: VolumeTable['dataPlaces']): Promise<void> {
  await update(tx, id, { dataPlaces })
}

/** Records the settings that a restore is about to change. Null: they are set back. */
export async function recordRestoreSettings(
  tx: Writer,
  id: string,
  restoreSettings: VolumeTable['restoreSettings'],
): Promise<void> {
  await update(tx, id, { restoreSettings })
}

/** Records credentials and other settings of the server on the volume. */
export async function recordSettings(tx: Writer, id: string, sealed: Pick<VolumeTable, 'settings' | 'secrets'>) {
  await update(tx, id, sealed)
}

/**
 * Records an account that Berth is about to make on the server, unless one is recorded. `ownAccount` comes
 * from `sealOwnAccount`.
 */
export async function recordOwnAccount(tx: Writer, id: string, ownAccount: string): Promise<void> {
  await tx.updateTable('volume').set({ ownAccount }).where('id', '=', id).where('ownAccount', 'is', null).execute()
}

/** Records what Berth can do on the server. */
export async function recordAccess(tx: Writer, id: string, access: Access): Promise<void> {
  await update(tx, id, { access })
}

type Proven =
  | 'settings'
  | 'secrets'
  | 'startSecrets'
  | 'serverVersion'
  | 'dataPath'
  | 'dockerImage'
  | 'appName'
  | 'identity'

/** Records the facts that a successful login to the server on the volume has proven. */
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

/** @throws if there is no volume with this id */
export async function get(db: Reader, id: string): Promise<VolumeTable> {
  return db.selectFrom('volume').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Returns the most recently kept volume of this owner kind on the node, or null. */
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
