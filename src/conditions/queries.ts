/** The queries on conditions. No other file writes to this table. */
import type { Reader, Time, Writer } from '../store/schema.ts'
import type { Changes } from './changes.ts'
import type { ConditionTable } from './table.ts'

/** The conditions that have not ended, oldest first. */
export function presentConditions(db: Reader): Promise<ConditionTable[]> {
  return db.selectFrom('condition').selectAll().where('endedAt', 'is', null).orderBy('id').execute()
}

export async function writeChanges(
  tx: Writer,
  { begun, changed, endedIds }: Changes,
  newId: () => string,
  endedAt: Time,
): Promise<void> {
  for (const row of begun) {
    await tx
      .insertInto('condition')
      .values({ id: newId(), ...row })
      .execute()
  }
  for (const { id, ...columns } of changed) {
    await tx.updateTable('condition').set(columns).where('id', '=', id).execute()
  }
  for (const id of endedIds) await tx.updateTable('condition').set({ endedAt }).where('id', '=', id).execute()
}

export async function deleteConditionsEndedBefore(tx: Writer, time: Date): Promise<void> {
  await tx.deleteFrom('condition').where('endedAt', '<', time.toISOString()).execute()
}
