/**
 * The audit log of changes and refusals. A keyed hash binds each entry to the previous one. Without the master key,
 * nobody can change or insert an entry undetected. The removal of an entry is detected unless all entries before or
 * after it are removed too. Old entries are deleted from the beginning; the chain then starts at the first remaining
 * entry. Entries contain no secrets.
 */
import { sql } from 'kysely'
import { prepared, preparedInsert } from '../store/prepared.ts'
import type { AuditTable, Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** The content of an entry, without its position in the chain. */
export type AuditEntry = Omit<AuditTable, 'seq' | 'at' | 'previousHash' | 'hash'> & { at: Date }

const retentionMs = 400 * 24 * 3600_000
/** Number of entries that `checkChain` reads with one statement. Other work runs between two statements. */
const pageLength = 500

/** The last entry. The limit is a literal: with a parameter, SQLite prepares the statement anew on each execution. */
const lastEntry = prepared((db) =>
  db.selectFrom('audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(sql.lit(1)),
)

/** The number of the last entry; 0 if there is none. */
export async function lastSeqOf(db: Reader): Promise<number> {
  const [last] = await lastEntry(db)
  return last?.seq ?? 0
}

const insertEntry = preparedInsert('audit')

/** Appends an entry. Call this in the transaction of the change that the entry records. */
export async function appendAudit(tx: Writer, vault: Vault, { at, ...entry }: AuditEntry): Promise<void> {
  const [last] = await lastEntry(tx)
  const row = { seq: (last?.seq ?? 0) + 1, at: at.toISOString(), ...entry, previousHash: last?.hash ?? '' }
  await insertEntry(tx, { ...row, hash: hashOf(vault, row) })
}

/** Appends the entry of a command on the machine. Such a command is run without an account. */
export function appendMachineEntry(
  tx: Writer,
  vault: Vault,
  operation: string,
  record: string | null,
  at: Date,
): Promise<void> {
  const withoutAccount = { accountId: null, email: null, tokenId: null, address: '' }
  return appendAudit(tx, vault, {
    at,
    kind: 'machine',
    ...withoutAccount,
    operation,
    record,
    result: 'OK',
    details: null,
  })
}

export interface ChainCheck {
  entries: number
  /** The first entry whose content, position or predecessor was changed; null if the chain is intact. */
  brokenAt: number | null
  /** The last valid entry; null if there is none. If it is missing later, entries were removed at the end. */
  head: { seq: number; hash: string } | null
}

/** Verifies the chain from the first entry to the last. */
export async function checkChain(db: Reader, vault: Vault): Promise<ChainCheck> {
  let entries = 0
  let head: ChainCheck['head'] = null
  for (;;) {
    const rows: AuditTable[] = await db
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', head?.seq ?? 0)
      .orderBy('seq')
      .limit(pageLength)
      .execute()
    for (const { hash, ...row } of rows) {
      entries++
      const follows = head === null || (row.seq === head.seq + 1 && row.previousHash === head.hash)
      if (!follows || hash !== hashOf(vault, row)) return { entries, brokenAt: row.seq, head }
      head = { seq: row.seq, hash }
    }
    if (rows.length < pageLength) return { entries, brokenAt: null, head }
    await new Promise(setImmediate)
  }
}

function hashOf(vault: Vault, row: Omit<AuditTable, 'hash'>) {
  const { seq, at, kind, accountId, email, tokenId, address, operation, record, result, previousHash, details } = row
  const text = JSON.stringify([
    seq,
    at,
    kind,
    accountId,
    email,
    tokenId,
    address,
    operation,
    record,
    result,
    previousHash,
    // Entries without details keep the hash that they had before the column existed.
    ...(details === null ? [] : [details]),
  ])
  return vault.fingerprint({ table: 'audit', column: 'hash', row: String(seq) }, text)
}

/**
 * Deletes entries older than 400 days, except the last entry. Deletes from the beginning up to the first younger entry,
 * so that the chain has no gap. An older entry after a younger one (the clock was set back) stays as long as that one.
 */
export async function forgetOldEntries(tx: Writer, now: Date): Promise<void> {
  const cutoff = new Date(now.getTime() - retentionMs).toISOString()
  const [first] = await tx.selectFrom('audit').select('seq').where('at', '>=', cutoff).orderBy('seq').limit(1).execute()
  const [last] = await lastEntry(tx)
  const end = first?.seq ?? last?.seq
  if (end !== undefined) await tx.deleteFrom('audit').where('seq', '<', end).execute()
}
