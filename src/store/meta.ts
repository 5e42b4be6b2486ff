/** Single values of the installation, by their key. No other file writes to this table. */
import type { Writer } from './schema.ts'

/** Writes the value, in place of one that is there. */
export async function setMeta(tx: Writer, key: string, value: string): Promise<void> {
  await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

export async function deleteMeta(tx: Writer, key: string): Promise<void> {
  await tx.deleteFrom('meta').where('key', '=', key).execute()
}

/** Writes a value that is there already: fails where the store cannot be written to. */
export async function tryToWrite(tx: Writer): Promise<void> {
  await tx.updateTable('meta').set({ key: 'installationId' }).where('key', '=', 'installationId').execute()
}
