/**
 * The age identity of this installation, for dumps whose recipient is `installation`. The first export creates the
 * identity. Berth never replaces it, because an old identity would be needed as long as its dumps are kept.
 */
import type { BackupIdentityTable } from './table.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Cell, Vault } from '../store/vault.ts'

/** The id of the only row. */
const id = 'installation'
const cell: Cell = { table: 'backupIdentity', column: 'identity', row: id }

/** An age key pair: the identity `AGE-SECRET-KEY-1…` and its public recipient `age1…`. */
export interface IdentityPair {
  identity: string
  recipient: string
}

export const findIdentity = (db: Reader): Promise<BackupIdentityTable | undefined> =>
  db.selectFrom('backupIdentity').selectAll().where('id', '=', id).executeTakeFirst()

export const openIdentity = (vault: Pick<Vault, 'open'>, row: BackupIdentityTable): string =>
  vault.open(cell, row.identity)

/** Returns the stored identity. If there is none yet, stores the given pair first. */
export async function ensureIdentity(
  tx: Writer,
  vault: Pick<Vault, 'seal'>,
  { identity, recipient }: IdentityPair,
  now: Date,
): Promise<BackupIdentityTable> {
  const existing = await findIdentity(tx)
  if (existing !== undefined) return existing
  const sealed = vault.seal(cell, identity)
  const row = { id, recipient, identity: sealed, createdAt: now.toISOString(), exportedAt: null }
  await tx.insertInto('backupIdentity').values(row).execute()
  return row
}

/** Records an export. Call this only after the identity was written out. */
export async function recordExport(tx: Writer, now: Date): Promise<void> {
  await tx.updateTable('backupIdentity').set({ exportedAt: now.toISOString() }).where('id', '=', id).execute()
}
