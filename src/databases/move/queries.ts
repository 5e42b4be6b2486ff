/** The queries on moves of databases. No other file writes to this table. */
import type { MoveStep, MoveTable } from './table.ts'
import type { Writer } from '../../store/schema.ts'

export async function insertMove(tx: Writer, move: MoveTable): Promise<void> {
  await tx.insertInto('move').values(move).execute()
}

/** Records the volume that the data is copied to. */
export async function setMoveVolume(tx: Writer, databaseId: string, volumeId: string): Promise<void> {
  await tx.updateTable('move').set({ volumeId }).where('databaseId', '=', databaseId).execute()
}

/** Records the next step, unless the stored step has changed since `move` was read. Returns whether it was recorded. */
export async function setMoveStep(
  tx: Writer,
  move: Pick<MoveTable, 'databaseId' | 'step'>,
  step: MoveStep,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('move')
    .set({ step })
    .where('databaseId', '=', move.databaseId)
    .where('step', '=', move.step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Records the inventory with which the dump of a restore was loaded. */
export async function setInventorySum(
  tx: Writer,
  { databaseId, deploymentId }: Pick<MoveTable, 'databaseId' | 'deploymentId'>,
  inventorySum: string,
): Promise<void> {
  await tx
    .updateTable('move')
    .set({ inventorySum })
    .where('databaseId', '=', databaseId)
    .where('deploymentId', '=', deploymentId)
    .execute()
}

export async function deleteMove(tx: Writer, databaseId: string): Promise<void> {
  await tx.deleteFrom('move').where('databaseId', '=', databaseId).execute()
}
