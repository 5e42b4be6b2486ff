/**
 * The age identity of this installation, for dumps whose recipient is `installation`. It is made once, at its first
 * export, and never replaced: an older one would be needed as long as its dumps are kept.
 */
import type { BackupIdentityTable } from './table.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Place, Vault } from '../store/vault.ts'

/** There is one row at most. */
const id = 'installation'
const place: Place = { table: 'backupIdentity', column: 'identity', row: id }

/** A pair of age: `AGE-SECRET-KEY-1…` and its public half. */
export interface IdentityPair {
  identity: string
  recipient: string
}

export const findIdentity = (db: Reader): Promise<BackupIdentityTable | undefined> =>
  db.selectFrom('backupIdentity').selectAll().where('id', '=', id).executeTakeFirst()

export const openIdentity = (vault: Pick<Vault, 'open'>, row: BackupIdentityTable): string =>
  vault.open(place, row.identity)

/** Gives the identity that there is; without one, stores `made`. */
export async function ensureIdentity(
  tx: Writer,
  vault: Pick<Vault, 'seal'>,
  { identity, recipient }: IdentityPair,
  now: Date,
): Promise<BackupIdentityTable> {
  const known = await findIdentity(tx)
  if (known !== undefined) return known
  const sealed = vault.seal(place, identity)
  const row = { id, recipient, identity: sealed, createdAt: now.toISOString(), exportedAt: null }
  await tx.insertInto('backupIdentity').values(row).execute()
  return row
}

/** Call this once the identity was written where its keeper reads it. */
export async function recordExport(tx: Writer, now: Date): Promise<void> {
  await tx.updateTable('backupIdentity').set({ exportedAt: now.toISOString() }).where('id', '=', id).execute()
}
