/**
 * Writes the table `meta`: single values of the installation by key. Code outside src/store writes the table only with
 * these functions.
 */
import type { Writer } from './schema.ts'

/** Sets a value. Replaces an existing value. */
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

/**
 * Writes an existing value again. This tests whether the store is writable.
 * @throws if the store is not writable
 */
export async function tryToWrite(tx: Writer): Promise<void> {
  await tx.updateTable('meta').set({ key: 'installationId' }).where('key', '=', 'installationId').execute()
}
