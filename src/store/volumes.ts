/** A volume that no database uses any more. */
import type { Writer } from './schema.ts'

export async function keepVolume(tx: Writer, volumeId: string, now: Date): Promise<void> {
  await tx
    .updateTable('volume')
    .set({ databaseId: null, state: 'kept', keptAt: now.toISOString() })
    .where('id', '=', volumeId)
    .execute()
}
